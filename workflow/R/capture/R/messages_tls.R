# Records of TLS and DTLS that are not known to carry messages of a protocol.

#' TLS and DTLS records: the handshake's, and those of application data where the capture has no
#' keys (RFC 8446, 5.1); these stand for messages. A record holds header, content and tag; its
#' length stands for the payload.
messages_tls <- function(p) {
  r <- tls_records(p)
  if (nrow(r) == 0L) return(NULL)
  r <- r[!(data & read)]
  if (nrow(r) == 0L) return(NULL)
  count <- r[, .N, by = at]
  message_rows(p[count$at], count$N, protocol = r$protocol,
               kind = data.table::fifelse(r$data, "data", "handshake"),
               type = data.table::fcase(r$data, "RECORD", r$type %in% "21", "ALERT",
                                        default = "HANDSHAKE"),
               bytes = r$bytes, payload_bytes = data.table::fifelse(r$data, r$length, 0))
}
