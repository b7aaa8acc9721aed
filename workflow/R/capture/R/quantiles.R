# Quantiles of samples of any size in memory of a fixed size.

#' Up to this number of values are kept, and their quantiles are exact. Larger samples are counted
#' in bins, whose width is relative to the value.
kept_values <- 1e6

#' Largest relative error of a quantile from bins: a bin reaches from `x` to `x * bin_ratio`, and
#' stands for the value that differs by the same share from both.
bin_error <- 0.0005
bin_ratio <- (1 + bin_error) / (1 - bin_error)

#' The smallest value above 0 that the bins distinguish from 0: 1e-6, a nanosecond in milliseconds.
bin_least <- 1e-6

#' Add values to a distribution.
#'
#' @param d result so far, NULL at first. @param x numbers.
#' @return list: `n`; `values`, or beyond [kept_values] `bins`, counts named by bin; `max`.
add_values <- function(d, x) {
  if (is.null(d)) d <- list(n = 0, values = numeric(), bins = NULL, max = -Inf)
  d$n <- d$n + length(x)
  d$max <- max(d$max, x)
  x <- c(d$values, x)
  if (is.null(d$bins) && d$n <= kept_values) {
    d$values <- x
    return(d)
  }
  counts <- tabulate_bins(x)
  both <- rowsum(c(d$bins, counts), c(names(d$bins), names(counts)), reorder = FALSE)
  d$bins <- stats::setNames(both[, 1L], rownames(both))
  d$values <- numeric()
  d
}

#' The number of values in each bin: bin 0 for zeros, k and -k for values of a magnitude.
tabulate_bins <- function(x) {
  size <- pmax(abs(x) / bin_least, 1)
  bin <- sign(x) * ceiling(log(size) / log(bin_ratio))
  counts <- table(bin)
  stats::setNames(as.numeric(counts), names(counts))
}

#' Quantiles of a distribution, between the two nearest ranks (type 7 of [stats::quantile()]).
#'
#' @param d result of [add_values()]. @param p shares, 0 to 1.
#' @return numbers: exact up to [kept_values] values, otherwise within the relative error
#'   [bin_error].
distribution_quantiles <- function(d, p) {
  if (is.null(d$bins)) return(quantile(d$values, p, names = FALSE, type = 7L))
  bin <- as.numeric(names(d$bins))
  order <- order(bin)
  bin <- bin[order]
  upto <- cumsum(d$bins[order])
  value <- sign(bin) * bin_least * bin_ratio^abs(bin) * (1 - bin_error)
  at_rank <- function(rank) value[findInterval(rank - 1, upto) + 1L]
  rank <- 1 + p * (d$n - 1)
  low <- at_rank(floor(rank))
  pmin(low + (rank - floor(rank)) * (at_rank(ceiling(rank)) - low), d$max)
}
