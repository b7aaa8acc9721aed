# Messages of TCP and UDP themselves.

#' Raw TCP and UDP: messages and acknowledgements that workflow/wireshark/thinwire.lua knows; a
#' packet of foreign payload that no dissector took counts as one message.
messages_raw <- function(p) {
  data.table::rbindlist(list(messages_framed(p[nzchar(raw_type)]),
                             messages_foreign(p[nzchar(data) & payload > 0L &
                                                  transport != "other" & !retransmit &
                                                  grepl("(tcp|udp):data$", protocols)])))
}

#' A header has 8 bytes (firmware/core/raw_header.h); payloads in a stream may do without.
messages_framed <- function(packets) {
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

messages_foreign <- function(packets) {
  if (nrow(packets) == 0L) return(NULL)
  message_rows(packets, protocol = packets$transport, kind = "data", type = "DATA",
               bytes = as.numeric(packets$payload), payload_bytes = as.numeric(packets$payload))
}
