# Check tshark's marks of TCP segments against the contents of the capture. tshark compares with the
# next sequence number that it expects, and handles a reset or a probe of a closed window
# differently from the receiver.

#' Correct the marks of a packets table.
#'
#' `retransmit` (and `spurious`): the sender has sent these numbers before. `lost_segment`: bytes
#' before this segment are missing from the whole capture. `ack_unseen`: likewise, the bytes that it
#' acknowledges. `keep_alive`: also a probe of a closed window (RFC 9293, 3.8.6.1) whose byte is
#' sent again, and data outside the window. A RST has an independent number (RFC 5961, 3) and does
#' not advance the sequence; nor does the SYN that a simultaneous open repeats with its ACK (RFC
#' 9293, 3.5).
#'
#' @param p packets table before [complete_packets()]. @return the same table.
confirm_marks <- function(p) {
  marks <- c("retransmit", "lost_segment", "ack_unseen", "keep_alive", "probe")
  marked <- Reduce(`|`, p[, marks, with = FALSE])
  rows <- numbered_segments(p)
  rows <- rows[p$tcp_stream[rows] %in% p$tcp_stream[marked]]
  if (!length(rows)) return(p)
  s <- segment_numbers(p, rows)
  s[, keeps := p$keep_alive[row] | row %in% beyond_window(s)]
  held <- held_numbers(s[rst == FALSE & keeps == FALSE & to > from])
  s[, top := data.table::shift(cummax(data.table::fifelse(rst | keeps, -Inf, to)), fill = -Inf),
    by = side]
  s[, again := !rst & from < top & !(joins & cumsum(joins) == 1L), by = side]
  s[, gap := !rst & !keeps & from > top & is.finite(top) & !held(side, top, from)]
  sent <- s[rst == FALSE & (keeps == FALSE | p$keep_alive[row]), .(side, row, top = cummax(to))]
  s[, known := sent[s, on = .(side = other, row), roll = TRUE, mult = "last", top]]
  s[, unseen := is.finite(known) & !is.na(acked) & acked > known & !held(other, known, acked)]
  probes <- s[p$probe[row] == TRUE & to - from == 1]
  probes <- s[rst == FALSE & to > from][probes, on = .(side, from <= from, to >= to, row > row),
                                 .(row = i.row, later = x.row), mult = "first"]
  data.table::set(p, s$row, "retransmit", p$retransmit[s$row] & s$again)
  data.table::set(p, s$row, "spurious", p$spurious[s$row] & s$again)
  data.table::set(p, s$row, "lost_segment", p$lost_segment[s$row] & s$gap)
  data.table::set(p, s$row, "ack_unseen", p$ack_unseen[s$row] & s$unseen)
  data.table::set(p, c(probes[!is.na(later), row], s[keeps == TRUE, row]), "keep_alive", TRUE)
  p
}

#' Rows of data outside the window of their receiver, which drops them (RFC 9293, 3.10.7.4): it does
#' not acknowledge them, and the sender continues with new data below them. (Data that arrived early
#' are joined to the data before them.)
#'
#' @param s segments, see [segment_numbers()].
beyond_window <- function(s) {
  data <- s[rst == FALSE & to > from]
  data[, top := data.table::shift(cummax(to), fill = -Inf), by = side]
  held <- held_numbers(data)
  far <- data[from > top & is.finite(top)][!held(side, top, from)]
  if (nrow(far) == 0L) return(integer())
  heard <- s[!is.na(acked), .(heard = max(acked)), by = .(side = other)]
  far <- heard[far, on = "side"][is.na(heard) | heard < from]
  later <- data[far, on = .(side, row > row, from >= top, to <= from),
                .(row = i.row, later = x.row), mult = "first"]
  later[!is.na(later), row]
}

#' Rows of the segments whose header was captured to its length.
numbered_segments <- function(p) {
  which(!is.na(p$tcp_len) & !is.na(p$tcp_seq) & !is.na(p$tcp_stream) & nzchar(p$tcp_flags))
}

#' Sequence numbers of segments, counted on beyond 2^32 (RFC 9293, 3.4).
#'
#' @param rows of `p`.
#' @return data.table `row`, `side` and `other` (sender and receiver in their conversation), `rst`,
#'   `joins` (a SYN with an ACK), `from`, `to` (the number behind it; SYN and FIN take one),
#'   `acked` (NA without ACK), each side from its first number.
segment_numbers <- function(p, rows) {
  s <- p[rows, .(row = rows, stream = tcp_stream, src = paste0(ip_src, ip6_src), sport = tcp_sport,
                 dst = paste0(ip_dst, ip6_dst), dport = tcp_dport, seq = tcp_seq, ack = tcp_ack,
                 length = tcp_len, bits = strtoi(tcp_flags, 16L))]
  has <- function(bit) bitwAnd(s$bits, bit) > 0L
  s[, `:=`(side = paste(stream, src, sport), other = paste(stream, dst, dport), rst = has(4L),
           joins = has(2L) & has(16L), length = length + has(2L) + has(1L))]
  s[rst | !has(16L), ack := NA_real_]
  first <- s[rst == FALSE, .(base = seq[1L]), by = side]
  s[first, base := i.base, on = "side"]
  s[first, heard := i.base, on = c(other = "side")]
  s[rst == FALSE, from := counted_on(seq, base[1L]), by = side]
  s[!is.na(ack) & !is.na(heard), acked := counted_on(ack, heard[1L]), by = other]
  s[, .(row, side, other, rst, joins, from, to = from + length, acked)]
}

#' Numbers modulo 2^32 in the order of their frames as distances from a base.
counted_on <- function(numbers, base) {
  cumsum(sequence_distance(numbers, c(base, numbers[-length(numbers)])))
}

#' Distance from one sequence number to another, modulo 2^32 (RFC 9293, 3.4).
sequence_distance <- function(value, base) ((value - base + 2^31) %% 2^32) - 2^31

#' The bytes of each side that the capture holds.
#'
#' @param s segments, see [segment_numbers()].
#' @return function(side, from, to): does it hold all numbers of a range?
held_numbers <- function(s) {
  spans <- s[order(side, from), .(side, from, to)]
  spans[, before := data.table::shift(cummax(to), fill = -Inf), by = side]
  spans[, run := cumsum(from > before), by = side]
  spans <- spans[, .(start = from[1L], end = max(-Inf, to)), by = .(side, run)]
  function(side, from, to) {
    asked <- data.table::data.table(side = side, start = from)
    end <- spans[asked, on = .(side, start), roll = TRUE, mult = "last", end]
    !is.na(end) & end >= to
  }
}
