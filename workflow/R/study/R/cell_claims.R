# Claims of one kind: a cell of a published table against repeated runs of ours.

#' How far bytes and packets may differ from the published ones, as a share: names, lengths of
#' identifiers and certificates that a source does not print. What differs by more has another
#' option than ours, which no run contradicts.
cell_bytes_tolerance <- 0.05

#' The widest interval with the discrepancy in it, largest by least, that reproduces a number: a
#' decade. A wider one would reproduce numbers of another order of magnitude.
cell_widest <- 10

#' The row of such a claim. Bytes and packets: reproduced if our interval lies within
#' [cell_bytes_tolerance] of the published value, else not reproduced. A published zero: ours must
#' lie within the equivalence margin. All others: the published value, as rounded, lies in our
#' interval with the discrepancy of the metric's class in it (reproduced) or outside (contradicted);
#' an interval wider than [cell_widest] decides nothing.
#'
#' @param claim list, see [claim_row()], with `rule$study` and `rule$metric`.
#' @param published number. @param unit text. @param runs result of [select_runs()].
#' @param margin of the metric, for a published zero. @param condition,assumption see
#'   [final_verdict()]. @param factors table, for what the trials have.
cell_row <- function(claim, published, unit, runs, margin, factors, condition = "",
                     assumption = "") {
  metric <- claim$rule$metric
  if (nrow(runs) == 0L) return(no_results(claim, metric))
  interval <- counted_interval(runs, NULL, metric)
  reach <- model_reach(metric, mean(runs$value))
  found <- cell_side(interval[["low"]], interval[["high"]], published, margin, reach)
  lacks <- lacks_of(claim, runs, factors = factors)
  if (!nzchar(lacks)) lacks <- found$lacks
  verdict <- final_verdict(found$side, nrow(runs), condition, assumption, lacks)
  claim_row(claim, claim_kinds[1L], short(published), short(mean(runs$value)), unit, nrow(runs),
            interval[["low"]], interval[["high"]], paste(metric, found$rule), verdict$verdict,
            verdict$reason, claim$rule$study, runs$trials)
}

#' The position of an interval by a published number, see [cell_row()].
#'
#' @param low,high limits. @param reach result of [model_reach()].
#' @return list(`side`, `lacks`: why the laboratory cannot decide it, `rule`: text).
cell_side <- function(low, high, published, margin, reach) {
  if (is.na(low)) return(list(side = "too few runs", lacks = "", rule = ""))
  if (reach$scale == "exact") {
    within <- max(abs(c(low, high) - published)) <=
      max(cell_bytes_tolerance * abs(published), if (published == 0) margin)
    return(list(side = if (within) "reproduced" else "not reproduced", lacks = "",
                rule = sprintf("within %s %%", short(100 * cell_bytes_tolerance))))
  }
  if (published == 0) {
    return(list(side = alike(low, high, margin), lacks = "",
                rule = paste("at most", short(margin))))
  }
  if (reach$scale == "none") {
    return(list(side = "not compared", lacks = discrepancy_reason(reach), rule = ""))
  }
  wide <- with_discrepancy(low, high, reach)
  rounding <- printed_unit(published) / 2
  inside <- published + rounding >= wide[1L] && published - rounding <= wide[2L]
  narrow <- wide[1L] > 0 && wide[2L] / wide[1L] <= cell_widest
  size <- if (reach$scale == "ratio") paste("a factor of", short(reach$reach)) else
    paste(short(reach$reach), "points")
  list(side = if (!inside) "contradicted" else if (narrow) "reproduced" else "not reproduced",
       lacks = if (inside && !narrow && reach$scale == "ratio") discrepancy_reason(reach) else "",
       rule = paste("within the lab's error,", size))
}
