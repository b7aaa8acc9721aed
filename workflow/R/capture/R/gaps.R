# Bytes of TCP that the capture lacks.

#' Frames that show a gap which the capture never fills.
#'
#' tshark marks a segment behind a hole (`lost_segment`) and an acknowledgement of what was not
#' captured before it (`ack_unseen`). A segment that only came late fills the hole afterwards.
#'
#' @param p packets. @return rows of `p`.
unseen_frames <- function(p) {
  marked <- p[lost_segment | ack_unseen]
  if (nrow(marked) == 0L) return(marked)
  s <- p[transport == "tcp" & stream %in% marked$stream & !rst & !is.na(tcp_seq)]
  s <- s[, .(frame, tcp_seq, way = paste(stream, src, sport), to = tcp_len + syn + fin)]
  s[, base := tcp_seq[1L], by = way]
  s[, from := sequence_distance(tcp_seq, base)]
  s[, to := to + from]
  marked[!filled_later(marked, s)]
}

#' Does the capture hold all bytes between what came before a marked frame and what it shows?
#'
#' @param marked packets with `lost_segment` or `ack_unseen`.
#' @param s segments: `frame`, `way` (stream and sender), `base` (first sequence number of the way),
#'   `from`, `to` (offsets from it).
#' @return logical, one value for each marked frame.
filled_later <- function(marked, s) {
  sent <- marked$lost_segment
  way <- ifelse(sent, paste(marked$stream, marked$src, marked$sport),
                paste(marked$stream, marked$dst, marked$dport))
  until <- data.table::fifelse(sent, marked$tcp_seq, marked$tcp_ack)
  asked <- data.table::data.table(way, frame = marked$frame - 1L,
                                  until = sequence_distance(until, s$base[match(way, s$way)]))
  data.table::setorder(s, way, frame)
  before <- s[, .(frame, reached = cummax(to)), by = way]
  asked[, from := before[asked, on = .(way, frame), roll = TRUE, mult = "last", reached]]
  asked[is.na(from), from := until - 1]
  data.table::setorder(s, way, from, to)
  s[, hole := from > data.table::shift(cummax(to), fill = Inf), by = way]
  runs <- s[, .(way, from, to, run = cumsum(hole))]
  runs <- runs[, .(from = min(from), to = max(to)), by = .(way, run)]
  held <- runs[asked, on = .(way, from), roll = TRUE, mult = "last", x.to]
  (held >= asked$until) %in% TRUE
}

#' How far a sequence number is beyond another, modulo 2^32 (RFC 9293, 3.4).
sequence_distance <- function(value, base) ((value - base + 2^31) %% 2^32) - 2^31
