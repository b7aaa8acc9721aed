# Calibration of the rule of verdicts.R, with a known truth: no effect, or an effect of known size.

#' Values of a run, by kind, all with mean 0. `mean of 100 ...`: a run as most are, the mean of a
#' hundred messages, beside a spread between runs; `skewed runs`: the hardest case, runs that are
#' themselves skewed; `count of ...`: events of a run, three on average or one in every fifth run.
#'
#' @return named list of functions of the number of runs.
calibration_runs <- function() {
  messages <- function(draw) {
    function(n) vapply(seq_len(n), function(i) mean(draw(100)), 0) + stats::rnorm(n, 0, 0.05)
  }
  list("normal runs" = stats::rnorm,
       "mean of 100 exponential" = messages(function(n) stats::rexp(n) - 1),
       "mean of 100 lognormal" = messages(function(n) stats::rlnorm(n) - exp(0.5)),
       "skewed runs" = function(n) stats::rexp(n) - 1,
       "count of three" = function(n) stats::rpois(n, 3) - 3,
       "count of a fifth" = function(n) stats::rbinom(n, 1, 0.2) - 0.2)
}

#' Shares of the verdicts over simulated claims.
#'
#' The equivalence margin is a tenth of the runs' standard deviation, next to none, so that the
#' interval alone decides; of counts it is one, as for every count in equivalence_margins.yaml.
#' Effects are in standard deviations. In every other claim of two sides the spread of one is three
#' times that of the other.
#'
#' @param cases claims for each row. @param runs numbers of runs. @param effects sizes.
#' @param seed of the random numbers.
#' @return data.table `runs`, `kind`, `rule` ("compare", "bound"), `effect`, a column for each of
#'   [verdict_names] that a side can have, and `wrong`: the share of wrong verdicts.
calibration <- function(cases, runs = c(5L, 10L, 20L), effects = c(0, 1, 3, 6),
                        seed = 20190520L) {
  kinds <- calibration_runs()
  rows <- expand.grid(effect = effects, rule = c("compare", "bound"), kind = names(kinds),
                      runs = runs, stringsAsFactors = FALSE)
  names <- c("reproduced", "not reproduced", "contradicted", "too few runs")
  keep_random_state({
    set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
    shares <- lapply(seq_len(nrow(rows)), function(i) {
      k <- rows[i, ]
      draw <- kinds[[k$kind]]
      spread <- stats::sd(draw(2000L))
      margin <- if (startsWith(k$kind, "count")) 1 else spread / 10
      found <- vapply(seq_len(cases), function(case) {
        a <- draw(k$runs) + k$effect * spread
        b <- if (k$rule == "compare") draw(k$runs) * if (case %% 2L) 1 else 3
        x <- runs_interval(a, b)
        side <- side_of(x[["low"]], x[["high"]], margin)
        final_verdict(side, c(length(a), length(b))[seq_len(1L + !is.null(b))])$verdict
      }, "")
      as.list(table(factor(found, names)) / cases)
    })
  })
  out <- cbind(data.table::as.data.table(rows), data.table::rbindlist(shares))
  out[, wrong := data.table::fifelse(effect == 0, 1 - `not reproduced` - `too few runs`,
                                     contradicted)]
  data.table::setcolorder(out, c("runs", "kind", "rule", "effect"))
  out[]
}
