# Claims of one kind: a cell of a published table against repeated runs of ours.

#' The factor by which a cell of ours may differ from the published one: another laboratory, another
#' library, another server.
cell_factor <- 2

#' The row of such a claim: the interval of ours lies within [cell_factor] of the published value
#' (reproduced), beyond (contradicted), or across (not reproduced). For a published zero a factor is
#' meaningless: ours must lie within the equivalence margin.
#'
#' @param claim list, see [claim_row()], with `rule$study` and `rule$metric`.
#' @param published number. @param unit text. @param runs result of [select_runs()].
#' @param margin of the metric, for a published zero. @param condition,assumption see
#'   [final_verdict()]. @param factors table, for what the trials have.
cell_row <- function(claim, published, unit, runs, margin, factors, condition = "",
                     assumption = "") {
  text <- if (published == 0) sprintf("%s at most %s", claim$rule$metric, short(margin)) else
    paste(claim$rule$metric, "within a factor of", cell_factor)
  if (nrow(runs) == 0L) return(no_results(claim, text))
  interval <- runs_interval(runs$value)
  low <- interval[["low"]]
  high <- interval[["high"]]
  side <- if (published == 0) alike(low, high, margin) else factor_side(low, high, published)
  found <- final_verdict(side, nrow(runs), condition, assumption,
                         lacks_of(claim, runs, factors = factors))
  claim_row(claim, claim_kinds[1L], short(published), short(mean(runs$value)), unit, nrow(runs),
            low, high, text, found$verdict, found$reason, claim$rule$study, runs$trials)
}

#' The position of an interval by [cell_factor].
factor_side <- function(low, high, published) {
  if (is.na(low)) return("too few runs")
  if (low >= published / cell_factor && high <= published * cell_factor) return("reproduced")
  if (high < published / cell_factor || low > published * cell_factor) return("contradicted")
  "not reproduced"
}
