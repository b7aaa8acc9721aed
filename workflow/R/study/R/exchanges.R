# Exchanges of closed loops with a library of other authors, by the device's clock: what passes
# inside the library's calls (docs/firmware.md; UFRN 2018, docs/studies/ufrn.md).

#' The medians of a trial with a library.
#'
#' @param bundle result of [read_bundle()].
#' @return data.table, a row for each payload: `image`, `protocol`, `role`, `payload_bytes`,
#'   `exchanges`; the medians in us of `publish_rtt` (from the call that publishes to the
#'   callback), `loop` (from the top of the loop that calls back), `yield` (what of `loop` the
#'   sketch waited) and `frames` (what the board needed before it for frames that had come in), and
#'   of the number of `yields` in the loop; `publish_rtt_p01_us` and `loop_sd_us`; `digest` of the
#'   firmware, 12 digits.
library_exchanges <- function(bundle) {
  trial <- bundle$trial
  role <- trial$parameters$role
  rows <- log_events(bundle$board, if (identical(role, "echo")) "received" else "acked")
  keys <- c("bytes", "publish_rtt_us", "loop_us", "yields", "yield_us", "frames_us")
  x <- data.table::as.data.table(lapply(stats::setNames(nm = keys), function(key) {
    as.numeric(log_values(rows, key))
  }))
  if (nrow(x) == 0L || all(is.na(x$loop_us))) {
    input_error(bundle$folder, "no exchange of a library", "run a closed loop with a library")
  }
  x[, .(image = trial$point$image, protocol = trial$parameters$protocol, role = role,
        exchanges = .N, publish_rtt_us = stats::median(publish_rtt_us, na.rm = TRUE),
        publish_rtt_p01_us = stats::quantile(publish_rtt_us, 0.01, na.rm = TRUE, names = FALSE),
        loop_us = stats::median(loop_us), loop_sd_us = stats::sd(loop_us),
        yields = stats::median(yields), yield_us = stats::median(yield_us),
        frames_us = stats::median(frames_us),
        firmware = substr(trial$firmware$sha256, 1L, 12L)), by = .(payload_bytes = bytes)][
    , .(image, protocol, role, payload_bytes, exchanges, publish_rtt_us, publish_rtt_p01_us, loop_us,
        loop_sd_us = round(loop_sd_us, 2), yields, yield_us, frames_us, firmware)]
}
