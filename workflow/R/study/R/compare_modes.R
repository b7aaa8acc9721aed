# Compare two modes of one study, from the tables of its results. The trials of a mode are a side of
# [compare_sides()]: condition by condition, by the same rule.

#' The metrics of `thinwire compare --modes` that are printed without `--all`; those without an
#' equivalence margin differ where the interval of their difference excludes zero.
mode_metrics <- c(
  "delivered_of_made_pct", "rtt_median_ms", "bytes_per_message", "exchange_bytes_per_message",
  "packets_per_message", "airtime_per_message_us", "charge_per_message_uc", "board_heap_peak_bytes"
)

#' Factors that belong to a mode, or to a run: they are no condition.
mode_factors <- function() {
  modes <- unlist(lapply(protocol_table(), function(row) lapply(row$modes, names)))
  unique(c("mode", "protocol", "peer", setdiff(modes, "label"), trial_facts))
}

#' The condition of each trial: the levels of the factors in which trials of the study differ.
#'
#' @param factors long table of one study.
#' @return data.table `trial`, `condition`.
mode_conditions <- function(factors) {
  known <- factors[!factor %in% mode_factors()]
  levels <- known[, .(n = data.table::uniqueN(value)), by = "factor"]
  varies <- levels$factor[levels$n > 1L]
  known <- known[factor %in% varies][order(factor)]
  texts <- known[, .(condition = paste0(factor, "=", value, collapse = " ")), by = "trial"]
  out <- unique(factors[, "trial"])
  texts[out, on = "trial"][is.na(condition), condition := "-"][]
}

#' Stop unless a mode has trials among those of the study.
check_mode <- function(name, known, study) {
  if (name %in% known) return(invisible(NULL))
  input_error(paste0("--modes: ", name), paste("has no trial in study", study),
              paste("it has", paste(sort(known), collapse = ", ")))
}

#' A mode's trials as a side, see [measure_side()].
#'
#' @param name of the mode. @param results of one study, see [read_results()].
#' @param conditions result of [mode_conditions()].
mode_side <- function(name, results, conditions) {
  trials <- results$factors[factor == "mode" & value == name, trial]
  of <- function(table) conditions[table[trial %in% trials], on = "trial", nomatch = NULL]
  list(name = name, study = results$study, metrics = of(results$metrics),
       samples = of(results$samples)[, .(condition, sample, value)],
       factors = results$factors[0L], workloads = NA_character_,
       wrong = sum(!results$outcomes$ok & results$outcomes$trial %in% trials))
}

#' Compare two modes of a study.
#'
#' @param results of one study, see [read_results()]. @param modes two names.
#' @param point only trials with these levels: words `KEY=VALUE`.
#' @param everything all metrics with an equivalence margin, and [mode_metrics].
#' @return as [compare_sides()].
compare_modes <- function(results, modes, point = character(), everything = FALSE) {
  results$study <- results$factors$study[1L]
  for (word in point) {
    key <- sub("=.*$", "", word)
    wanted <- results$factors[factor == key & value == sub("^[^=]*=", "", word), trial]
    if (!length(wanted)) {
      levels <- sort(unique(results$factors[factor == key, value]))
      input_error(paste0("--point: ", word), paste("no trial of study", results$study),
                  if (length(levels)) paste("it has", toString(levels)) else "name a factor")
    }
    results$factors <- results$factors[trial %in% wanted]
  }
  known <- unique(results$factors[factor == "mode", value])
  for (mode in modes) check_mode(mode, known, results$study)
  conditions <- mode_conditions(results$factors)
  sides <- lapply(modes, mode_side, results, conditions)
  margins <- equivalence_margins()
  units <- unique(results$metrics[, .(metric, unit)])
  for (name in setdiff(mode_metrics, names(margins))) {
    unit <- stats::na.omit(as.character(units[metric == name, unit]))
    margins[[name]] <- list(margin = 0, unit = c(unit, "")[1L])
  }
  compare_sides(sides[[1L]], sides[[2L]], if (everything) margins else margins[mode_metrics])
}
