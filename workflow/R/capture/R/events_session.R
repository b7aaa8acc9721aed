# Events of a device's sessions: the cost of a session.

#' Messages that keep a session alive and carry no payload.
keepalive_types <- c("PINGREQ", "PINGRESP", "HEARTBEAT")

#' Messages of a session other than its handshakes; for WebSocket ping and pong.
side_types <- c(keepalive_types, "ALERT", "OPCODE9", "OPCODE10")

#' The cost of a conversation before its first and after its last message, and of keep-alives.
#'
#' Of a conversation whose beginning was captured, apart where TLS 1.2 or DTLS 1.2 resumes a session
#' (`_resumed`): `connecting`: ms from its first frame to the last one of its handshakes (TCP's,
#' TLS's, the protocol's own) before its first message; 0 where there is none. `connection_bytes`:
#' those of [phase_events()] that establish and end it. `handshake_bytes`: see
#' [record_cost_events()], [oscore_events()]. `keepalive`: a request of the device that keeps its
#' session alive. `exchange`: see [exchange_events()].
session_events <- function(ctx) {
  if (nrow(ctx$workload) == 0L) return(NULL)
  talks <- begun_conversations(ctx)
  suffix <- ifelse(talks$resumed, "_resumed", "")
  pings <- ctx$messages[type %in% keepalive_types & outward & type != "PINGRESP"]
  data.table::rbindlist(list(
    events_by(paste0("connecting", suffix), talks, (talks$ready - talks$opened) * 1e3),
    events_by(paste0("connection_bytes", suffix), talks, talks$bytes),
    record_cost_events(ctx, talks, suffix),
    oscore_events(ctx),
    events_of("keepalive", pings), exchange_events(ctx)
  ))
}

#' The bytes of TLS or DTLS in a conversation before the first record with the application's data
#' (`handshake_bytes`, headers of records included and repetitions, too), and of each record with
#' such data what is not content: `record_overhead` (`record_overhead_cid`: of those with a
#' connection ID), and without the tag `record_framing`.
#'
#' @param talks result of [begun_conversations()]. @param suffix of its rows' events.
record_cost_events <- function(ctx, talks, suffix) {
  r <- tls_records(ctx$service)
  if (nrow(r) == 0L) return(NULL)
  r[, time := ctx$service$time[at]]
  r[, early := cumsum(data) == 0L, by = stream]
  size <- r[early == TRUE, .(bytes = sum(bytes)), by = stream]
  bytes <- size$bytes[match(talks$stream, size$stream)]
  has <- !is.na(bytes)
  known <- r[!is.na(tag)]
  data.table::rbindlist(list(
    events_by(paste0("handshake_bytes", suffix)[has], talks[has], bytes[has]),
    events_of("record_overhead", known, known$around),
    events_of("record_overhead_cid", known[cid > 0], known[cid > 0, around]),
    events_of("record_framing", known, known$around - known$tag)
  ))
}

#' The conversations that carry the workload and whose beginning was captured.
#'
#' @return data.table `stream`, `frame` and `time` where its first message begins, `opened` and
#'   `ready` (s), `bytes`, `resumed`.
begun_conversations <- function(ctx) {
  first <- unique(message_starts(ctx)[order(frame), .(stream, frame)], by = "stream")
  first[ctx$service, time := i.time, on = "frame"]
  began <- ctx$service[order(frame), .(opened = time[1L], from = frame[1L], tcp = syn[1L]),
                       by = stream]
  first <- began[first, on = "stream"]
  own <- ctx$messages[kind %in% c("session", "handshake") & !type %in% side_types,
                      .(stream, frame, time)]
  hands <- rbind(own, ctx$service[syn == TRUE, .(stream, frame, time)])
  hands[first, limit := i.frame, on = "stream"]
  last <- unique(hands[frame <= limit][order(-time)], by = "stream")
  first[, ready := opened]
  first[last, ready := i.time, on = "stream"]
  ends <- phase_events(ctx)[event %in% c("connect_bytes", "disconnect_bytes")]
  ends[ctx$service, stream := i.stream, on = "frame"]
  first[, bytes := 0]
  first[ends[, .(sum = sum(value)), by = stream], bytes := i.sum, on = "stream"]
  first[, resumed := stream %in% resumed_streams(ctx$service)]
  first[tcp | from %in% c(own$frame, first$frame)]
}

#' Conversations that resume a session: of TLS 1.2 and DTLS 1.2 each full handshake has a
#' ClientKeyExchange (16), and a resumed one has none (RFC 5246, 7.3). In TLS 1.3 the client offers
#' a ticket, whose age is not 0 as that of another key is (RFC 8446, 4.2.11), and the server shows
#' no Certificate (11), as far as the capture has the keys.
resumed_streams <- function(s) {
  types <- split_list(paste0(s$tls_handshake, s$dtls_handshake))
  has <- function(type) s$stream[vapply(types, function(x) type %in% x, NA)]
  modern <- s$stream[nzchar(s$tls_opaque)]
  aged <- s$stream[vapply(split_list(s$tls_ticket_age), function(x) any(x != "0"), NA)]
  c(setdiff(has("20"), c(has("16"), modern)),
    setdiff(intersect(intersect(has("20"), modern), aged), has("11")))
}

#' Bytes from the first frame of each message to that of the next one or the end of the
#' conversation: those of its exchange, as `exchange_bytes` of [phase_events()] are of all.
exchange_events <- function(ctx) {
  s <- phase_events(ctx)[event == "exchange_bytes"]
  s[ctx$service, stream := i.stream, on = "frame"]
  s <- s[order(frame)]
  s[, begins := frame %in% message_starts(ctx)$frame] # not by stream: there may be thousands
  s[, turn := cumsum(begins), by = stream]
  sums <- s[turn > 0L, .(frame = frame[1L], time = time[1L], bytes = sum(value)),
            by = .(stream, turn)]
  events_of("exchange", sums, sums$bytes)
}
