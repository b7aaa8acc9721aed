# Compare two sides of runs (compare_side.R), of one study or recorded.
#
# Runs are compared condition by condition (the levels of a study's factors), by the rule of
# verdicts.R: each run gives one value of a metric, and the interval of the difference of the two
# means decides against the equivalence margin (workflow/equivalence_margins.yaml).
#
#   differs      the whole interval lies outside the equivalence margin
#   alike        the whole interval lies within it
#   undecided    anything else
#   too few runs fewer than five runs on a side
#
# A metric with samples also shows the distance of their distributions. It is descriptive only: the
# messages of one session are not an independent sample, so it gives no verdict.

#' The possible results of a comparison.
comparison_words <- c(contradicted = "differs", reproduced = "alike",
                      `not reproduced` = "undecided", `too few runs` = "too few runs")

#' Metrics whose values summarise a sample of [bundle_samples()] or [capture_samples()].
sampled_metrics <- c(
  rtt_median_ms = "rtt_ms", server_delivery_per_s_mean = "delivery_per_s",
  device_ack_rtt_mean_ms = "device_ack_rtt_ms", request_ack_mean_ms = "request_ack_ms",
  conversation_mean_ms = "conversation_ms"
)

#' Distance between two empirical distributions (Kolmogorov and Smirnov), 0 to 1.
#'
#' @param a,b numeric samples.
ks_distance <- function(a, b) {
  at <- c(a, b)
  max(abs(stats::ecdf(a)(at) - stats::ecdf(b)(at)))
}

#' Word for two sets of runs, and the interval of their difference, b less a.
#'
#' @param a,b values, one per run. @param entry of [equivalence_margins()].
compare_runs <- function(a, b, entry) {
  interval <- runs_interval(b, a)
  side <- if (isTRUE(entry$exact)) {
    if (abs(interval[["estimate"]]) < entry$margin) "reproduced" else "contradicted"
  } else if (min(length(a), length(b)) < least_runs) {
    "too few runs"
  } else {
    alike(interval[["low"]], interval[["high"]], entry$margin)
  }
  list(interval = interval, verdict = comparison_words[[side]])
}

#' A row for a metric under a condition; NULL where a side has no value of it.
compare_metric <- function(x, y, at, name, entry) {
  of <- function(side) side$metrics[condition == at & metric == name & !is.na(value), value]
  a <- of(x)
  b <- of(y)
  if (!length(a) || !length(b)) return(NULL)
  found <- compare_runs(a, b, entry)
  kind <- c(sampled_metrics[name], "")[1L]
  drawn <- function(side) side$samples[condition == at & sample == kind, value]
  sampled <- !is.na(kind) && length(drawn(x)) && length(drawn(y))
  data.table::data.table(
    condition = at, metric = name, unit = entry$unit, a = mean(a), b = mean(b),
    runs_a = length(a), runs_b = length(b), low = found$interval[["low"]],
    high = found$interval[["high"]], margin = entry$margin, verdict = found$verdict,
    distance = if (sampled) ks_distance(drawn(x), drawn(y)) else NA_real_)
}

#' Settings in which the runs of two sides differ: `factor`, `a`, `b`; none where one was recorded,
#' since a capture does not hold them.
compare_settings <- function(x, y) {
  texts <- function(side, name) {
    side$factors[factor != "repetition",
                 stats::setNames(list(paste(sort(unique(value)), collapse = " ")), name),
                 by = "factor"]
  }
  both <- merge(texts(x, "a"), texts(y, "b"), by = "factor", all = TRUE)
  if (is.na(x$study) || is.na(y$study)) return(both[0L])
  both[is.na(a) | is.na(b) | a != b]
}

#' Stop with an input error unless the captures of both sides have the same workload.
check_workloads <- function(x, y) {
  kinds <- lapply(list(x, y), function(side) unique(stats::na.omit(side$workloads)))
  if (all(lengths(kinds)) && !setequal(kinds[[1L]], kinds[[2L]])) {
    input_error(x$name, paste0("holds ", toString(kinds[[1L]]), "; ", y$name, " ",
                               toString(kinds[[2L]])),
                "compare one workload; --topic chooses among those of a capture")
  }
}

#' The factors in which conditions differ, as a text: "mode, qos".
#'
#' @param conditions results of [condition_text()].
factors_apart <- function(conditions) {
  apart <- unlist(strsplit(conditions_apart(conditions), " ", fixed = TRUE))
  toString(sort(unique(sub("=.*$", "", apart))))
}

