# Wireshark's TCP stream graphs, the source of two columns of KU Leuven's Fig. 25.
#
# The throughput graph has two vertical axes: the lengths of the segments on the left, the moving
# average of the throughput on the right. Each axis ends at its own largest value, so the curve's
# highest point is as high as the longest segment. The printed values are the height of the curve
# read on the left axis (Figs 28, 31, 34, 39, 42, 51, 54). This is not a throughput, but
#
#   median(moving average) / max(moving average) * longest segment, in bytes.

#' Segments with data in one direction of a conversation, and the acknowledgements against them.
#'
#' @param ctx result of [measure_context()]. @param to_device direction of the data.
#' @return list(`data`, `acks`) of the conversation with most packets; NULL where there is none.
stream_segments <- function(ctx, to_device = TRUE) {
  if (ctx$transport != "tcp" || nrow(ctx$service) == 0L) return(NULL)
  s <- ctx$service[stream == most_common(stream)][order(time)]
  forward <- (s$dst == ctx$device) == to_device
  data <- s[forward & payload > 0L]
  if (nrow(data) == 0L) return(NULL)
  list(data = data, acks = s[!forward & !is.na(tcp_ack) & !syn])
}

#' Moving average of a conversation's throughput at each of its segments, bit/s.
#'
#' @param data segments with `time` (s) and `payload` (bytes). @param window s.
moving_throughput <- function(data, window) {
  before <- c(0, cumsum(as.numeric(data$payload)))
  first <- findInterval(data$time - window, data$time)
  8 * (before[findInterval(data$time, data$time) + 1L] - before[first + 1L]) / window
}

#' The device's conversation as the stream graphs show it, with both windows that KU Leuven used.
#'
#' `stream_throughput_*_bps`: the moving average, right axis. `stream_misread_*_bytes`: its plateau
#' on the left axis, see the head of this file. `device_ack_gap_*_ms`: from one TCP acknowledgement
#' of the device to the next in a conversation, KU Leuven's own words for its round trip (Fig. 15).
#'
#' @param ctx result of [measure_context()].
#' @return metrics; none where the workload keeps no TCP conversation with data to the device.
stream_metrics <- function(ctx) {
  found <- if (protocol_table()[[ctx$protocol]]$persistent) stream_segments(ctx)
  if (is.null(found)) return(NULL)
  n <- nrow(found$data)
  longest <- max(found$data$payload)
  rows <- lapply(c(1, 5), function(window) {
    average <- moving_throughput(found$data, window)
    name <- function(what) sprintf("stream_%s", sprintf(what, window))
    list(metric_row(name("throughput_%gs_median_bps"), median(average), "bit/s", n),
         metric_row(name("throughput_%gs_max_bps"), max(average), "bit/s", n),
         metric_row(name("misread_%gs_bytes"), median(average) / max(average) * longest, "bytes",
                    n))
  })
  gaps <- diff(found$acks$time) * 1e3
  data.table::rbindlist(c(
    unlist(rows, recursive = FALSE),
    list(metric_row("stream_segment_max_bytes", longest, "bytes", n)),
    if (length(gaps)) {
      list(metric_row(c("device_ack_gap_median_ms", "device_ack_gap_mean_ms"),
                      c(median(gaps), mean(gaps)), "ms", length(gaps)))
    }
  ))
}

#' Most conversations of which each is a metric.
listed_conversations <- 20L

#' Packets of each TCP conversation of a capture, whoever it is between, as Wireshark's list of
#' conversations has them (KU Leuven, Fig. 44): metrics `conversation_packets ADDRESS PORT - ADDRESS
#' PORT`; none where there are more than twenty.
#'
#' @param p packets table.
conversation_packets <- function(p) {
  ends <- p[transport == "tcp", .(from = paste(src[1L], sport[1L]), to = paste(dst[1L], dport[1L]),
                                  packets = .N), by = stream]
  if (nrow(ends) == 0L || nrow(ends) > listed_conversations) return(NULL)
  metric_row(paste("conversation_packets", conversation_name(ends$from, ends$to)), ends$packets,
             "packets", 1)
}

#' Name of a conversation, the same from either end.
conversation_name <- function(a, b) paste(pmin(a, b), "-", pmax(a, b))

#' Wireshark's TCP stream graphs of the longest conversation, each direction: a round trip for every
#' segment (to the first acknowledgement that covers it), the length of segments, and the moving
#' average of throughput over 1 s; mean, median and maximum of each.
#'
#' @return list of named lists `times` (ms), `bytes`.
stream_graphs <- function(ctx) {
  out <- list(times = list(), bytes = list())
  for (way in c("to", "from")) {
    found <- stream_segments(ctx, way == "to")
    if (is.null(found)) next
    recent <- moving_throughput(found$data, 1) / 8
    round_trips <- segment_times(found$data, found$acks) * 1e3
    for (average in c("mean", "median", "max")) {
      name <- function(x) paste("stream", way, x, average, sep = "_")
      out$times[[name("rtt")]] <- match.fun(average)(round_trips)
      out$bytes[[name("segment")]] <- match.fun(average)(found$data$payload)
      out$bytes[[name("moving_1s")]] <- match.fun(average)(recent)
    }
  }
  out
}

#' Seconds from each segment to the first acknowledgement that covers it, where there is one.
segment_times <- function(data, acks) {
  times <- segment_delays(data, acks)
  times[!is.na(times)]
}

#' The same of all segments; NA where there is no such acknowledgement.
segment_delays <- function(data, acks) {
  vapply(seq_len(nrow(data)), function(i) {
    end <- data$tcp_seq[i] + data$tcp_len[i]
    covers <- acks$time >= data$time[i] & ((acks$tcp_ack - end + 2^31) %% 2^32) >= 2^31
    c(acks$time[covers], NA)[1L] - data$time[i]
  }, 0)
}
