# The study `matrix`: one row per mode and condition.

#' Mode and condition of each trial: `mode`, `protocol`, `payload` (bytes), `interval` (ms),
#' `loaded`. Input error if the trials differ in anything else.
matrix_trials <- function(factors) {
  wide <- add_modes(wide_factors(factors))
  check_shown(wide, c("mode", "payload_bytes", "interval_ms", "background_profile"), "matrix")
  wide[, .(study, trial, protocol, mode, payload = as.numeric(payload_bytes),
           interval = as.numeric(interval_ms), loaded = background_profile != "none")]
}

#' One row per mode and condition, repetitions pooled.
#'
#' Messages are pooled, so a share has one binomial interval; round trips are pooled, so their
#' median has one bootstrap interval; metrics that are means of a trial are averaged over the
#' trials.
#'
#' @param metrics,factors,samples tables of the study.
#' @return data.table `mode`, `protocol`, `payload`, `interval`, `loaded`, `runs`, `made`,
#'   `delivered`, `duplicates`, `rtt_n`, `rtt_median`, `rtt_low`, `rtt_high`, `rtt_p95` (ms), and a
#'   column for each of [matrix_means]; `*_half` for [matrix_spreads], see [half_interval()].
summarise_matrix <- function(metrics, factors, samples) {
  trials <- matrix_trials(factors)
  kind <- c("mode", "protocol", "payload", "interval", "loaded")
  wanted <- c("made", "delivered", "duplicates", "board_heap_peak_bytes",
              "board_stack_free_min_bytes", names(matrix_means))
  wide <- data.table::dcast(metrics[metric %in% wanted], study + trial ~ metric,
                            value.var = "value")
  for (name in setdiff(wanted, names(wide))) wide[, (name) := NA_real_]
  wide[, radio := charge_transmit_per_message_uc + charge_receive_per_message_uc]
  runs <- wide[trials, on = c("study", "trial")]
  counted <- runs[
    , c(list(runs = .N, made = sum(made), delivered = sum(delivered), duplicates = sum(duplicates),
             heap_peak = max(board_heap_peak_bytes),
             stack_free = min(board_stack_free_min_bytes), radio = mean(radio)),
        lapply(.SD, mean)), by = kind, .SDcols = names(matrix_means)]
  data.table::setnames(counted, names(matrix_means), unname(matrix_means))
  halves <- runs[, lapply(.SD, half_interval), by = kind, .SDcols = unname(matrix_spreads)]
  data.table::setnames(halves, unname(matrix_spreads), names(matrix_spreads))
  times <- samples[sample == "rtt_ms"][trials, on = c("study", "trial"), nomatch = NULL][
    , acknowledgement_row(value), by = kind]
  out <- merge(merge(counted, halves, by = kind), times, by = kind, all.x = TRUE)
  data.table::setorder(out, mode, payload, interval, loaded)
  out[]
}

#' Metrics that are averaged, and their names in the summary.
matrix_means <- c(
  bytes_per_message = "bytes", packets_per_message = "packets", goodput_bytes_per_s = "goodput",
  air_frames_per_message = "air_frames", air_bytes_per_message = "air_bytes",
  air_retries_per_message = "air_retries", airtime_per_message_us = "airtime",
  charge_transmit_per_message_uc = "transmit_uc", charge_receive_per_message_uc = "receive_uc",
  charge_listen_per_message_uc = "listen_uc", charge_per_message_uc = "charge",
  air_setup_bytes = "setup_bytes", charge_setup_uc = "setup_uc"
)

#' Metrics whose mean has an interval: `radio` is the charge of the frames.
matrix_spreads <- c(bytes_half = "bytes_per_message", air_bytes_half = "air_bytes_per_message",
                    radio_half = "radio", charge_half = "charge_per_message_uc")

#' Half of the mean's 95 % interval (Student); NA of fewer than three runs.
half_interval <- function(x) {
  if (length(x) < 3L) return(NA_real_)
  diff(student_interval(x)) / 2
}

#' Median of round trips with its bootstrap interval, and the 95th percentile.
acknowledgement_row <- function(x) {
  limits <- bootstrap_interval(x, statistic = median)
  list(rtt_n = length(x), rtt_median = median(x), rtt_low = limits[["low"]],
       rtt_high = limits[["high"]], rtt_p95 = quantile(x, 0.95, names = FALSE))
}

#' The rows that tables and text compare: 100 bytes, ten messages per second, an idle cell.
matrix_reference <- function(summary) summary[payload == 100 & interval == 100 & !loaded]
