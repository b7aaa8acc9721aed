# Events: every metric is a sum, a count or a mean over events, and each event belongs to one frame.
# This allows a capture of any size to be measured in parts (analyze.R): parts overlap, and an event
# counts in the part that owns its frame.

#' One table of events.
#'
#' @param event name.
#' @param rows table with `frame` and `time`.
#' @param value numeric, recycled.
events_of <- function(event, rows, value = 1) {
  n <- nrow(rows)
  if (n == 0L) return(NULL)
  data.table::data.table(event = event, frame = rows$frame, time = rows$time,
                         value = rep_len(as.numeric(value), n))
}

#' Events whose name differs from row to row.
events_by <- function(names, rows, value) {
  if (nrow(rows) == 0L) return(NULL)
  data.table::data.table(event = names, frame = rows$frame, time = rows$time,
                         value = as.numeric(value))
}

#' All events of a context.
#'
#' @param ctx result of [measure_context()].
#' @return data.table `event`, `frame`, `time` (s), `value`.
all_events <- function(ctx) {
  sources <- list(message_events, request_events, ack_events, tcp_events, phase_events,
                  session_events, ledger_events, malformed_events, reason_events)
  events_from(ctx, sources)
}

#' What is sent again: events `message_repeated` and `retransmission` of [all_events()].
#'
#' @param ctx result of [measure_context()]. @return see [all_events()].
repetition_events <- function(ctx) {
  events_from(ctx, list(message_events, tcp_events))[event %in% c("message_repeated",
                                                                  "retransmission")]
}

#' Events of a context, see [all_events()].
#'
#' @param ctx result of [measure_context()]. @param sources functions that return events of it.
events_from <- function(ctx, sources) {
  out <- data.table::rbindlist(lapply(sources, function(f) f(ctx)))
  if (nrow(out) == 0L) {
    out <- data.table::data.table(event = character(), frame = integer(), time = numeric(),
                                  value = numeric())
  }
  data.table::setorder(out, event, frame)
  out[]
}

#' Messages and the frames they come in.
#'
#' `message`: value 1, repetitions (CoAP retransmission, MQTT DUP) apart as `message_repeated`.
#' `message_frame`: a frame whose first message belongs to the workload; KU Leuven counts these,
#' because the device of that study reads only the first message of a segment (section 4.1).
#' `payload`: payload bytes; of an answered request without payload, that of its response.
#' `interarrival`: ms between two messages; `interarrival_sum`: the sum of their times instead
#' of the difference, ms after the first frame, as UFES prints its equation 1.
message_events <- function(ctx) {
  w <- ctx$workload
  fresh <- w[dup == FALSE]
  responses <- ctx$messages[kind == "response" & protocol == ctx$protocol & dup == FALSE]
  data.table::rbindlist(list(
    events_of("message", fresh),
    events_of("message_repeated", w[dup == TRUE]),
    events_of("message_frame", fresh[position == 1L]),
    events_of("payload", fresh, fresh$payload_bytes),
    if (ctx$protocol %in% request_protocols()) {
      events_of("payload", responses, responses$payload_bytes)
    },
    events_of("interarrival", tail(fresh, -1L), diff(fresh$time) * 1e3),
    events_of("interarrival_sum", tail(fresh, -1L),
              (tail(fresh$time, -1L) + head(fresh$time, -1L)) * 1e3)
  ))
}

#' Requests and their answers (CoAP and HTTP).
#'
#' `request_answered`: a response followed. `request_silent`: neither response nor acknowledgement.
#' `response_time`: ms from the request's first transmission to the first response. `con_attempts`:
#' how often a confirmable message was sent (RFC 7252, 4.2); `con_over_three`: more than three times
#' (UFES, 6.2).
request_events <- function(ctx) {
  if (!ctx$protocol %in% request_protocols()) return(NULL)
  requests <- ctx$workload[dup == FALSE]
  delay <- answer_delays(ctx)
  answered <- !is.na(delay)
  acks <- ctx$messages[protocol == "coap" & type == "ACK"]
  acked <- !is.na(first_reply(requests, acks, requests$id, acks$id))
  confirmable <- requests$type == "CON" | requests$protocol == "http"
  con <- requests$type %in% "CON"
  attempts <- 1 + repeated_copies(ctx)
  data.table::rbindlist(list(
    events_of("con_attempts", requests[con], attempts[con]),
    events_of("con_over_three", requests[con & attempts > 3]),
    events_of("request_answered", requests[answered]),
    events_of("response_time", requests[answered], delay[answered]),
    events_of("request_silent", requests[confirmable & !answered & !acked])
  ))
}

#' Milliseconds from each first transmission in the workload to the first response.
#'
#' @param ctx result of [measure_context()].
#' @return numeric, one for each row of the workload that is no repetition; NA: no response.
answer_delays <- function(ctx) {
  requests <- ctx$workload[dup == FALSE]
  if (!ctx$protocol %in% request_protocols()) return(rep(NA_real_, nrow(requests)))
  (response_times(ctx, requests) - requests$time) * 1e3
}

#' Acknowledgements of the protocol itself: event `request_ack`, see [ack_delays()].
#'
#' @param ctx result of [measure_context()].
ack_events <- function(ctx) {
  w <- ctx$workload[dup == FALSE]
  delay <- ack_delays(ctx)
  events_of("request_ack", w[!is.na(delay)], delay[!is.na(delay)])
}

#' Milliseconds from each message's first transmission to its acknowledgement: CoAP CON to its ACK
#' or RST (RFC 7252, 4.2), MQTT PUBLISH to PUBACK or PUBREC, MQTT-SN likewise, AMQP to the confirm,
#' HTTP request to the TCP acknowledgement of its last segment. It may arrive on a later connection
#' of the session, see [session_homes()].
#'
#' @param ctx result of [measure_context()].
#' @return numeric, one for each row of the workload that is no repetition; NA: none.
ack_delays <- function(ctx) {
  w <- ctx$workload[dup == FALSE]
  if (ctx$protocol == "http") return(segment_ack_delays(ctx$service, w$frame))
  if (ctx$protocol == "amqp") return(confirm_delays(ctx, w))
  types <- switch(ctx$protocol, coap = c("ACK", "RST"), c("PUBACK", "PUBREC", "ACK"))
  asks <- !is.na(w$id) & (ctx$protocol != "coap" | w$type == "CON")
  replies <- ctx$messages[protocol == ctx$protocol & type %in% types]
  delay <- rep(NA_real_, nrow(w))
  homes <- session_homes(ctx$packets)
  at <- first_reply(at_home(w[asks], homes), at_home(replies, homes),
                    w[asks, paste(id, channel)], replies[, paste(id, channel)])
  delay[asks] <- (at - w$time[asks]) * 1e3
  delay
}
