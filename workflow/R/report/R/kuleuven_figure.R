# KU Leuven's Figs 13 to 16, 19, 20, 22 and 24: the columns of its table by number of clients,
# published and in the lab.

#' The columns that are drawn, with their names. Its loss in the network is zero but for HTTP.
kuleuven_drawn <- c(device_loss = "device\nloss, %", retransmissions = "retrans-\nmissions",
                    throughput_mean = "throughput,\nB/10 ms", roundtrip_mean = "round\ntrip, ms")

#' Mean, least and greatest of the trials as designed.
#'
#' @return data.table `row`, `clients`, `metric`, `value`, `least`, `most`.
kuleuven_ranges <- function(metrics, cells) {
  designed <- cells[variant == "as designed"]
  metrics[designed, on = "trial", nomatch = NULL][
    , .(value = mean(value), least = min(value), most = max(value)),
    by = .(row, clients, metric)]
}

#' What the figure shows: `row`, `clients`, `item` (of [kuleuven_drawn]), `kind` (published or lab),
#' `value`, `least`, `most`.
#'
#' @param published rows of Fig. 25. @param lab result of [kuleuven_ranges()].
kuleuven_points <- function(published, lab) {
  grid <- kuleuven_grid()
  grid[, name := kuleuven_cell_name(row, clients)]
  rows <- data.table::rbindlist(lapply(names(kuleuven_drawn), function(of) {
    printed <- published[column == of]
    theirs <- as.numeric(printed$value[match(grid$name, printed$row)])
    wanted <- grid[, .(row, clients, metric = mapply(kuleuven_metric, row, clients,
                                                     MoreArgs = list(column = of)))]
    ours <- lab[wanted, on = c("row", "clients", "metric")]
    rbind(grid[, .(row, clients, kind = "published", value = theirs, least = NA_real_,
                   most = NA_real_)],
          ours[, .(row, clients, kind = "lab", value, least, most)])[, item := kuleuven_drawn[[of]]]
  }))
  rows[, `:=`(row = factor(row, kuleuven_rows), item = factor(item, kuleuven_drawn),
              kind = factor(kind, c("published", "lab")))]
  rows[is.finite(value)]
}

#' A row of panels for each kind of client, a column for each of the table's: published hollow, lab
#' filled with the range of its trials. Small values and zero show on an axis that is linear below 1
#' and logarithmic above.
kuleuven_figure <- function(published, lab) {
  x <- kuleuven_points(published, lab)
  colours <- stats::setNames(unname(protocol_colours()[sub(" QoS.*", "", kuleuven_rows)]),
                             kuleuven_rows)
  plot <- ggplot2::ggplot(x, ggplot2::aes(clients, value, colour = row, shape = kind,
                                          linetype = kind)) +
    ggplot2::geom_line(linewidth = 0.4) +
    ggplot2::geom_linerange(ggplot2::aes(ymin = least, ymax = most), linewidth = 0.9, alpha = 0.5,
                            linetype = "solid", na.rm = TRUE, show.legend = FALSE) +
    ggplot2::geom_point(size = 1.4, fill = "white") +
    ggplot2::facet_grid(item ~ row, scales = "free_y", switch = "y") +
    ggplot2::scale_x_log10(breaks = c(1, 10, 100)) +
    ggplot2::scale_y_continuous(trans = "log1p", breaks = c(0, 10, 100, 1000, 10000),
                                labels = c("0", "10", "100", "1000", "10 000")) +
    ggplot2::scale_colour_manual(values = colours, guide = "none") +
    ggplot2::scale_shape_manual(values = c(published = 21, lab = 16), name = NULL) +
    ggplot2::scale_linetype_manual(values = c(published = "22", lab = "solid"), name = NULL) +
    ggplot2::labs(x = "clients", y = NULL) + theme_thinwire() +
    ggplot2::theme(strip.placement = "outside")
  list(plot = plot, width = 17.6, height = 10.6)
}
