# The figures of KU Leuven's appendix, from its captures: Figs 26 to 57 and 61 to 63.

#' The source's figures by cell of Fig. 25: traffic, round trip, throughput.
kuleuven_appendix <- c(
  "MQTT QoS 0, 1" = "26-28", "MQTT QoS 0, 10" = "29-31", "MQTT QoS 0, 100" = "32-36",
  "MQTT QoS 1, 1" = "37-39", "MQTT QoS 1, 10" = "40-43", "MQTT QoS 1, 100" = "45-49",
  "MQTT QoS 2, 1" = "50, 51", "MQTT QoS 2, 10" = "52-54", "MQTT QoS 2, 100" = "55-57",
  "HTTP, 1" = "61", "HTTP, 10" = "62", "HTTP, 100" = "63")

#' All captures in one figure, a panel for each curve.
#'
#' @param graphs see [kuleuven_recording()], with `graph` and `time_s`; see [capture_graphs()].
kuleuven_graph_figure <- function(graphs) {
  x <- data.table::copy(graphs)
  kinds <- c(traffic = "frames a second", "round trip" = "round trip, ms",
             throughput = "throughput, bit/s")
  x[, `:=`(graph = kinds[graph], time_s = as.numeric(time_s),
           cell = sprintf("%s, %d", row, clients))]
  figures <- kuleuven_appendix[x$cell]
  x[, panel := paste0(cell, ifelse(is.na(figures), "", sprintf(" (Figs %s)", figures)), "\n",
                      graph)]
  x <- x[order(match(row, kuleuven_rows), clients, match(graph, kinds))]
  x[, panel := factor(panel, unique(panel))]
  plot <- ggplot2::ggplot(x, ggplot2::aes(time_s, value)) +
    ggplot2::geom_line(data = x[graph == kinds[1L]], linewidth = 0.25, colour = ink) +
    ggplot2::geom_point(data = x[graph != kinds[1L]], size = 0.15, colour = ink) +
    ggplot2::facet_wrap(~panel, ncol = 3L, scales = "free") +
    ggplot2::scale_y_continuous(limits = c(0, NA)) +
    ggplot2::labs(x = "s", y = NULL) + theme_thinwire()
  rows <- ceiling(data.table::uniqueN(x$panel) / 3)
  list(plot = plot, width = 17.6, height = 1 + 2 * rows)
}
