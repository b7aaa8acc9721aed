# The rule by which every claim about repeated runs is decided, in one place (docs/claims.md).
#
# A run (a trial, or a simulation with its own seed) gives one value, whatever its contents:
# messages of one session are not an independent sample. From five runs on their mean has a 99.5 %
# interval of Student's t distribution, a difference of two means that of Welch; losses, repetitions
# and counts have at least the exact interval over all messages. A difference matters from the
# equivalence margin on (equivalence_margins.yaml). Then a statement is
#
#   reproduced               the whole interval lies on its side, beyond the equivalence margin
#   reproduced in direction  likewise, but ours does not have the size that the statement names
#   contradicted             the whole interval lies on the other side, beyond the same margin
#   not reproduced           anything else; ties and noise are no contradiction
#
# and instead of these
#
#   too few runs             fewer than five runs
#   another condition        our runs differ from the source's in what the statement depends on
#   outside what the lab can decide
#                            the trials lack what the statement needs (abilities.R), or the
#                            laboratory's own error could turn the side (discrepancy.R)
#   decided by an assumption a parameter that the source does not give turns the verdict
#   not testable             nothing here was run that could decide it
#
# A number of a published table is judged by cell_claims.R.

#' All verdicts, in the order in which they are counted.
verdict_names <- c("reproduced", "reproduced in direction", "not reproduced", "contradicted",
                   "decided by an assumption", "outside what the lab can decide",
                   "another condition", "too few runs", "not testable")

#' The basis of a claim's verdict: runs of our own, a new measurement of an author's capture, or the
#' source's numbers against each other or against physics. They are counted separately.
claim_kinds <- c("repetition", "capture read again", "consistency")

#' Fewest runs that give a verdict.
least_runs <- 5L

#' Confidence of a verdict's interval. With 95 %, a skewed quantity of five runs would give a false
#' verdict in up to one of six cases; see tools/calibrate.R.
verdict_level <- 0.995

#' Interval of a mean, or of the difference of two, of independent runs.
#'
#' @param a values, one per run. @param b values of the others; NULL: the mean of `a` alone.
#' @return c(estimate, low, high); limits NA for fewer than two runs on a side.
runs_interval <- function(a, b = NULL) {
  error <- function(x) stats::var(x) / length(x)
  estimate <- mean(a) - if (is.null(b)) 0 else mean(b)
  if (length(a) < 2L || (!is.null(b) && length(b) < 2L)) {
    return(c(estimate = estimate, low = NA_real_, high = NA_real_))
  }
  parts <- c(error(a), if (!is.null(b)) error(b))
  freedom <- sum(parts)^2 / sum(parts^2 / (c(length(a), if (!is.null(b)) length(b)) - 1))
  half <- if (sum(parts) > 0) {
    stats::qt((1 + verdict_level) / 2, freedom) * sqrt(sum(parts))
  } else {
    0
  }
  c(estimate = estimate, low = estimate - half, high = estimate + half)
}

#' The interval of what a claim compares: that of the runs, and for counts and shares at least the
#' exact one over all messages. A deterministic laboratory gives equal runs, whose spread says
#' nothing: no loss in five runs of 50 messages may still be one in a hundred.
#'
#' The exact interval of a difference adds the distances of the limits by squares (Newcombe,
#' Statistics in Medicine 17, 1998, method 10).
#'
#' @param a,b results of [select_runs()]; `b` NULL: of `a` alone. @param metric name.
#' @return c(estimate, low, high).
counted_interval <- function(a, b, metric) {
  out <- runs_interval(a$value, b$value)
  x <- exact_limits(a, metric)
  if (!is.null(b)) {
    y <- exact_limits(b, metric)
    mean_a <- mean(a$value)
    mean_b <- mean(b$value)
    x <- out[["estimate"]] + c(-sqrt((mean_a - x[1L])^2 + (y[2L] - mean_b)^2),
                               sqrt((x[2L] - mean_a)^2 + (mean_b - y[1L])^2))
  }
  if (anyNA(x) || anyNA(out)) return(out)
  out[c("low", "high")] <- c(min(out[["low"]], x[1L]), max(out[["high"]], x[2L]))
  out
}

#' Does a side decide for or against the statement?
is_decided <- function(side) {
  side %in% c("reproduced", "reproduced in direction", "contradicted")
}

#' Verdict from an interval whose positive side supports the source.
#'
#' @param low,high limits. @param margin the equivalence margin.
#' @param sized does it have the size that the statement names? NA where it names none.
side_of <- function(low, high, margin, sized = NA) {
  if (is.na(low) || is.na(high)) return("too few runs")
  if (low >= margin && low > 0) {
    return(if (isFALSE(sized)) "reproduced in direction" else "reproduced")
  }
  if (high <= -margin && high < 0) "contradicted" else "not reproduced"
}

#' Verdict of a statement that two things are alike: reproduced where the whole interval of their
#' difference lies within the equivalence margin, contradicted where it lies outside (two one-sided
#' tests: Schuirmann, 1987).
#'
#' @param low,high limits of the difference. @param within the equivalence margin.
alike <- function(low, high, within) {
  if (is.na(low) || is.na(high)) return("too few runs")
  if (low >= -within && high <= within) return("reproduced")
  if (low > within || high < -within) "contradicted" else "not reproduced"
}

#' The verdict of a claim about runs, see the head of this file.
#'
#' @param side result of [side_of()]. @param runs number of runs, of each side.
#' @param condition,assumption,lacks texts; empty where the condition is the source's, where nothing
#'   was assumed, where the trials have what the statement needs ([lacking_reason()]) and the
#'   laboratory's error cannot turn the side ([discrepancy_reason()]).
#' @return list(`verdict`, `reason`).
final_verdict <- function(side, runs, condition = "", assumption = "", lacks = "") {
  if (min(runs) < least_runs) {
    return(list(verdict = "too few runs", reason = condition))
  }
  if (nzchar(condition)) {
    return(list(verdict = "another condition", reason = paste0(condition, "; there: ", side)))
  }
  if (nzchar(lacks)) {
    return(list(verdict = "outside what the lab can decide",
                reason = paste0(lacks, "; there: ", side)))
  }
  if (nzchar(assumption)) {
    return(list(verdict = "decided by an assumption",
                reason = paste0(assumption, "; as it is: ", side)))
  }
  list(verdict = side, reason = "")
}
