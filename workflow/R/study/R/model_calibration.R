# Calibration of the discrepancy in the rule: a laboratory whose error is drawn anew for each claim,
# and estimated from a few other conditions, as docs/claims.md describes.

#' Shares of the verdicts where the laboratory itself is off.
#'
#' Each claim has an error of its own, the same in its five runs: each side's time is the true one
#' by exp(e), e normal with standard deviation `error`. The discrepancy is estimated from other
#' conditions, as [model_discrepancy()] does. `compare`: a > b, where a is truly `effect` times b;
#' `cell`: a published number that is `effect` times the true one.
#'
#' @param cases claims for each row. @param errors standard deviations, of logarithms.
#' @param held numbers of held-out conditions. @param effects factors. @param seed see
#'   [calibration()].
#' @return data.table `rule`, `error`, `held`, `effect`; shares `reproduced`, `contradicted`,
#'   `outside` (what the lab can decide), `other`; `wrong`: contradicted though true, or an order of
#'   two that are alike; `wrong_without`: the same as if there were no discrepancy.
model_calibration <- function(cases, errors = c(0.05, 0.18, 0.4), held = c(4L, 8L),
                              effects = c(1, 1.5, 3, 10), seed = 20190520L) {
  rows <- data.table::CJ(rule = c("cell", "compare"), error = errors, held = held,
                         effect = effects)
  keep_random_state({
    set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
    shares <- lapply(seq_len(nrow(rows)), function(i) {
      found <- vapply(seq_len(cases), function(case) {
        unlist(model_case(rows$rule[i], rows$error[i], rows$held[i], rows$effect[i]))
      }, character(2L))
      verdict <- factor(found[1L, ], c("reproduced", "contradicted", "outside", "other"))
      bad <- if (rows$effect[i] > 1 && rows$rule[i] == "cell") character() else
        c("contradicted", if (rows$effect[i] == 1 && rows$rule[i] == "compare") "reproduced")
      c(as.list(table(verdict) / cases),
        wrong = mean(found[1L, ] %in% bad), wrong_without = mean(found[2L, ] %in% bad))
    })
  })
  cbind(rows, data.table::rbindlist(shares))
}

#' One claim of [model_calibration()]: list(verdict with the discrepancy, without).
model_case <- function(rule, error, held, effect) {
  reach_of <- function(factor) {
    list(class = "times", scale = "ratio", n = held, reach = factor)
  }
  known <- reach_of(exp(error_reach(stats::rnorm(held, 0, error))))
  none <- reach_of(1)
  runs <- function(true) true * exp(stats::rnorm(1L, 0, error)) * (1 + stats::rnorm(5L, 0, 0.02))
  a <- runs(if (rule == "compare") 100 * effect else 100)
  decide <- if (rule == "compare") {
    b <- runs(100)
    interval <- runs_interval(a, b)
    function(reach) runs_side(interval, 1, 0.5, NA, reach, 2L, mean(b))
  } else {
    interval <- runs_interval(a)
    function(reach) cell_side(interval[["low"]], interval[["high"]], 100 * effect, 0.5, reach)
  }
  lapply(list(known, none), function(reach) {
    found <- decide(reach)
    if (nzchar(found$lacks)) "outside" else if (is_decided(found$side)) found$side else "other"
  })
}
