# A TCP connection begins with its handshake, even if its ports and initial sequence number were
# used before. tshark treats such a connection as a continuation of the previous one, and its data
# as retransmissions.

#' Dissect separately each connection that tshark treats as a continuation of another one.
#'
#' @param p packets table before [complete_packets()]. @param capture its file.
#' @param again function(file) that dissects another file in the same way.
#' @return the table, in which these connections have a `tcp_stream` of their own.
separate_connections <- function(p, capture, again) {
  p <- rejoin_connections(p, capture, again)
  turn <- connection_turns(p)
  if (is.null(turn)) return(p)
  for (k in seq_len(max(turn))) {
    p <- dissect_apart(p, p$frame[turn == k], capture, again)
  }
  p
}

#' Dissect some frames separately; their conversations get new numbers.
dissect_apart <- function(p, frames, capture, again) {
  file <- copy_frames(capture, frames)
  part <- again(file)
  unlink(file)
  part <- number_again(part, frames, max(p$tcp_stream, na.rm = TRUE) + 1L)
  p <- data.table::rbindlist(list(p[!frame %in% frames], part))
  data.table::setorder(p, frame)[]
}

#' Rejoin connections that contain an old SYN with another sequence number: tshark starts a new one
#' at it. Such a SYN is not answered by a SYN, and its sender continues as before (RFC 5961, 4).
#'
#' @return the table; the SYN belongs to the connection, without marks.
rejoin_connections <- function(p, capture, again) {
  rows <- numbered_segments(p)
  s <- p[rows, .(frame, stream = tcp_stream, side = paste0(ip_src, ip6_src, " ", tcp_sport),
                 other = paste0(ip_dst, ip6_dst, " ", tcp_dport), seq = tcp_seq,
                 bits = bitwAnd(strtoi(tcp_flags, 16L), 22L))]
  s[, ends := paste(pmin(side, other), pmax(side, other))]
  heads <- s[, .(syn = frame[1L], side = side[1L], ends = ends[1L], number = seq[1L],
                 stray = bits[1L] == 2L & !any(bits == 18L)), by = stream]
  heads[, before := data.table::shift(stream), by = ends]
  heads <- heads[stray == TRUE & !is.na(before)]
  if (nrow(heads) == 0L) return(p)
  on <- s[heads, on = .(stream, side), nomatch = NULL][bits != 2L]
  on <- on[, .(goes_on = bits[1L] == 16L && seq[1L] != (number[1L] + 1) %% 2^32), by = stream]
  for (old in heads$stream[heads$stream %in% on[goes_on == TRUE, stream]]) {
    at <- heads[stream == old]
    home <- p$tcp_stream[p$frame %in% s[stream == at$before, frame]][1L]
    frames <- p$frame[p$tcp_stream %in% c(old, home) & p$frame != at$syn]
    p <- dissect_apart(p, frames, capture, again)
    data.table::set(p, which(p$frame == at$syn), "tcp_stream",
                    p$tcp_stream[match(frames[1L], p$frame)])
  }
  p
}

#' The number of earlier handshakes with the same ports and initial sequence number, for each frame
#' of a conversation; NULL if there is none anywhere.
#'
#' A SYN begins a connection if its sender has sent a segment other than a SYN before. An old SYN
#' that the network duplicated does not: the other side answers it, but not with a SYN (RFC 9293,
#' 3.10.7.4).
connection_turns <- function(p) {
  rows <- numbered_segments(p)
  bits <- strtoi(p$tcp_flags[rows], 16L)
  syn <- bitwAnd(bits, 22L)
  streams <- unique(p$tcp_stream[rows][syn == 2L])
  s <- p[rows, .(row = rows, stream = tcp_stream, sport = tcp_sport,
                 src = paste0(ip_src, ip6_src), first = syn == 2L, joins = syn == 18L,
                 rst = bitwAnd(bits, 4L) > 0L)][stream %in% streams]
  s[, spoke := cumsum(!first & !rst) - (!first & !rst) > 0L, by = .(stream, src, sport)]
  if (!any(s$first & s$spoke)) return(NULL)
  s[, begins := first & spoke & answered_by_syn(first, joins, paste(src, sport)), by = stream]
  s[, turn := cumsum(begins), by = stream]
  if (!any(s$turn > 0L)) return(NULL)
  turn <- integer(nrow(p))
  turn[s$row] <- s$turn
  turn
}

#' Is the other side's first segment after each SYN also a SYN, or is there none?
answered_by_syn <- function(first, joins, side) {
  out <- first
  for (i in which(first)) {
    later <- which(seq_along(side) > i & side != side[i])
    out[i] <- !length(later) || joins[later[1L]]
  }
  out
}

#' Give the frames of a dissected part their numbers in the whole, and its conversations numbers
#' that begin with `stream`.
number_again <- function(part, frames, stream) {
  whole <- function(x) paste(frames[as.integer(x)], collapse = list_separator)
  numbered <- function(joined) vapply(split_list(joined), whole, "")
  for (name in c("segments", "tls_segments", "fragments", "fragments6")) {
    data.table::set(part, j = name, value = numbered(part[[name]]))
  }
  part[, `:=`(frame = frames[frame], acks_frame = frames[acks_frame],
              tcp_stream = tcp_stream + stream)]
}
