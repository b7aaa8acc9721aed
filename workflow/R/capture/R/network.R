# Frames with several packets: the innermost packet of a tunnel counts, a packet quoted by an ICMP
# error does not. And packets whose fragments are spread over several frames.

#' Columns of a network or transport header, of which a tunnelled frame has several.
header_columns <- list(
  ip = c("ip_src", "ip_dst", "ip_id", "ip_sum", "ip_checksum", "ip_header", "ip_len"),
  ipv6 = c("ip6_src", "ip6_dst", "ip6_plen"),
  tcp = c("tcp_sum", "tcp_checksum"),
  udp = c("udp_sum", "udp_checksum", "udp_stream", "udp_sport", "udp_dport", "udp_len",
          "udp_payload")
)

#' Keep the innermost network and transport header of each frame: the encapsulated packet of VXLAN,
#' GRE, IP in IP, Teredo or ZEP. A packet quoted by an ICMP error is not encapsulated.
#'
#' @param table before its columns have types.
keep_innermost <- function(table) {
  joined <- function(name) {
    is.character(table[[name]]) & grepl(list_separator, table[[name]], fixed = TRUE)
  }
  rows <- which(joined("ip_src") | joined("ip6_src") | joined("udp_sport") |
                  (nzchar(table$ip_src) & nzchar(table$ip6_src)))
  if (length(rows) == 0L) return(table)
  columns <- unlist(header_columns)
  table[, (columns) := lapply(.SD, as.character), .SDcols = columns]
  chains <- table$protocols[rows]
  for (chain in unique(chains)) {
    at <- rows[chains == chain]
    layer <- strsplit(sub(":icmp.*", "", chain), ":", fixed = TRUE)[[1L]]
    network <- max(which(layer %in% c("ip", "ipv6")), 0L)
    above <- which(layer %in% c("tcp", "udp"))
    kept <- c(network, max(above[above > network], 0L))
    for (kind in names(header_columns)) {
      take <- if (any(layer[kept] == kind)) sum(layer[seq_len(max(kept))] == kind) else 0L
      for (name in header_columns[[kind]]) {
        data.table::set(table, at, name, nth_value(table[[name]][at], take))
      }
    }
  }
  table
}

#' The n-th of the joined values of each row, "" for n = 0 or where there are fewer.
nth_value <- function(joined, n) {
  if (n == 0L) return(rep("", length(joined)))
  values <- vapply(split_list(joined), function(x) x[n], "")
  data.table::fifelse(is.na(values), "", values)
}

#' Blank the fields of higher protocols in frames without their own TCP or UDP: tshark also dissects
#' the packet that an ICMP error quotes.
#'
#' @param p packets table with `transport`.
forget_quoted <- function(p) {
  rows <- which(p$transport == "other" & grepl(":icmp", p$protocols, fixed = TRUE))
  schema <- packet_schema()
  above <- schema[seq(match("udp_sport", column), .N)]
  above <- rbind(above, schema[startsWith(column, "tcp_") | column == "ack_rtt"])
  for (i in seq_len(if (length(rows)) nrow(above) else 0L)) {
    blank <- switch(above$type[i], integer = NA_integer_, double = NA_real_, flag = FALSE, "")
    data.table::set(p, rows, above$column[i], blank)
  }
  flags <- c("retransmit", "spurious", "out_of_order", "duplicate_ack", "lost_segment",
             "ack_unseen", "keep_alive", "probe")
  for (name in flags) data.table::set(p, rows, name, FALSE)
}

#' Assign the fragments of a packet (RFC 791, RFC 8200) to the conversation of the frame in which
#' tshark reassembled them, each with the bytes that it carried: columns `stream`, `transport`,
#' addresses, ports, `transport_header` and `payload`.
#'
#' @param p packets table with these columns, `payload` that of the whole packet.
share_fragments <- function(p) {
  owners <- which(nzchar(p$fragments) & p$transport != "other")
  pieces <- lapply(split_list(p$fragments[owners]), function(x) match(as.integer(x), p$frame))
  for (i in seq_along(owners)) {
    own <- owners[i]
    at <- pieces[[i]][!is.na(pieces[[i]])]
    for (name in c("stream", "transport", "src", "dst", "sport", "dport")) {
      data.table::set(p, at, name, p[[name]][own])
    }
    header <- p$transport_header[own] * (seq_along(at) == 1L)
    carried <- fragment_bytes(p, at)
    rest <- p$payload[own] + sum(header) - sum(carried[at != own])
    carried[at == own] <- max(rest, header[at == own], 0)
    data.table::set(p, at, "transport_header", as.integer(header))
    data.table::set(p, at, "payload", as.integer(pmax(carried - header, 0)))
  }
}

#' Bytes above the network header, and that of IPv6 fragments, in frames with fragments.
fragment_bytes <- function(p, at) {
  data.table::fcase(!is.na(p$ip_len[at]), p$ip_len[at] - p$ip_header[at],
                    !is.na(p$ip6_plen[at]), p$ip6_plen[at] - 8L, default = 0L) + 0
}
