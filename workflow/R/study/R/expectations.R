# Expectations of a user who tries a client: metrics with limits, over the trials of several seeds.

#' Units in which a metric is measured -> the unit of limits of its kind, and its size in it; as
#' UNITS of hil/design/expectations.py. Other units are limits' own.
limit_units <- list(us = list("s", 1e-6), ms = list("s", 1e-3))

#' Compare the metrics of trials with expectations.
#'
#' @param expectations data.table `metric`, `operator` ("<=", ">=", "<", ">", "="), `limit`, `unit`
#'   of the limit ("" for the metric's own). @param folders of the bundles.
#' @return data.table, a row for each expectation and bundle, in this order: `expectation` (its
#'   row), `folder`, `seed` (the trial's repetition), `value` and `unit` as measured, `holds`,
#'   `reason` (why nothing was measured, else ""), `worst`: the row of its expectation that decides.
check_expectations <- function(expectations, folders) {
  measured <- lapply(folders, measure_tried, oracles = any(expectations$metric %in% oracle_names))
  rows <- lapply(seq_len(nrow(expectations)), function(i) {
    each <- data.table::rbindlist(lapply(measured, check_one, wanted = expectations[i]))
    each[, `:=`(expectation = i, worst = seq_len(.N) == which.min(margin))]
    each[, margin := NULL][]
  })
  out <- data.table::rbindlist(rows)
  data.table::setcolorder(out, "expectation")
  out[]
}

#' A bundle with its metrics; none where the trial did not go well, or where its capture cannot be
#' measured: `problem` says why.
#'
#' @param oracles whether [oracle_metrics()] are wanted.
measure_tried <- function(folder, oracles = FALSE) {
  bundle <- read_bundle(folder)
  oracles <- oracles || damages(bundle)
  tryCatch({
    capture <- trial_capture(bundle, oracles)
    metrics <- trial_metrics(bundle, capture)
    if (oracles) {
      found <- oracle_metrics(bundle, capture)
      metrics <- rbind(metrics[!metric %in% found$metric], found) # `malformed` is in both
    }
    list(bundle = bundle, capture = capture, metrics = metrics, problem = "")
  }, thinwire_input_error = function(e) {
    problem <- sub("; .*$", "", sub(paste0(folder, ": "), "", conditionMessage(e), fixed = TRUE))
    list(bundle = bundle, capture = NULL, metrics = metric_row("", 0, "", 0)[0L],
         problem = problem)
  })
}

#' One expectation and one trial.
#'
#' @param tried result of [measure_tried()]. @param wanted row of the expectations.
#' @return a row as of [check_expectations()], and `margin`: how far the value is on the good side
#'   of the limit, which orders the seeds; -Inf where nothing was measured.
check_one <- function(tried, wanted) {
  row <- tried$metrics[metric == wanted$metric]
  out <- data.table::data.table(folder = tried$bundle$folder,
                                seed = tried$bundle$trial$repetition, value = NA_real_, unit = "",
                                holds = FALSE, reason = "", margin = -Inf)
  if (nrow(row) == 0L) return(out[, reason := absence(wanted$metric, tried)][])
  gap <- in_unit_of_limit(row$value, row$unit, wanted) - wanted$limit
  good <- switch(wanted$operator, "<=" = gap <= 0, ">=" = gap >= 0, "<" = gap < 0, ">" = gap > 0,
                 "=" = gap == 0)
  ahead <- switch(wanted$operator, "<=" = , "<" = -gap, ">=" = , ">" = gap, "=" = -abs(gap))
  out[, `:=`(value = row$value, unit = row$unit, holds = good, margin = ahead)][]
}

#' A measured value in the unit of a limit.
in_unit_of_limit <- function(value, unit, wanted) {
  if (wanted$unit %in% c("", unit)) return(value)
  base <- limit_units[[unit]]
  if (is.null(base) || base[[1L]] != wanted$unit) {
    input_error("expect", paste0("a limit in ", wanted$unit, " does not fit the unit ", unit),
                "see docs/metrics.md", key = wanted$metric)
  }
  value * base[[2L]]
}

#' Why a trial has no value of a metric, in words.
absence <- function(name, tried) {
  bundle <- tried$bundle
  if (!went_well(bundle)) return(paste("the trial's outcome is", bundle$lab$outcome))
  if (nzchar(tried$problem)) return(tried$problem)
  if (identical(tried$capture, nothing_came)) return("no packet of the device was captured")
  if (name == "back_after_outage_s") return(no_recovery(bundle))
  if (name == "back_after_fault_s") return(no_return(bundle))
  if (isTRUE(tried$metrics[metric == "messages", value] == 0)) return("the device sent no message")
  needs <- c("^duplicates$" = "nothing logs what reaches a foreign server",
             "^(memory|board)_" = "the device's log has no line 'stat' with heap_free_min",
             "^rtt_" = "the device's log has no line 'acked' with rtt_us")
  if (!identical(bundle$trial$parameters$link, "air")) {
    needs <- c(needs, "^(air|charge|listen|radio|cell)" = "the trial has no 802.11 cell")
  }
  for (pattern in names(needs)) if (grepl(pattern, name)) return(needs[[pattern]])
  "the trial has no data for it (docs/metrics.md says what it needs)"
}

#' Why there is no time to come back after the last fault.
no_return <- function(bundle) {
  begun <- bundle$server$ev %in% "fault"
  if (!any(begun)) return("no fault has begun")
  if (!any(bundle$server$ev %in% "fault_over")) return("no fault was over")
  if (receives(bundle)) return("the device receives, and nothing logs when")
  "no message reached the server's application after the last fault"
}

#' Why there is no time to come back.
no_recovery <- function(bundle) {
  ends <- interruption_ends(bundle)
  begun <- any(bundle$server$ev %in% c("stopping", "outage"))
  if (length(ends) == 0L && begun) return("the trial ended before the interruption did")
  if (length(ends) == 0L) return("the trial has no interruption")
  if (receives(bundle)) return("the device receives, and nothing logs when")
  "no message reached the server's application after an interruption"
}
