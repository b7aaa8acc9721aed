# Bundles of one study from two places side by side: do they measure the same?
#
# Runs are compared condition by condition (the levels of a study's factors), by the rule of
# verdicts.R: each run gives one value of a metric, and the interval of the difference of the two
# means decides against the least difference that counts (workflow/least_differences.yaml).
#
#   differs      the whole interval lies outside the least difference
#   alike        the whole interval lies within it
#   undecided    anything else
#   too few runs fewer than five runs on a side
#
# Beside a metric that has samples stands the distance of their distributions. It describes: the
# messages of one session are no independent sample, so no verdict comes from it.

#' What a comparison can say.
comparison_words <- c(contradicted = "differs", reproduced = "alike",
                      `not reproduced` = "undecided", `too few runs` = "too few runs")

#' Metrics whose values summarise a sample of [bundle_samples()].
sampled_metrics <- c(rtt_median_ms = "rtt_ms", server_delivery_per_s_mean = "delivery_per_s")

#' Distance between two empirical distributions (Kolmogorov and Smirnov), 0 to 1.
#'
#' @param a,b numeric samples.
ks_distance <- function(a, b) {
  at <- c(a, b)
  max(abs(stats::ecdf(a)(at) - stats::ecdf(b)(at)))
}

#' The levels of a trial's factors as text; "-" where the study has none.
condition_text <- function(trial) {
  point <- trial$point[order(names(trial$point))]
  if (!length(point)) return("-")
  plain <- function(x) paste(if (is.logical(x)) as.integer(x) else x, collapse = ",")
  paste0(names(point), "=", vapply(point, plain, ""), collapse = " ")
}

#' Measure all bundles below a folder.
#'
#' @param top a folder of bundles, or one bundle.
#' @return list: `study`, tables `metrics`, `samples` and `factors`, each with `condition` and
#'   `run`, and `wrong`, the number of runs that did not go well and enter nothing.
measure_side <- function(top) {
  files <- list.files(top, "^trial[.]json$", recursive = TRUE, full.names = TRUE)
  if (!length(files)) {
    input_error(top, "holds no bundles", "give a folder of them, such as data/raw/STUDY")
  }
  bundles <- lapply(dirname(sort(files)), read_bundle)
  study <- unique(vapply(bundles, function(bundle) bundle$trial$study, ""))
  if (length(study) > 1L) {
    input_error(top, paste("holds bundles of the studies", paste(study, collapse = ", ")),
                "give the folder of one")
  }
  parts <- lapply(bundles, function(bundle) {
    capture <- trial_capture(bundle)
    label <- function(table) {
      cbind(condition = rep(condition_text(bundle$trial), nrow(table)),
            run = rep(bundle$folder, nrow(table)), table)
    }
    list(metrics = label(trial_metrics(bundle, capture)),
         samples = label(bundle_samples(bundle, capture)), factors = label(trial_factors(bundle)))
  })
  table <- function(name) data.table::rbindlist(lapply(parts, `[[`, name))
  list(study = study, wrong = sum(!vapply(bundles, went_well, NA)), metrics = table("metrics"),
       samples = table("samples"), factors = table("factors"))
}

#' Word for two sets of runs, and the interval of their difference, b less a.
#'
#' @param a,b values, one per run. @param entry of [least_differences()].
compare_runs <- function(a, b, entry) {
  interval <- runs_interval(b, a)
  side <- if (isTRUE(entry$exact)) {
    if (abs(interval[["estimate"]]) < entry$least) "reproduced" else "contradicted"
  } else if (min(length(a), length(b)) < least_runs) {
    "too few runs"
  } else {
    alike(interval[["low"]], interval[["high"]], entry$least)
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
    high = found$interval[["high"]], least = entry$least, verdict = found$verdict,
    distance = if (sampled) ks_distance(drawn(x), drawn(y)) else NA_real_)
}

#' Settings in which the runs of two sides differ: `factor`, `a`, `b`.
compare_settings <- function(x, y) {
  texts <- function(side, name) {
    side$factors[factor != "repetition",
                 stats::setNames(list(paste(sort(unique(value)), collapse = " ")), name),
                 by = "factor"]
  }
  both <- merge(texts(x, "a"), texts(y, "b"), by = "factor", all = TRUE)
  both[is.na(a) | is.na(b) | a != b]
}

#' Compare two sides.
#'
#' @param x,y results of [measure_side()].
#' @return list: `study`; `rows`, see [compare_metric()], by condition; `settings`, see
#'   [compare_settings()]; `samples`, those of both with `side`; `only`, conditions of one side.
compare_sides <- function(x, y) {
  if (x$study != y$study) {
    input_error(paste(x$study, "and", y$study), "are two studies", "compare bundles of one")
  }
  conditions <- lapply(list(x, y), function(side) unique(side$metrics$condition))
  common <- sort(intersect(conditions[[1L]], conditions[[2L]]))
  if (!length(common)) {
    input_error(paste("study", x$study), "has no condition on both sides",
                "compare bundles of the same profile")
  }
  known <- least_differences()
  rows <- lapply(common, function(at) {
    lapply(names(known), function(name) compare_metric(x, y, at, name, known[[name]]))
  })
  rows <- data.table::rbindlist(unlist(rows, recursive = FALSE))
  if (!nrow(rows)) {
    input_error(paste("study", x$study), "has no metric on both sides",
                "see in lab.json why its trials went wrong")
  }
  samples <- rbind(cbind(side = "A", x$samples), cbind(side = "B", y$samples))
  list(study = x$study, rows = rows,
       settings = compare_settings(x, y), samples = samples[condition %in% common],
       only = lapply(conditions, setdiff, common), wrong = c(x$wrong, y$wrong))
}

#' A comparison as lines, for reading.
#'
#' @param found result of [compare_sides()]. @param names of the two sides.
comparison_lines <- function(found, names) {
  number <- function(x) ifelse(is.na(x), "", as.character(tidy_number(signif(x, 4L))))
  side <- c("A", "B")
  head <- c(sprintf("%s: %s", side, names),
            sprintf("%s: %d runs went wrong and enter nothing", side, found$wrong)[found$wrong > 0],
            unlist(lapply(1:2, function(i) sprintf("only in %s: %s", side[i], found$only[[i]]))),
            sprintf("%s: %s in A, %s in B", found$settings$factor, found$settings$a,
                    found$settings$b))
  rows <- found$rows
  body <- lapply(split(rows, rows$condition), function(x) {
    cells <- rbind(
      c("metric", "unit", "A", "B", "runs", "B - A", "least", "distance", "verdict"),
      cbind(x$metric, x$unit, number(x$a), number(x$b), paste(x$runs_a, x$runs_b, sep = ", "),
            ifelse(is.na(x$low), "", sprintf("[%s, %s]", number(x$low), number(x$high))),
            number(x$least), number(x$distance), x$verdict))
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
  told <- paste(counts$N, counts$verdict, collapse = ", ")
  if (!length(bad)) return(paste0("no metric differs (", told, ")"))
  paste0("differs: ", paste(bad, collapse = ", "), " (", told, ")")
}
