# Packets that the capture holds twice, for example if two interfaces were recorded into one file.

#' Exclude the second copies of the device's packets. Only if there are at least three and a tenth
#' of its packets, since a network can duplicate a packet, too.
#'
#' A copy is equal in addresses, ports, lengths, sequence numbers and checksum to one at most 10 ms
#' before it that has the same IP identification, or where there is none 1 ms before it. A
#' retransmission of 802.11 is not a copy, nor is a packet without a time.
#'
#' @param p packets table. @param device address. @return the number of copies.
set_copies_aside <- function(p, device) {
  rows <- which((p$src == device | p$dst == device) & p$transport != "other" &
                  !nzchar(p$wlan_retry))
  key <- p[rows, paste(src, dst, stream, sport, ip_id, ip_len, ip6_plen, tcp_seq, tcp_ack,
                       tcp_flags, tcp_checksum, udp_checksum, udp_len, fragments)]
  since <- p$time[rows] - stats::ave(p$time[rows], key, FUN = function(t) c(-Inf, t[-length(t)]))
  numbered <- nzchar(p$ip_id[rows]) & p$ip_id[rows] != "0x0000"
  copy <- nzchar(p$epoch[rows]) & since >= 0 & since <= data.table::fifelse(numbered, 0.01, 0.001)
  sure <- copy & (numbered | p$payload[rows] > 0L | p$syn[rows])
  if (sum(sure) < 3L || sum(sure) < 0.1 * length(rows)) return(0L)
  data.table::set(p, rows[copy], c("src", "dst", "stream"), "")
  data.table::set(p, rows[copy], "transport", "other")
  sum(copy)
}
