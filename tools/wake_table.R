#!/usr/bin/env Rscript
# wake_table.R --metrics METRICS.csv --factors FACTORS.csv
# The phases of a wake-up as CSV: a row for each condition of a study, with the mean time of each
# phase, and of the whole wake-up time, frames, bytes, charge and the join's share of it.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
top <- file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "..") # ~+~: a blank
source(file.path(top, "workflow", "scripts", "thinwire.R"))

#' The factors that say how a device wakes, with their values where a trial does not state them.
asked <- c(mode = "", join = "none", scan_type = "active", beacon_interval_tu = "100",
           wifi_security = "open", address_assignment = "static", name_resolution = "none",
           clock_sync = "none", security = "none", resume = "0")

#' The mean over a condition's repetitions, as text with so many digits; empty where it has none.
mean_text <- function(x, digits) {
  x <- x[!is.na(x)]
  if (length(x)) formatC(mean(x), format = "f", digits = digits, big.mark = "") else ""
}

run_main("study", function(arguments) {
  options <- parse_options(arguments, c("metrics", "factors"))
  metrics <- read_table(options$metrics, c("trial", "metric", "value"))
  known <- read_factors(options$factors)
  if (!"wake_mean_ms" %in% metrics$metric) {
    input_error(options$metrics, "has no wake-up into a cell", "run the study 'wake'")
  }
  wide <- data.table::dcast(known[factor %in% names(asked)], trial ~ factor)
  for (name in names(asked)) {
    if (!name %in% names(wide)) wide[, (name) := asked[[name]]]
    wide[is.na(get(name)), (name) := asked[[name]]]
  }
  wide <- wide[trial %in% metrics[metric == "wake_mean_ms", trial]]
  wide[, resume := data.table::fcase(security == "none", "", resume == "1", "kept",
                                     default = "forgotten")]
  values <- data.table::dcast(metrics[grepl("^wake_", metric)], trial ~ metric)[wide, on = "trial"]
  of <- function(name) if (name %in% names(values)) values[[name]] else rep(NA_real_, nrow(values))
  phases <- setdiff(names(wake_phase_ends), c("start", "message"))
  rows <- values[, {
    here <- .I
    times <- lapply(phases, function(name) {
      mean_text(of(sprintf("wake_%s_mean_ms", name))[here], 1L)
    })
    names(times) <- paste0(sub("_", "-", phases, fixed = TRUE), ", ms")
    share <- 100 * (of("wake_scan_charge_least_uc")[here] + of("wake_join_charge_least_uc")[here]) /
      of("wake_charge_least_uc")[here]
    c(times, list(
      `whole, ms` = mean_text(of("wake_mean_ms")[here], 0L),
      frames = mean_text(of("wake_frames")[here], 0L),
      bytes = mean_text(of("wake_bytes")[here], 0L),
      `charge, uC` = paste(mean_text(of("wake_charge_least_uc")[here], 0L), "to",
                           mean_text(of("wake_charge_greatest_uc")[here], 0L)),
      `scan and join, %` = mean_text(share, 0L)))
  }, keyby = c(names(asked))]
  varied <- names(asked)[vapply(names(asked), function(n) data.table::uniqueN(rows[[n]]) > 1L, NA)]
  rows[, setdiff(names(asked), varied) := NULL]
  data.table::setnames(rows, "resume", "TLS session", skip_absent = TRUE)
  data.table::setnames(rows, gsub("_", " ", names(rows), fixed = TRUE))
  writeLines(csv_lines(rows))
})
