# Messages of TCP and UDP themselves.

#' Raw TCP and UDP: messages and acknowledgements that workflow/wireshark/thinwire.lua knows.
#' A header has 8 bytes (firmware/core/protocols/raw/raw_header.h); a payload in a stream may have
#' none.
messages_raw <- function(p) {
  packets <- p[nzchar(raw_type)]
  if (nrow(packets) == 0L) return(NULL)
  types <- split_list(packets$raw_type)
  count <- lengths(types)
  type <- as.integer(unlist(types))
  size <- as.numeric(unlist(split_list(packets$raw_size)))
  message_rows(packets, count, protocol = rep(packets$transport, count),
    kind = ifelse(type == 2L, "ack", "data"), type = ifelse(type == 2L, "ACK", "DATA"),
    id = unlist(split_list(packets$raw_seq)), bytes = size + 8 * (type > 0L),
    payload_bytes = size)
}

#' Payload of unknown form on the ports named for it: each packet is a message, even if a dissector
#' handled it. (No dissector has handled a packet that waits for the rest of a raw message.)
#'
#' @param ports see [messages()].
messages_foreign <- function(p, ports) {
  asked <- ports[names(ports) %in% c("tcp", "udp")]
  wanted <- paste(names(asked), asked)
  packets <- p[(paste(transport, sport) %in% wanted | paste(transport, dport) %in% wanted) &
                 !grepl(":(tcp|udp)$", protocols) & !nzchar(raw_type) & payload > 0L & !retransmit]
  if (nrow(packets) == 0L) return(NULL)
  bytes <- transport_payload(packets) - packets$sealed
  message_rows(packets, protocol = packets$transport, kind = "data", type = "DATA", bytes = bytes,
               payload_bytes = bytes)
}