#' Captures as runs of the one condition that the other side has.
#'
#' @param x result of [measure_side()]. @param other the other side's.
as_runs_of <- function(x, other) {
  if (!is.na(x$study) || is.na(other$study)) return(x)
  known <- unique(other$metrics$condition)
  if (length(known) > 1L) {
    input_error(other$name, paste("holds", length(known), "conditions, and a capture is of one"),
                paste("choose it by --point KEY=VALUE; they differ in", factors_apart(known)))
  }
  for (table in c("metrics", "samples")) {
    x[[table]] <- data.table::copy(x[[table]])[, condition := rep(known, .N)]
  }
  x
}

#' Compare two sides.
#'
#' @param x,y results of [measure_side()]. @param known metrics and their margins, see
#'   [equivalence_margins()].
#' @return list: `study`, NA where both were recorded; `rows`, see [compare_metric()], by condition;
#'   `settings`, see [compare_settings()]; `samples`, those of both with `side`; `only`, conditions
#'   of one side; `recorded`, what a side's captures hold, "" of bundles; `wrong`.
compare_sides <- function(x, y, known = equivalence_margins()) {
  study <- c(stats::na.omit(c(x$study, y$study)), NA_character_)[1L]
  settings <- compare_settings(x, y)
  x <- as_runs_of(x, y)
  y <- as_runs_of(y, x)
  conditions <- lapply(list(x, y), function(side) unique(side$metrics$condition))
  common <- sort(intersect(conditions[[1L]], conditions[[2L]]))
  if (!length(common)) {
    input_error(paste("study", study),
                paste("has no condition on both sides; they differ in",
                      factors_apart(unique(unlist(conditions)))),
                "compare bundles of the same condition, or two modes with --modes A B")
  }
  if (is.na(x$study) || is.na(y$study)) check_workloads(x, y)
  rows <- lapply(common, function(at) {
    lapply(names(known), function(name) compare_metric(x, y, at, name, known[[name]]))
  })
  rows <- data.table::rbindlist(unlist(rows, recursive = FALSE))
  if (!nrow(rows)) {
    input_error(paste(x$name, "and", y$name), "have no metric in common",
                "see in lab.json why trials went wrong")
  }
  samples <- rbind(cbind(side = "A", x$samples), cbind(side = "B", y$samples))
  recorded <- function(side) if (is.na(side$study)) toString(unique(side$workloads)) else ""
  list(study = study, rows = rows, settings = settings, samples = samples[condition %in% common],
       only = lapply(conditions, setdiff, common), recorded = c(recorded(x), recorded(y)),
       wrong = c(x$wrong, y$wrong))
}

#' A comparison as lines, for reading.
#'
#' @param found result of [compare_sides()]. @param names of the two sides.
comparison_lines <- function(found, names) {
  number <- function(x) ifelse(is.na(x), "", as.character(tidy_number(signif(x, 4L))))
  side <- c("A", "B")
  head <- c(sprintf("%s: %s", side, names),
            sprintf("%s: recorded, %s", side, found$recorded)[nzchar(found$recorded)],
            sprintf("%s: %d runs went wrong and enter nothing", side, found$wrong)[found$wrong > 0],
            unlist(lapply(1:2, function(i) sprintf("only in %s: %s", side[i], found$only[[i]]))),
            sprintf("%s: %s in A, %s in B", found$settings$factor, found$settings$a,
                    found$settings$b))
  rows <- found$rows
  body <- lapply(split(rows, rows$condition), function(x) {
    cells <- rbind(
      c("metric", "unit", "A", "B", "runs", "B - A", "margin", "distance", "verdict"),
      cbind(x$metric, x$unit, number(x$a), number(x$b), paste(x$runs_a, x$runs_b, sep = ", "),
            ifelse(is.na(x$low), "", sprintf("[%s, %s]", number(x$low), number(x$high))),
            number(x$margin), number(x$distance), x$verdict))
    width <- apply(cells, 2L, function(column) max(nchar(column)))
    c("", x$condition[1L], trimws(apply(cells, 1L, function(line) {
      paste(sprintf("%-*s", width, line), collapse = "  ")
    }), "right"))
  })
  c(head, unlist(body), "", comparison_summary(rows))
}

#' How many metrics differ, and which.
comparison_summary <- function(rows) {
  bad <- unique(rows[verdict == "differs", metric])
  counts <- rows[, .N, by = "verdict"]
  totals <- paste(counts$N, counts$verdict, collapse = ", ")
  if (!length(bad)) return(paste0("no metric differs (", totals, ")"))
  paste0("differs: ", paste(bad, collapse = ", "), " (", totals, ")")
}
