# Exchanges of closed loops with a library of other authors, by the device's clock: what passes
# inside the library's calls (docs/firmware.md; UFRN 2018, docs/studies/ufrn.md).

#' The times of an exchange in the board's log, us.
exchange_times <- c(publish_rtt = "publish_rtt_us", loop = "loop_us", yield = "yield_us",
                    frames = "frames_us")

#' Metrics of a trial with a library and one payload.
#'
#' `exchange_T_median_us` of each time T: `publish_rtt` from the library's call that publishes to
#' its callback, `loop` from the top of the sketch's loop that calls back to there, `yield` what of
#' it the sketch waited, `frames` what the board needed before it for frames that had come in;
#' `exchange_publish_rtt_p01_us`, `exchange_loop_sd_us`, and `exchange_yields_median`, the number of
#' waits.
#'
#' @param bundle result of [read_bundle()].
#' @return data.table `metric`, `value`, `unit`, `n` (exchanges).
library_exchanges <- function(bundle) {
  echo <- identical(bundle$trial$parameters$role, "echo")
  rows <- log_events(bundle$board, if (echo) "received" else "acked")
  read <- function(key) {
    x <- as.numeric(log_values(rows, key))
    x[!is.na(x)]
  }
  times <- lapply(exchange_times, read)
  if (length(times$loop) == 0L) {
    input_error(bundle$folder, "has no exchange of a library", "run a closed loop with a library")
  }
  n <- length(times$loop)
  data.table::rbindlist(list(
    metric_row(sprintf("exchange_%s_median_us", names(times)), vapply(times, stats::median, 0),
               "us", lengths(times)),
    metric_row("exchange_publish_rtt_p01_us", stats::quantile(times$publish_rtt, 0.01), "us",
               length(times$publish_rtt)),
    metric_row("exchange_loop_sd_us", tidy_number(signif(stats::sd(times$loop), 4L)), "us", n),
    metric_row("exchange_yields_median", stats::median(read("yields")), "1", n)))
}

#' The factors of such a trial that claims and tables select by.
#'
#' @param bundle result of [read_bundle()]. @param server name. @param measured_at text: the commit.
#' @return `factor`, `value` (text).
exchange_factors <- function(bundle, server, measured_at) {
  trial <- bundle$trial
  sums <- run_program("sha256sum", c("--", file.path(bundle$folder, "SHA256SUMS")), stdout = TRUE)
  known <- c(image = trial$point$image, server = server, protocol = trial$parameters$protocol,
             role = trial$parameters$role, payload_bytes = trial$parameters$payload_bytes,
             repetition = trial$repetition, outcome = bundle$lab$outcome,
             measured_at = measured_at,
             digest = sub(" .*", "", sums))
  data.table::data.table(factor = names(known), value = as.character(known))
}
