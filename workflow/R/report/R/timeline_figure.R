# KU Leuven's graphs of traffic (its Figs 26 and 61, and their like) and of one exchange (Figs 18
# and 60), recorded and in the lab.

#' The bin of the graphs of traffic, s, and how much of their beginning is drawn, s. The whole, 100
#' messages or more, would be a solid block.
timeline_bin_s <- 0.01
timeline_shown_s <- 12

#' A silence of this length ends an exchange, s: clients wait one second before their next message,
#' and the longest pause within an exchange is lwIP's tick of 250 ms.
exchange_gap_s <- 0.3

#' Time lines of the cells with one client.
#'
#' @param table the workflow's time lines: `study`, `trial`, `time_s`, `way`, `bytes`. @param cells
#'   result of [kuleuven_cells()].
#' @return data.table `row` (of [kuleuven_rows]), `source` ("recorded", "lab"), `time_s`, `way`,
#'   `bytes`.
cell_timelines <- function(table, cells) {
  recorded <- table[study == "recordings"]
  recorded[, `:=`(row = kuleuven_capture_cells(trial)$row, source = "recorded")]
  lab <- table[study != "recordings"][cells[, .(trial, row)], on = "trial", nomatch = NULL]
  lab[, source := "lab"]
  rbind(recorded, lab)[, .(row, source, time_s, way, bytes)]
}

#' The exchange of median length among those with the most common number of packets.
#'
#' @param time_s,way,bytes of the packets of one time line.
#' @return data.table `time` (ms since its first packet), `way`, `bytes`.
typical_exchange <- function(time_s, way, bytes) {
  x <- data.table::data.table(time_s, way, bytes)
  x[, number := cumsum(c(TRUE, diff(time_s) > exchange_gap_s))]
  each <- x[, .(packets = .N, length = max(time_s) - min(time_s)), by = number]
  common <- each[, .N, by = packets][order(-N, packets), packets[1L]]
  each <- each[packets == common][order(length, number)]
  x[number == each[(.N + 1L) %/% 2L, number], .(time = (time_s - time_s[1L]) * 1e3, way, bytes)]
}

#' The figure: a row for each protocol; left the beginning, right one exchange. Packets to the
#' device point up, those from it down.
#'
#' @param x result of [cell_timelines()].
timeline_figure <- function(x) {
  x <- data.table::copy(x)[, since := time_s - min(time_s), by = .(row, source)]
  traffic <- x[since < timeline_shown_s, .(bytes = sum(bytes)),
               by = .(row, source, way, time = floor(since / timeline_bin_s) * timeline_bin_s)]
  exchange <- x[, typical_exchange(time_s, way, bytes), by = .(row, source)]
  shown <- data.table::rbindlist(list(s = traffic, ms = exchange), use.names = TRUE, idcol = "unit")
  panels <- c(outer(c("recorded", "lab"), c("s", "ms"), paste, sep = ", "))
  shown[, `:=`(protocol = sub(" QoS.*", "", row), row = factor(row, kuleuven_rows),
               panel = factor(paste(source, unit, sep = ", "), panels),
               bytes = ifelse(way == "to", bytes, -bytes))]
  # the same scale of time recorded and in the lab
  ends <- shown[, .(panel = unique(panel), time = max(time), bytes = 0, row = row[1L],
                    protocol = protocol[1L]), by = unit]
  plot <- ggplot2::ggplot(shown, ggplot2::aes(time, bytes, colour = protocol)) +
    ggplot2::geom_blank(data = ends) +
    ggplot2::geom_linerange(ggplot2::aes(ymin = 0, ymax = bytes,
                                         linewidth = factor(unit, c("s", "ms")))) +
    ggplot2::geom_hline(yintercept = 0, linewidth = 0.25, colour = ink) +
    ggplot2::facet_grid(row ~ panel, scales = "free") +
    ggplot2::scale_linewidth_manual(values = c(s = 0.2, ms = 0.7), guide = "none") +
    ggplot2::scale_y_continuous(labels = abs) + scale_protocol("none") +
    ggplot2::labs(x = "time", y = "bytes: to the device (up), from it (down)") +
    theme_thinwire()
  list(plot = plot, width = 17.6, height = 10.5)
}
