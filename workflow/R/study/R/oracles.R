# Oracles: what a specification promises of a trial with faults, as metrics that a limit is set on.
# docs/faults.md cites the specification of each. They are measured where an expectation names one.

#' The metrics of this file and of oracles_*.R.
oracle_names <- c(
  "acknowledged_lost", "out_of_order", "identifier_violations", "dup_violations",
  "keep_alive_violations", "message_id_violations", "backoff_violations", "back_after_fault_s",
  "connections_per_10s_max", "repetitions_per_10s_max", "connections_open_max",
  "heap_growth_bytes", "device_resets", "silence_max_s"
)

#' What the oracles say of a trial.
#'
#' @param bundle result of [read_bundle()]. @param capture see [trial_capture()].
#' @return metrics; those that the trial does not determine are absent.
oracle_metrics <- function(bundle, capture) {
  if (!went_well(bundle)) return(NULL)
  messages <- message_table(bundle, capture)
  logged <- list(promise_metrics(bundle, messages), return_metrics(bundle, messages),
                 board_oracles(bundle))
  ctx <- if (is.list(capture)) oracle_context(bundle)
  seen <- if (!is.null(ctx)) {
    spans <- fault_spans(bundle, ctx$begin)
    list(mqtt_oracles(ctx, spans), coap_oracles(ctx, spans), storm_metrics(ctx, spans),
         silence_metrics(bundle, ctx, spans), malformed_metrics(ctx, spans))
  }
  data.table::rbindlist(c(logged, seen))
}

#' The context of a trial's capture, see [measure_context()], with `begin`: the time of its first
#' frame, s since 1970, from which its times count.
oracle_context <- function(bundle) oracle_view(bundle)$ctx

#' A trial's capture as oracles need it: `packets`, and `ctx`, see [oracle_context()].
oracle_view <- function(bundle) {
  file <- file.path(bundle$folder, "wire.pcapng.gz")
  key <- list(file, tools::md5sum(file), bundle$device, bundle$trial$parameters)
  if (!identical(last_view$key, key)) {
    last_view$found <- new_oracle_view(bundle, file)
    last_view$key <- key
  }
  last_view$found
}

#' The last result of [oracle_view()], since the metrics and several oracles of a trial need it.
last_view <- new.env()

new_oracle_view <- function(bundle, file) {
  schema <- rbind(body_schema(), list("mqtt_keep_alive", "mqtt.kalive", "list", "s",
                                      "keep-alive interval in CONNECT"),
                  list("mqtt_present", "mqtt.conack.flags.sp", "list", "",
                       "Session Present in CONNACK"))
  view <- view_of(bundle, dissect(file, server_port(bundle), schema = schema))
  view$ctx$begin <- as.numeric(view$packets$epoch[1L])
  view
}

#' `acknowledged_lost`: messages that the protocol acknowledged to their sender and that never
#' reached the application (MQTT 3.1.1, 4.3.2 and 4.3.3; RFC 7252, 4.2). Absent where the trial's
#' protocol acknowledges none, or nothing logs what arrives. `out_of_order`: first copies that
#' arrived after a later message (MQTT 3.1.1, 4.6; RFC 9293, 3.8), over one TCP session or MQTT's.
#' Not counted is what a fault explains, see [explained_losses()] and [damage_spans()].
#'
#' @param bundle result of [read_bundle()]. @param messages result of [message_table()].
promise_metrics <- function(bundle, messages) {
  parameters <- bundle$trial$parameters
  silent <- identical(parameters$confirmable, FALSE) || identical(as.numeric(parameters$qos), 0)
  known <- !silent && !without_log(bundle) || acknowledges(bundle)
  acked <- messages[acked == TRUE]
  row <- protocol_table()[[parameters$protocol]]
  lost <- acked[is.na(time)]
  explained <- explained_losses(bundle, messages, lost)
  came <- messages[!is.na(time)][order(time, seq)]
  came <- came[!disturbed(time, time, damage_spans(fault_spans(bundle, 0)))]
  late <- came[, sum(seq < cummax(seq)), by = sender]$V1
  rbind(
    if (known && nrow(acked) && !is.null(explained)) {
      metric_row("acknowledged_lost", sum(!explained), "messages", nrow(acked))
    },
    if (identical(row$transport, "tcp") && parameters$protocol != "http" && nrow(came)) {
      metric_row("out_of_order", sum(late), "messages", nrow(came))
    }
  )
}

#' Does a foreign device without a log publish with QoS 1 or 2 alone, and is it known what arrives?
acknowledges <- function(bundle) {
  if (!without_log(bundle) || !is_recorded(bundle) || receives(bundle)) return(FALSE)
  if (identical(bundle$trial$parameters$protocol, "coap")) return(TRUE)
  if (!bundle$trial$parameters$protocol %in% c("mqtt", "mqtt5")) return(FALSE)
  workload <- oracle_context(bundle)$workload
  nrow(workload) > 0L && !anyNA(workload$id)
}

#' `back_after_fault_s`: from the end of the last fault to the first message after it that reached
#' the application, see [arrivals()]. Absent where nothing arrived any more.
return_metrics <- function(bundle, messages) {
  ends <- as.numeric(log_events(bundle$server, "fault_over")$t)
  arrived <- arrivals(bundle, messages)
  if (length(ends) == 0L || is.null(arrived)) return(NULL)
  later <- arrived[!is.na(arrived) & arrived >= max(ends)]
  if (length(later)) metric_row("back_after_fault_s", min(later) - max(ends), "s", length(ends))
}

#' `heap_growth_bytes`: the median of `heap_used` in the last third of the lines `stat`, less that
#' in the first third; absent below six lines. `device_resets`: boots after the first, without
#' those of the fault `device_reset`. A device that has ended is not reset any more.
board_oracles <- function(bundle) {
  used <- as.numeric(log_values(log_events(bundle$board, "stat"), "heap_used"))
  used <- used[!is.na(used)]
  third <- length(used) %/% 3L
  boots <- nrow(log_events(bundle$board, "boot"))
  rbind(
    if (third >= 2L) {
      metric_row("heap_growth_bytes", median(tail(used, third)) - median(head(used, third)),
                 "bytes", length(used))
    },
    if (boots > 0L) {
      metric_row("device_resets", max(0, boots - 1 - length(reset_times(bundle))), "restarts", 1)
    }
  )
}
