# Records of TLS and DTLS, of which only sizes and times show.

#' TLS and DTLS records of application data (RFC 8446, 5.1). The record holds header, content and
#' tag; its length stands for the payload. TLS that carries a protocol which tshark could decrypt is
#' not repeated here.
messages_tls <- function(p) {
  opened <- nzchar(p$mqtt_flags) | nzchar(p$amqp_type) | nzchar(p$http_method) |
    nzchar(p$http_status) | !is.na(p$coap_type)
  tcp <- p[!opened & nzchar(tls_len)]
  udp <- p[!opened & nzchar(dtls_len)]
  data.table::rbindlist(list(
    tls_records(tcp, tcp$tls_type, tcp$tls_opaque, tcp$tls_len, "tls", 5),
    tls_records(udp, udp$dtls_type, rep("", nrow(udp)), udp$dtls_len, "dtls", 13)))
}

#' Rows of the records of packets. In a frame with both kinds those with a plain type come first:
#' each side of TLS 1.3 encrypts all that it sends from some record on.
#'
#' @param plain,sealed joined record types, in clear and outer ones. @param sizes joined lengths.
tls_records <- function(packets, plain, sealed, sizes, protocol, header) {
  if (nrow(packets) == 0L) return(NULL)
  sizes <- split_list(sizes)
  plain <- split_list(plain)
  types <- Map(c, plain, split_list(sealed))
  odd <- lengths(types) != lengths(sizes) # of records that tshark opened it prints both types
  types[odd] <- Map(function(x, n) rep_len(x, n), split_list(sealed)[odd], lengths(sizes)[odd])
  count <- lengths(sizes)
  frame <- rep(seq_along(count), count)
  length <- as.numeric(unlist(sizes))
  rows <- message_rows(packets, count, protocol = protocol, kind = "session", type = "HANDSHAKE",
                       bytes = length + header, payload_bytes = 0)
  data <- unlist(types) %in% "23"
  data <- data & !sealed_handshake(rows, data, sequence(count) > lengths(plain)[frame])
  rows[data, `:=`(kind = "data", type = "RECORD", payload_bytes = length[data])]
  rows[!is.na(bytes)]
}

#' Records of the handshake of TLS 1.3, which look like application data (RFC 8446, 2 and 4.6.1):
#' where its beginning was captured, the client's first (Finished) and the server's up to the
#' client's second: its part of the handshake and tickets. A ticket that comes later, or a server
#' that speaks first, cannot be told.
#'
#' @param rows records. @param data,sealed of each record: type 23, it has an outer type.
sealed_handshake <- function(rows, data, sealed) {
  r <- rows[, .(stream, end = paste(src, sport), open = !data, shut = data & sealed)]
  r[, from_client := end == end[1L] & any(open) & open[1L], by = stream]
  r[, begun := any(open) && open[1L], by = stream]
  r[, sent := cumsum(shut & from_client), by = stream]
  r[, begun & shut & sent < 2L]
}
