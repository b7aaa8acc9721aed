# What else a recorded capture shows of a device: whom it asks for addresses (KU Leuven, 3 and Fig.
# 9), and its longest exchange (KU Leuven, Fig. 23).

#' Does the device reach its peer without a router? `device_arp_frames`: its frames of ARP;
#' `device_peer_links`: the link-layer addresses to which it sends IP to its most frequent peer, 1
#' if there is no other way; `device_routed_peers`: further peers of the device behind that address.
#'
#' @param p packets table of all that was captured. @param device address.
link_metrics <- function(p, device) {
  own <- p[src == device & !is_group_address(eth_dst)]
  if (nrow(own) == 0L) return(NULL)
  peer <- most_common(own$dst)
  links <- unique(own[dst == peer, eth_dst])
  arp <- sum(grepl(":arp", p$protocols, fixed = TRUE) & p$eth_src %in% own$eth_src)
  rbind(metric_row("device_arp_frames", arp, "frames", nrow(p)),
        metric_row("device_peer_links", length(links), "addresses", nrow(own)),
        metric_row("device_routed_peers",
                   data.table::uniqueN(own[eth_dst %in% links & dst != peer, dst]), "peers",
                   nrow(own)))
}

#' Are link-layer addresses those of a group (IEEE 802, the lowest bit of the first byte)?
is_group_address <- function(address) {
  bitwAnd(strtoi(substr(address, 1L, 2L), 16L), 1L) %in% 1L
}

#' Most frames of one TCP conversation of the workload: `conversation_frames_most`, and the payload
#' of the longest message in it, request or response: `conversation_payload_most_bytes`.
#'
#' @param ctx see [measure_context()].
longest_conversation <- function(ctx) {
  if (ctx$transport != "tcp" || !ctx$protocol %in% request_protocols()) return(NULL)
  frames <- ctx$service[, .N, by = stream]
  longest <- frames[order(-N, stream)][1L]
  bodies <- ctx$messages[stream == longest$stream, payload_bytes]
  rbind(metric_row("conversation_frames_most", longest$N, "frames", nrow(frames)),
        metric_row("conversation_payload_most_bytes", max(bodies, 0), "bytes", length(bodies)))
}
