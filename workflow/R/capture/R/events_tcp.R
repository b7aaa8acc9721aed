# Events of the transport and of the device's traffic as a whole.

#' TCP's view of the device, and traffic.
#'
#' `retransmission`: a TCP retransmission to or from the device, of any kind, or a repeated CoAP CON
#' (KU Leuven, Fig. 25); `spurious`: those that repeat acknowledged data (UFES, section 6.1).
#' `unseen`: a frame that proves that an earlier segment is missing from the capture, see
#' [confirm_marks()]. `device_ack_rtt`: ms from a segment to the device's acknowledgement
#' (tcp.analysis.ack_rtt). `message_unacked`: a message over TCP whose bytes the other side never
#' acknowledged. `traffic`: bytes on the wire to or from the device; `service_bytes`: of the
#' workload's service.
tcp_events <- function(ctx) {
  p <- ctx$packets
  repeated <- ctx$messages[protocol %in% c("coap", "mqttsn") & dup &
                             (type == "CON" | protocol == "mqttsn")]
  rtt <- p[src == ctx$device & !is.na(ack_rtt)]
  unacked <- unacknowledged(ctx)
  data.table::rbindlist(list(
    events_of("retransmission", p[retransmit == TRUE]),
    events_of("retransmission", repeated),
    events_of("spurious", p[spurious == TRUE]),
    events_of("unseen", p[lost_segment | ack_unseen]),
    events_of("device_ack_rtt", rtt, rtt$ack_rtt * 1e3),
    events_of("message_unacked", unacked),
    events_of("traffic", p, p$len),
    events_of("service_bytes", ctx$service, ctx$service$len)
  ))
}

#' Messages over TCP that the receiver never acknowledged, by TCP or the protocol, although it sent
#' something afterwards or the capture ended.
unacknowledged <- function(ctx) {
  w <- ctx$workload[dup == FALSE]
  if (ctx$transport != "tcp" || nrow(w) == 0L) return(w[0L])
  lost <- unacknowledged_segments(ctx$service[match(w$frame, frame)], ctx$service)
  w[frame %in% lost$frame & is.na(ack_delays(ctx))]
}

#' Milliseconds from each segment to the first one that acknowledges all its bytes, possibly with
#' those of others: tshark names only the last segment that an acknowledgement covers.
#'
#' @param service packets. @param frames of the segments.
#' @return numeric, NA where there is none.
segment_ack_delays <- function(service, frames) {
  exact <- service[!is.na(acks_frame) & !is.na(ack_rtt)]
  out <- exact$ack_rtt[match(frames, exact$acks_frame)] * 1e3
  data <- service[match(frames[is.na(out)], frame)]
  acks <- service[order(frame)][!is.na(tcp_ack) & !rst & !(syn & tcp_ack == 0)]
  acks[, `:=`(base = tcp_ack[1L], top = cummax(counted_on(tcp_ack, tcp_ack[1L]))),
       by = .(stream, src, sport)]
  wanted <- data[, .(stream, src = dst, sport = dport, sent = frame, time,
                     end = (tcp_seq + tcp_len) %% 2^32)]
  wanted <- unique(acks[, .(stream, src, sport, base)])[wanted, on = .(stream, src, sport)]
  wanted[, end := sequence_distance(end, base)]
  found <- acks[wanted, on = .(stream, src, sport, frame > sent, top >= end),
                .(delay = x.time - i.time), mult = "first"]
  out[is.na(out)] <- found$delay * 1e3
  out
}

#' The segments among `data` that no segment of `service` acknowledges.
unacknowledged_segments <- function(data, service) {
  if (nrow(data) == 0L) return(data)
  end <- data$tcp_seq + data$tcp_len
  acks <- service[!is.na(tcp_ack) & !rst & !(syn & tcp_ack == 0)]
  first <- acks[, .(base = tcp_ack[1L]), by = .(stream, src, sport)]
  acks[first, base := i.base, on = .(stream, src, sport)]
  top <- acks[, .(base = base[1L], top = max(sequence_distance(tcp_ack, base))),
              by = .(stream, src, sport)]
  found <- top[data.table::data.table(stream = data$stream, src = data$dst, sport = data$dport),
               on = .(stream, src, sport)]
  data[is.na(found$top) | sequence_distance(end, found$base) > found$top]
}

