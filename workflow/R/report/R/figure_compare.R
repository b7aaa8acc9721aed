# Two sides of runs: the distributions of their round trips.

#' The sample that is drawn, and its name: the first of these that both sides have. The first is
#' measured by the device, the others come from captures.
compared_times <- c(rtt_ms = "round trip, ms", request_ack_ms = "message to acknowledgement, ms",
                    response_ms = "request to response, ms",
                    device_ack_rtt_ms = "the device's acknowledgement, ms",
                    conversation_ms = "conversation, ms")

#' Times of both sides, a panel for each condition that has some on both, named by the levels in
#' which it differs from the others.
#'
#' @param found result of [compare_sides()].
#' @return list(`plot`, `width`, `height`) in cm; NULL without such times.
figure_compare <- function(found) {
  of_both <- function(name) {
    x <- found$samples[found$samples$sample == name]
    if (data.table::uniqueN(x$side) < 2L) return(x[0L])
    x[x$condition %in% Reduce(intersect, split(x$condition, x$side))]
  }
  name <- Find(function(name) nrow(of_both(name)) > 0L, names(compared_times))
  if (is.null(name)) return(NULL)
  x <- of_both(name)
  both <- unique(x$condition)
  x <- x[, panel := conditions_apart(both)[match(condition, both)]]
  columns <- min(3L, length(both))
  plot <- ggplot2::ggplot(x, ggplot2::aes(value, linetype = side)) +
    ggplot2::stat_ecdf(linewidth = 0.5, colour = ink) +
    ggplot2::facet_wrap(~panel, ncol = columns, labeller = ggplot2::label_wrap_gen(32L)) +
    ggplot2::scale_linetype_manual(values = c(A = "solid", B = "22"), name = NULL) +
    ggplot2::labs(x = compared_times[[name]], y = "share of the messages") + theme_thinwire()
  list(plot = plot, width = 1 + 5.6 * columns,
       height = 1.5 + 4.6 * ceiling(length(both) / columns))
}
