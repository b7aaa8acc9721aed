# What UFES's programs count in each second of a capture, and the frames of its longest silence.

#' Times of the frames that hold new messages of a device that publishes over a stream, s.
#'
#' UFES's program reads tshark's JSON. Where a segment holds several PUBLISH, the JSON has their key
#' several times, and Python's json keeps the last: a frame counts as one message
#' (teste_monitoramento_tempo_quase_real/MQTT/get_info.py, commit ebe93ca).
#'
#' @param ctx result of [measure_context()].
message_frame_times <- function(ctx) {
  ctx$workload[dup == FALSE, .(time = max(time)), by = frame][order(time), time]
}

#' The exchange of a requester that waited longest for its answer.
#'
#' @param ctx result of [measure_context()], of a device that serves CoAP.
#' @return data.table `sample` ("silence_request_ms", "silence_answer_ms"), `value`: ms after the
#'   exchange's first request, of its requests, of the answer, and of the request that follows. No
#'   rows where no request was repeated and answered.
longest_silence <- function(ctx) {
  requests <- ctx$workload
  fresh <- requests[dup == FALSE]
  none <- data.table::data.table(sample = character(), value = numeric())
  wait <- answer_delays(ctx)
  again <- repeated_copies(ctx) > 0 & !is.na(wait)
  if (!any(again)) return(none)
  first <- which(again)[which.max(wait[again])]
  begin <- fresh$time[first]
  answered <- begin + wait[first] / 1e3
  following <- fresh$time[fresh$time > answered]
  asked <- requests[time >= begin & time <= answered & id == fresh$id[first], time]
  rows <- rbind(data.table::data.table(sample = "silence_request_ms",
                                       value = c(asked, head(following, 1L))),
                data.table::data.table(sample = "silence_answer_ms", value = answered))
  rows[, value := round((value - begin) * 1e3, 3L)][]
}

#' What a trial's capture adds for UFES: `frames_at`, see [message_frame_times()], of a device that
#' publishes over TCP; `silence`, see [longest_silence()], of one that serves CoAP.
#'
#' @param ctx result of [measure_context()]. @param role of the device.
ufes_capture <- function(ctx, role) {
  if (identical(role, "serve") && ctx$protocol == "coap") {
    return(list(silence = longest_silence(ctx)))
  }
  publishes <- is.null(role) || identical(role, "publish")
  if (publishes && ctx$transport == "tcp") list(frames_at = message_frame_times(ctx))
}

#' Metrics of the frames: `frames_per_s_mean`, a rate as [rate_rows()] has it, and
#' `frame_silent_seconds_pct`, whole seconds in which no frame brought a message (UFES, Fig. 3).
#'
#' @param times result of [message_frame_times()]; NULL: no rows.
frame_metrics <- function(times) {
  if (length(times) < 2L) return(NULL)
  counts <- delivery_counts(times)
  rbind(rate_rows("frames_per_s_mean", "frames/s", add_moments(NULL, diff(times) * 1e3)),
        if (length(counts)) {
          metric_row("frame_silent_seconds_pct", 100 * mean(counts == 0), "%", length(counts))
        })
}

#' Samples: `frames_per_s`, frames with messages in each whole second; the `silence`.
#'
#' @param capture see [trial_capture()].
second_samples <- function(capture) {
  if (!is.list(capture)) return(NULL)
  counts <- delivery_counts(if (is.null(capture$frames_at)) numeric() else capture$frames_at)
  rbind(if (length(counts)) data.table::data.table(sample = "frames_per_s", value = counts),
        capture$silence)
}
