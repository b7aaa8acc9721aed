# Closed loops: a message out, its answer in, by the device's clock (docs/firmware.md; UFRN 2018).

#' The times of an exchange by the device's clock, and their keys in its log.
turn_quantities <- c(rtt = "rtt_us", call = "call_us", read = "read_us")

#' Bounds that UFRN names, ms: its two groups part at the first, section IV.B.
turn_bounds_ms <- c(`400us` = 0.4, `1ms` = 1, `2ms` = 2)

#' Is a trial a closed loop?
takes_turns <- function(parameters) {
  identical(parameters$pace, "answer") || identical(parameters$role, "echo")
}

#' Every exchange of a closed loop.
#'
#' @param bundle result of [read_bundle()].
#' @return data.table in the order of the log: `payload` (bytes of the question), and in ms `rtt`
#'   (from sending a message to receiving the peer's), `call` (passing a message to the network),
#'   `read` (reading the peer's message after its arrival); NA if the device had sent nothing
#'   before.
turn_table <- function(bundle) {
  event <- if (identical(bundle$trial$parameters$role, "echo")) "received" else "acked"
  rows <- log_events(bundle$board, event)
  times <- lapply(turn_quantities, function(key) as.numeric(log_values(rows, key)) / 1000)
  data.table::as.data.table(c(list(payload = as.numeric(log_values(rows, "bytes"))), times))
}

#' Metrics of a closed loop; NULL for another trial.
#'
#' For each quantity Q: `turn_Q_at_B_mean_ms`, `_sd_ms` and `_median_ms` of the payload of B bytes
#' (UFRN, Tables I to IV); of the payloads' means their mean and the largest,
#' `turn_Q_mean_ms` and `turn_Q_largest_mean_ms`; `turn_Q_growth_us_per_byte`, the slope of a
#' straight line through the medians. `turn_rtt_below_*_pct`: the share of all round trips below
#' each of [turn_bounds_ms].
#'
#' @param bundle result of [read_bundle()].
turn_metrics <- function(bundle) {
  if (!takes_turns(bundle$trial$parameters)) return(NULL)
  turns <- turn_table(bundle)
  rows <- lapply(names(turn_quantities), function(q) quantity_rows(turns, q))
  shares <- vapply(turn_bounds_ms, function(b) 100 * mean(turns$rtt < b, na.rm = TRUE), 0)
  data.table::rbindlist(c(rows, list(
    metric_row(sprintf("turn_rtt_below_%s_pct", names(turn_bounds_ms)), shares, "%",
               sum(!is.na(turns$rtt))))))
}

#' The metrics of one quantity, see [turn_metrics()].
quantity_rows <- function(turns, quantity) {
  each <- turns[!is.na(get(quantity)), .(mean = mean(get(quantity)), sd = sd(get(quantity)),
                                         median = median(get(quantity)), n = .N), by = payload]
  if (nrow(each) == 0L) return(NULL)
  name <- function(what) sprintf("turn_%s_at_%d_%s_ms", quantity, as.integer(each$payload), what)
  slope <- if (nrow(each) > 1L) {
    1000 * stats::cov(each$payload, each$median) / stats::var(each$payload)
  }
  data.table::rbindlist(list(
    metric_row(c(name("mean"), name("sd"), name("median")), c(each$mean, each$sd, each$median),
               "ms", rep(each$n, 3L)),
    metric_row(paste0("turn_", quantity, c("_mean_ms", "_largest_mean_ms")),
               c(mean(each$mean), max(each$mean)), "ms", sum(each$n)),
    if (!is.null(slope)) {
      metric_row(sprintf("turn_%s_growth_us_per_byte", quantity), slope, "us/byte", nrow(each))
    }))
}

#' Round trips in the order of their payloads and of the log, as samples `turn_rtt_at_B_ms`.
turn_samples <- function(bundle) {
  if (!takes_turns(bundle$trial$parameters)) return(NULL)
  turns <- turn_table(bundle)[!is.na(rtt)]
  turns[, .(sample = sprintf("turn_rtt_at_%d_ms", as.integer(payload)), value = rtt)]
}