#' Phases of a session, after AAMEC (section V, packet sizes). A frame belongs to the connection's
#' establishment until the first frame of its first workload message. From the first FIN, RST,
#' DISCONNECT or TLS alert after its last workload message or response on it belongs to the
#' connection's end; in between, to the messages. A frame that carries a message never belongs to
#' the connection's end: a FIN may share its segment, and MQTT-SN's DISCONNECT may announce a sleep
#' (MQTT-SN 1.2, 6.14).
#'
#' Events `connect_bytes`, `exchange_bytes`, `disconnect_bytes`, one per frame: their sum is
#' `service_bytes`.
phase_events <- function(ctx) {
  s <- ctx$service
  if (nrow(s) == 0L) return(NULL)
  starts <- c(message_starts(ctx)$frame, ctx$workload$frame)
  carried <- rbind(ctx$workload, ctx$messages[kind == "response" & protocol == ctx$protocol])$frame
  ends <- ctx$messages[type == "DISCONNECT", frame]
  alerts <- ctx$messages[type == "ALERT", frame]
  opens <- s[, any(syn), by = stream][V1 == TRUE, stream]
  s <- data.table::copy(s)
  # Each set of frames is searched once, not for each of perhaps thousands of streams.
  s[, `:=`(begins = frame %in% starts, carried = frame %in% carried,
           shut = fin | rst | frame %in% ends, alert = frame %in% alerts)]
  s[, started := cumsum(begins) > 0L, by = stream]
  s[, last := max(c(0L, frame[carried])), by = stream]
  s[, ending := frame >= last & (shut | (started & alert))]
  s[, ended := frame > last & cumsum(ending) > 0L, by = stream]
  phase <- data.table::fcase(s$ended, "disconnect_bytes",
                             !s$started & (s$stream %in% opens | s$transport == "udp"),
                             "connect_bytes", default = "exchange_bytes")
  events_by(phase, s, s$len)
}

#' Conversations of the workload's service, as Wireshark's statistics count them.
#'
#' @param ctx result of [measure_context()].
#' @return data.table `stream`, `ends` (transport and endpoints), `first`, `last` (s),
#'   `device_first`, `device_last` (frames from the device, RSTs apart: a device that restarted
#'   sends one for its old connection), `opened` (the device opened it), `established`, `attempted`
#'   (its first SYN was seen), `spoke` (the device sent payload), `closed` (by the device: FIN or
#'   DISCONNECT), `mss`, `window` (of the device's SYN), `id`.
conversations <- function(ctx) {
  device <- ctx$device
  s <- data.table::copy(ctx$service)
  farewells <- ctx$messages[type == "DISCONNECT" & outward, frame]
  s[, `:=`(own = src == device, open_syn = syn & is_first_syn(tcp_flags),
           shut = fin | frame %in% farewells)]
  s[, ends := paste(transport, ifelse(own, paste(sport, dst, dport), paste(dport, src, sport)))]
  s[, .(
    ends = ends[1L], first = min(c(Inf, time)), last = max(c(-Inf, time)),
    device_first = min(c(Inf, time[own])),
    device_last = max(c(-Inf, time[own & !rst])),
    opened = any(open_syn & own) | (transport[1L] == "udp" & own[1L]),
    established = transport[1L] == "udp" | any(payload > 0L) | any(syn & !open_syn),
    attempted = any(open_syn), spoke = any(own & payload > 0L),
    closed = any(own & shut),
    mss = c(tcp_mss[syn & own & !is.na(tcp_mss)], NA_integer_)[1L],
    window = c(tcp_window[syn & own], NA_integer_)[1L], id = NA_real_
  ), by = stream]
}

#' Is this the first segment of a handshake: SYN without ACK?
is_first_syn <- function(flags) {
  bits <- strtoi(data.table::fifelse(nzchar(flags), flags, "0x0"), 16L)
  bitwAnd(bits, 18L) == 2L
}
