# The curves of KU Leuven's appendix (Figs 26 to 57, 61 to 63), which are Wireshark's: an IO graph
# of all traffic, and of the longest TCP conversation the round trip of each segment and the moving
# average of the throughput.

#' The curves of a capture.
#'
#' @param p packets table of all that was captured. @param ctx result of [measure_context()].
#' @param window of the moving average, s.
#' @return data.table `graph` ("traffic": frames in each second; "round trip", ms, at the time of
#'   the segment; "throughput", bit/s), `time_s` (since the first frame), `value`.
capture_graphs <- function(p, ctx, window = 1) {
  traffic <- p[, .(value = as.numeric(.N)), keyby = .(time_s = floor(time))]
  found <- if (protocol_table()[[ctx$protocol]]$persistent) stream_segments(ctx)
  stream <- if (!is.null(found)) {
    times <- found$data$time
    trips <- data.table::data.table(graph = "round trip", time_s = times,
                                    value = 1e3 * segment_delays(found$data, found$acks))
    rbind(trips[!is.na(value)],
          data.table::data.table(graph = "throughput", time_s = times,
                                 value = moving_throughput(found$data, window)))
  }
  rbind(traffic[, .(graph = "traffic", time_s, value)], stream)[
    , `:=`(time_s = round(time_s, 4L), value = round(value, 3L))]
}
