# Statistics: bootstrap intervals with a fixed seed, and the moments of large samples.

#' Largest sample that is bootstrapped; the mean of a larger one is practically normal.
bootstrap_limit <- 5000L

#' Percentile bootstrap interval of the mean, or of another statistic.
#'
#' @param x sample.
#' @param statistic function of a sample; a mean of more than 5000 values has the normal interval.
#' @param level confidence.
#' @param resamples number of resamples.
#' @param seed fixed, so that the same sample gives the same interval everywhere (these generators
#'   have not changed since R 3.6).
#' @return c(low, high); NA for fewer than two values.
bootstrap_interval <- function(x, level = 0.95, resamples = 1000L, seed = 20190520L,
                               statistic = mean) {
  if (length(x) < 2L) return(c(low = NA_real_, high = NA_real_))
  if (identical(statistic, mean) && length(x) > bootstrap_limit) {
    return(normal_interval(length(x), mean(x), sd(x), level))
  }
  values <- if (identical(statistic, mean)) resampled_means(x, resamples, seed) else
    seeded(seed, vapply(seq_len(resamples), function(i) statistic(sample(x, replace = TRUE)), 0))
  tails <- c((1 - level) / 2, (1 + level) / 2)
  stats::setNames(quantile(values, tails, names = FALSE, type = 7L), c("low", "high"))
}

#' Evaluate an expression with the random numbers that follow a seed, and restore the generator.
seeded <- function(seed, expression) {
  keep_random_state({
    set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
    expression
  })
}

#' Means of resamples with replacement.
resampled_means <- function(x, resamples, seed) {
  n <- length(x)
  unlist(lapply(resample_draws(n, resamples, seed), function(drawn) {
    .colMeans(x[drawn], n, length(drawn) %/% n)
  }))
}

#' The cached draws, and the largest number of integers in the cache: 64 MB.
known_draws <- new.env()
most_draws <- 16000000L

#' The draws of this number of calls of [sample()], a million at once. They depend only on the size
#' and the seed, and take most of an interval's time. So those of the last sizes are cached; they
#' recur in the next metric and the next trial.
#'
#' @param n size of the sample.
#' @return list of integer vectors, each for a whole number of resamples.
resample_draws <- function(n, resamples, seed) {
  key <- paste(n, resamples, seed)
  if (!is.null(known_draws[[key]])) return(known_draws[[key]])
  at_once <- max(1L, 1000000L %/% n)
  sizes <- c(rep(at_once, resamples %/% at_once), resamples %% at_once)
  drawn <- seeded(seed, lapply(sizes[sizes > 0L], function(k) {
    sample.int(n, n * k, replace = TRUE)
  }))
  if (sum(unlist(lapply(as.list(known_draws), lengths)), n * resamples) > most_draws) {
    rm(list = ls(known_draws), envir = known_draws)
  }
  assign(key, drawn, known_draws)
}

#' Interval of a mean from its moments, by the normal distribution.
normal_interval <- function(n, mean, sd, level = 0.95) {
  if (is.na(n) || n < 2) return(c(low = NA_real_, high = NA_real_))
  half <- stats::qnorm((1 + level) / 2) * sd / sqrt(n)
  c(low = mean - half, high = mean + half)
}

#' Evaluate an expression and restore the random generator's state.
#'
#' @param expression evaluated here, not before.
keep_random_state <- function(expression) {
  old <- if (exists(".Random.seed", globalenv())) get(".Random.seed", globalenv())
  kinds <- RNGkind()
  on.exit({
    RNGkind(kinds[1L], kinds[2L], kinds[3L])
    if (is.null(old)) {
      if (exists(".Random.seed", globalenv())) rm(".Random.seed", envir = globalenv())
    } else {
      assign(".Random.seed", old, globalenv())
    }
  })
  force(expression)
}
