# Claims that our own runs decide: a metric against the same metric in another condition, or against
# a number.

#' The equivalence margins by metric: `margin`, `unit`, `reason`, and `exact` for what a compiler
#' gives and no run changes.
equivalence_margins <- function() {
  file <- file.path(getOption("thinwire.workflow"), "equivalence_margins.yaml")
  yaml::read_yaml(file)
}

#' The entry of one metric.
equivalence_margin <- function(metric) {
  found <- equivalence_margins()[[metric]]
  if (is.null(found)) {
    input_error("workflow/equivalence_margins.yaml", "has no equivalence margin",
                "add one with its reason", key = metric)
  }
  found
}

#' One value per run of the trials of a study that have the given factors.
#'
#' A run is a repetition: the mean of its trials, one for each combination of the open factors, so
#' that conditions do not count as a sample. Repetitions that lack a combination are excluded.
#'
#' @param wanted named list: factor = level or levels, of which "" also selects the trials that do
#'   not state the factor; NULL for all trials.
#' @return data.table `repetition`, `value`, and `trials` (their names); `of` (messages, or what
#'   else the metric counts) and `events` (of shares those that it counts, else the values' sum).
select_runs <- function(rule, wanted, metrics, factors) {
  values <- metrics[study == rule$study & metric == rule$metric, .(trial, value, n)]
  mine <- factors[study == rule$study]
  for (f in names(wanted)) {
    levels <- as.character(unlist(wanted[[f]]))
    stated <- mine[factor == f]
    values <- values[trial %in% stated[value %in% levels, trial] |
                       ("" %in% levels & !trial %in% stated$trial)]
  }
  number <- mine[factor == "repetition"]
  values[, repetition := number$value[match(trial, number$trial)]]
  values[is.na(repetition), repetition := "1"]
  share <- if (endsWith(rule$metric, "_pct")) values$n / 100 else 1
  values[, part := value * share]
  runs <- values[, .(value = mean(value), count = .N, trials = paste(sort(trial), collapse = " "),
                     of = sum(n), events = sum(part)), keyby = repetition]
  runs[count == max(c(0L, count))][, !"count"]
}

#' The row of a claim without runs: the reason names the study, the metric, and the factors
#' `wanted`.
no_results <- function(claim, text, wanted = NULL) {
  levels <- vapply(wanted, function(x) {
    paste(ifelse(nzchar(unlist(x)), unlist(x), "unstated"), collapse = " or ")
  }, "")
  where <- paste(names(wanted), levels, collapse = ", ")
  claim_row(claim, claim_kinds[1L], rule = text, verdict = "not testable", study = claim$rule$study,
            reason = paste0("not run in this build: no results of study '", claim$rule$study,
                            "' with ",
                            claim$rule$metric, if (nzchar(where)) paste(" where", where)))
}

#' What both rules about runs share: the row from the values of the runs.
#'
#' @param a,b results of [select_runs()]; `b` NULL for a bound. @param sign 1 where the source says
#'   that a is larger, 0 where it says that they are alike. @param shift number of the bound.
#'   @param sized see [side_of()]. @param factors table, for what the trials have.
runs_row <- function(claim, a, b, sign, shift, sized, published, text, factors) {
  metric <- claim$rule$metric
  entry <- equivalence_margin(metric)
  runs <- c(nrow(a), if (!is.null(b)) nrow(b))
  interval <- counted_interval(a, b, metric) - shift
  exact <- isTRUE(entry$exact)
  if (exact) {
    interval[] <- interval[["estimate"]]
    runs <- rep(least_runs, length(runs))
  }
  reach <- model_reach(metric, mean(c(a$value, b$value)))
  decided <- runs_side(interval, sign, entry$margin, sized, reach, length(runs),
                       if (is.null(b)) shift else mean(b$value))
  lacks <- lacks_of(claim, a, b, factors = factors)
  if (!nzchar(lacks)) lacks <- decided$lacks
  found <- final_verdict(decided$side, runs, text_or_empty(claim$condition),
                         text_or_empty(claim$assumption), lacks)
  ours <- if (is.null(b)) short(mean(a$value)) else
    sprintf("%s against %s", short(mean(a$value)), short(mean(b$value)))
  shown <- if (exact) c(NA, NA) else interval[c("low", "high")] + if (is.null(b)) shift else 0
  claim_row(claim, claim_kinds[1L], published, ours, entry$unit,
            if (exact) "exact" else runs,
            shown[1L], shown[2L], sprintf("%s; counts from %s %s on", text, short(entry$margin),
                                          entry$unit), found$verdict, found$reason,
            claim$rule$study, paste(c(a$trials, b$trials), collapse = " "))
}

