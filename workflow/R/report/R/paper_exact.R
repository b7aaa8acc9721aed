# How exact the laboratory is, for the paper: tables and numbers from the recorded pairs of
# laboratory and captures, which the verdicts use, too. So they do not depend on which captures a
# build has.

#' The pairs that verdicts use, see [fidelity_pairs()].
recorded_pairs <- function() {
  read_table(file.path(getOption("thinwire.workflow"), "..", recorded_fidelity),
             c("class", "condition", "state", "numbers", "recorded", "ours", "error", "counts"))
}

#' Numbers of the held-out times: `\\twFidelityHeldRms` and `Worst` (per cent), `Conditions`.
fidelity_numbers <- function(pairs = recorded_pairs()) {
  held <- pairs[state == "held out" & counts == TRUE & startsWith(class, "times of")]
  macro <- function(name, value) latex_macro(paste0("twFidelityHeld", name), value)
  c(macro("Conditions", nrow(held)),
    macro("Rms", latex_number(100 * sqrt(mean(held$error^2)))),
    macro("Worst", latex_number(100 * max(abs(held$error)))))
}

#' Table of the median times by state: held out first.
fidelity_table <- function(pairs = recorded_pairs()) {
  x <- pairs[counts == TRUE & startsWith(class, "times")]
  x <- x[order(match(state, c("held out", "partly fitted", "fitted")))]
  first <- !duplicated(x$state)
  per_cent <- function(v) latex_number(100 * v)
  cells <- cbind(ifelse(first, x$state, ""), latex_text(x$condition), latex_number(x$n),
                 latex_number(x$n_ours), latex_number(x$recorded, 1L), latex_number(x$ours, 1L),
                 sprintf("%s [%s, %s]", per_cent(x$error), per_cent(x$error_least),
                         per_cent(x$error_most)),
                 latex_number(x$distance, 2L), latex_text(fitted_words(x$numbers)))
  latex_table(cells, "@{}llrrrrrrL{0.27\\linewidth}@{}",
              c("state", "condition", "$n$", "$n$, lab", "median, ms", "lab, ms", "error, \\%",
                "distance", "fitted on it"), which(first)[-1L])
}

#' The fitted factors (see [twin_fits]) in words.
fit_words <- c(
  payload_bytes = "payload", processing_times = "processing times", mss = "segment size",
  sleep_fetch_ms = "time to fetch frames", sleep_idle_ms = "idle time until sleep",
  sleep_wake_pct = "beacons with a fetch", arrival_delay = "arrival delay",
  clock_ppm = "clock rate", overrun_us = "clients' timer", interval_ms = "interval",
  after_publish_ms = "clients' start", broker_in_flight = "broker's window",
  separate_ms = "time to the response", think_time = "think times",
  http_piece_ms = "time for a piece of the page")

#' @param numbers factors of a condition, separated by commas, as [fit_state()] names them.
fitted_words <- function(numbers) {
  vapply(strsplit(numbers, ", ", fixed = TRUE),
         function(x) paste(fit_words[x], collapse = ", "), "")
}

#' Table of the discrepancy by class of metric.
fidelity_classes <- function(pairs = recorded_pairs()) {
  x <- model_discrepancy(with_chip_pairs(pairs))
  ratio <- x$scale == "ratio"
  shown <- function(v) {
    ifelse(ratio, paste0(latex_number(100 * (exp(v) - 1)), "\\,\\%"),
           paste(latex_number(v, 1L), "points"))
  }
  cells <- cbind(latex_text(x$class), x$n, shown(x$rms),
                 ifelse(ratio, paste0(latex_number(100 * (x$worst - 1)), "\\,\\%"),
                        paste(latex_number(x$worst, 1L), "points")),
                 ifelse(ratio, paste("factor", latex_number(x$reach, 1L)),
                        paste(latex_number(x$reach, 1L), "points")))
  latex_table(cells, "@{}lrrrr@{}", c("class", "$n$", "error", "largest", "discrepancy"))
}
