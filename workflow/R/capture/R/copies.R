# Packets that stand in the capture twice, as where two interfaces were recorded into one file.

#' Set the second copies of the device's packets aside: they become frames of nobody. Only where
#' they are three and more and a tenth of its packets: a network can repeat a packet, too.
#'
#' A copy is equal in addresses, ports, lengths, sequence numbers and checksum to one at most 10 ms
#' before it that has the same IP identification, or where there is none 1 ms before it. What
#' 802.11 repeats is no copy, nor is what has no time.
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