#' The side that the runs decide for, and why the laboratory's error leaves it open.
#'
#' @param interval of [counted_interval()], less the number of a bound. @param sign,sized see
#'   [runs_row()]. @param margin the equivalence margin. @param reach result of [model_reach()].
#' @param sides,base see [with_discrepancy()].
#' @return list(`side`, `lacks`: empty where the laboratory's error cannot turn the side).
runs_side <- function(interval, sign, margin, sized, reach, sides, base) {
  decide <- function(low, high) {
    if (sign == 0) return(alike(low, high, margin))
    limits <- range(sign * c(low, high))
    side_of(limits[1L], limits[2L], margin, sized)
  }
  side <- decide(interval[["low"]], interval[["high"]])
  wide <- with_discrepancy(interval[["low"]], interval[["high"]], reach, sides, base)
  open <- is_decided(side) && decide(wide[1L], wide[2L]) != side
  list(side = side, lacks = if (open) discrepancy_reason(reach) else "")
}

#' What the trials of these runs lack of what the claim needs, as a reason; see [lacking()].
lacks_of <- function(claim, ..., factors) {
  trials <- unlist(lapply(list(...), function(runs) {
    strsplit(as.character(runs$trials), " ", fixed = TRUE)
  }))
  lacking_reason(lacking(unlist(claim$needs), claim$rule$study, trials, factors))
}

text_or_empty <- function(x) if (is.null(x)) "" else x

#' A metric against a number. With `==` the interval must lie within the equivalence margin of it.
decide_bound <- function(claim, metrics, factors) {
  rule <- claim$rule
  text <- paste(rule$metric, rule$expect, rule$value)
  a <- select_runs(rule, rule$a, metrics, factors)
  if (nrow(a) == 0L) return(no_results(claim, text, rule$a))
  sign <- switch(rule$expect, ">" = 1, "<" = -1, "==" = 0)
  published <- if (sign == 0) as.character(rule$value) else paste(rule$expect, rule$value)
  runs_row(claim, a, NULL, sign, rule$value, NA, published, text, factors)
}

#' Trials of one kind against trials of another. `times` multiplies a: a statement that names a
#' factor is reproduced in direction where only the order is right.
decide_compare <- function(claim, metrics, factors) {
  rule <- claim$rule
  times <- if (is.null(rule$times)) 1 else rule$times
  text <- paste0(rule$metric, ": ", if (times != 1) paste(times, "times "), "a ", rule$expect, " b")
  a <- select_runs(rule, rule$a, metrics, factors)
  b <- select_runs(rule, rule$b, metrics, factors)
  if (nrow(a) == 0L || nrow(b) == 0L) return(no_results(claim, text))
  sign <- switch(rule$expect, ">" = 1, "<" = -1, "==" = 0)
  sized <- NA
  if (times != 1) {
    whole <- range(sign * runs_interval(times * a$value, b$value)[c("low", "high")])
    sized <- isTRUE(whole[1L] > 0)
  }
  runs_row(claim, a, b, sign, 0, sized,
           paste0("a ", rule$expect, " b", if (times != 1) paste0(", ", times, " times")), text,
           factors)
}
