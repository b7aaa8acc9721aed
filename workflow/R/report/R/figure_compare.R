# Two sets of bundles side by side: the distributions of their round trips.

#' Round trips of both sides, a panel for each condition that has some on both.
#'
#' @param found result of [compare_sides()].
#' @return list(`plot`, `width`, `height`) in cm; NULL without round trips.
figure_compare <- function(found) {
  x <- found$samples[found$samples$sample == "rtt_ms"]
  both <- Reduce(intersect, split(x$condition, x$side))
  x <- x[x$condition %in% both]
  if (data.table::uniqueN(x$side) < 2L || !length(both)) return(NULL)
  columns <- min(3L, length(both))
  plot <- ggplot2::ggplot(x, ggplot2::aes(value, linetype = side)) +
    ggplot2::stat_ecdf(linewidth = 0.5, colour = ink) +
    ggplot2::facet_wrap(~condition, ncol = columns, labeller = ggplot2::label_wrap_gen(40L)) +
    ggplot2::scale_linetype_manual(values = c(A = "solid", B = "22"), name = NULL) +
    ggplot2::labs(x = "round trip, ms", y = "share of the messages") + theme_thinwire()
  list(plot = plot, width = 1 + 5.6 * columns,
       height = 1.5 + 4.6 * ceiling(length(both) / columns))
}
