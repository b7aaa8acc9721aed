#' Messages that the device sent in each mode, mean of the trials.
figure_sent <- function(metrics, samples, trials) {
  x <- with_conditions(metrics[metric == "sent"], trials)
  bars <- x[, .(sent = mean(value)), by = .(protocol, mode)]
  plot <- ggplot2::ggplot(bars, ggplot2::aes(sent, mode, fill = protocol)) +
    ggplot2::geom_col() +
    scale_protocol_fill() +
    theme_thinwire()
  list(plot = plot, width = 8.6, height = 2 + 0.5 * nrow(bars))
}
