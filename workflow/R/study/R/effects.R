# Effect sizes, and the interval of a share.

#' Cliff's delta: P(X > Y) - P(X < Y). 0: no difference; 1 or -1: the samples do not overlap.
#'
#' @param x,y samples.
cliffs_delta <- function(x, y) {
  if (length(x) == 0L || length(y) == 0L) return(NA_real_)
  below <- findInterval(x, sort(y), left.open = TRUE)
  upto <- findInterval(x, sort(y))
  (sum(below) - sum(length(y) - upto)) / (as.numeric(length(x)) * length(y))
}

#' Hedges' g: difference of means in pooled standard deviations, corrected for small samples.
hedges_g <- function(x, y) {
  n <- c(length(x), length(y))
  if (any(n < 2L)) return(NA_real_)
  pooled <- sqrt(((n[1L] - 1) * stats::var(x) + (n[2L] - 1) * stats::var(y)) / (sum(n) - 2))
  if (pooled == 0) return(NA_real_)
  (mean(x) - mean(y)) / pooled * (1 - 3 / (4 * sum(n) - 9))
}

#' Wilson's interval of a share.
#'
#' @param k successes. @param n trials. @param level confidence.
wilson_interval <- function(k, n, level = 0.95) {
  if (is.na(n) || n == 0) return(c(NA_real_, NA_real_))
  z <- stats::qnorm((1 + level) / 2)
  p <- k / n
  centre <- (p + z^2 / (2 * n)) / (1 + z^2 / n)
  half <- z / (1 + z^2 / n) * sqrt(p * (1 - p) / n + z^2 / (4 * n^2))
  c(max(0, centre - half), min(1, centre + half))
}
