# Messages of the protocols over UDP: CoAP and MQTT-SN.

#' CoAP messages (RFC 7252, 3). The code identifies a response; a message with code 0.00 is empty.
#' Under OSCORE path and payload are those inside; where it is not opened, the payload is all but
#' code and tag. What agrees on a context of OSCORE is a handshake, see [oscore_messages()].
messages_coap <- function(p) {
  packets <- p[!is.na(coap_type) & !is.na(coap_mid) & !is.na(coap_code)]
  if (nrow(packets) == 0L) return(NULL)
  code <- packets$coap_code
  kind <- data.table::fcase(code >= 1L & code <= 31L, "request", code >= 64L, "response",
                            default = "ack")
  within <- oscore_messages(packets)
  kind[within$at[within$agrees]] <- "handshake"
  outer <- packets$coap_payload
  outer[within$at] <- data.table::fifelse(within$opened, packets$oscore_payload[within$at],
                                          pmax(outer[within$at] - 9L, 0L))
  payload <- data.table::fifelse(is.na(outer), 0L, outer)
  message_rows(packets, 1L, protocol = "coap", kind = kind,
    type = c("CON", "NON", "ACK", "RST")[packets$coap_type + 1L],
    id = as.character(packets$coap_mid),
    topic = gsub(list_separator, "/", paste0(packets$coap_path, packets$oscore_path), fixed = TRUE),
    bytes = transport_payload(packets) - packets$sealed, payload_bytes = as.numeric(payload),
    dup = coap_repeated(packets))
}

#' Is this CoAP message a repetition of an earlier one? The same endpoints use a message ID again
#' only after EXCHANGE_LIFETIME, 247 s (RFC 7252, 4.8.2), so an equal one within that time is a
#' retransmission (4.2). If a client breaks this rule and uses one ID for all requests, their paths
#' or payloads distinguish them; answers to different requests are not repetitions either.
coap_repeated <- function(packets) {
  within_lifetime <- function(key) {
    since <- packets$time - stats::ave(packets$time, key, FUN = function(t) c(-Inf, t[-length(t)]))
    is.finite(since) & since < 247
  }
  key <- packets[, paste(src, sport, dst, dport, coap_type, coap_code, coap_mid, coap_token,
                         coap_path, coap_payload)]
  again <- within_lifetime(key)
  request <- packets$coap_code %in% 1:31
  ends <- packets[, paste(pmin(paste(src, sport), paste(dst, dport)),
                          pmax(paste(src, sport), paste(dst, dport)), coap_mid)]
  turn <- stats::ave(as.integer(request & !again), ends, FUN = cumsum)
  data.table::fifelse(request, again, within_lifetime(paste(key, turn)))
}

#' MQTT-SN messages (MQTT-SN 1.2, 5). The head in which a forwarder sends a message (5.5) counts as
#' bytes of the message.
messages_mqttsn <- function(p) {
  packets <- p[nzchar(mqttsn_type) & nzchar(mqttsn_len) & !malformed]
  if (nrow(packets) == 0L) return(NULL)
  lists <- function(column) split_list(packets[[column]])
  count <- lengths(lists("mqttsn_type"))
  frame <- rep(seq_along(count), count)
  every <- rep(1L, length(frame))
  type <- unlist(lists("mqttsn_type"))
  code <- data.table::fifelse(startsWith(type, "0x"), strtoi(type, 16L), strtoi(type, 10L))
  bytes <- as.numeric(take_values(frame, every, lists("mqttsn_len")))
  publish <- code == 12L
  with_topic <- publish | code %in% c(10L, 11L, 13L, 18L, 19L)
  topic <- take_values(frame, with_topic, lists("mqttsn_topic"))
  with_id <- publish | code %in% c(10L, 11L, 13L, 14L, 15L, 16L, 18:21)
  id <- take_values(frame, with_id, lists("mqttsn_id"))
  repeated <- take_values(frame, publish | code == 18L, lists("mqttsn_dup")) %in% c("1", "True")
  node <- take_values(frame, code == 254L, lists("mqttsn_node"))
  names <- mqttsn_names[as.character(code)]
  payload <- bytes - 6 - mqttsn_length_bytes(packets, frame, bytes)
  rows <- message_rows(packets, count, protocol = "mqttsn",
    kind = data.table::fcase(publish, "data", code %in% 13:16, "ack", default = "session"),
    type = data.table::fifelse(is.na(names), paste0("TYPE", code), unname(names)),
    id = id, topic = data.table::fifelse(publish, topic, NA_character_),
    channel = suppressWarnings(as.integer(node)), bytes = bytes,
    payload_bytes = data.table::fifelse(publish, pmax(payload, 0), 0), dup = publish & repeated)
  join_forwarded(rows)
}

#' Bytes of the length of each message: a three-byte length begins with 1, whatever it says (5.2.1).
#' Where the datagram is not known, as within DTLS, it is taken for one above 255 only.
mqttsn_length_bytes <- function(packets, frame, bytes) {
  before <- stats::ave(bytes, frame, FUN = cumsum) - bytes
  first <- substr(packets$udp_payload[frame], 2 * before + 1, 2 * before + 2)
  clear <- nzchar(first) & !nzchar(packets$dtls_len[frame])
  data.table::fifelse(data.table::fifelse(clear, first == "01", bytes > 255), 3, 1)
}

#' Add the head of a forwarder to the message that follows it in its datagram.
join_forwarded <- function(rows) {
  head <- rows$type == "TYPE254"
  inner <- which(head) + 1L
  inner <- inner[inner <= nrow(rows)]
  inner <- inner[rows$frame[inner] == rows$frame[inner - 1L] & !head[inner]]
  if (length(inner) == 0L) return(rows)
  rows[inner, `:=`(bytes = bytes + rows$bytes[inner - 1L], channel = rows$channel[inner - 1L])]
  rows <- rows[-(inner - 1L)]
  rows[, position := seq_len(.N), by = frame][]
}

#' Message types of MQTT-SN 1.2, 5.2.2.
mqttsn_names <- c(
  "0" = "ADVERTISE", "1" = "SEARCHGW", "2" = "GWINFO", "4" = "CONNECT", "5" = "CONNACK",
  "6" = "WILLTOPICREQ", "7" = "WILLTOPIC", "8" = "WILLMSGREQ", "9" = "WILLMSG", "10" = "REGISTER",
  "11" = "REGACK", "12" = "PUBLISH", "13" = "PUBACK", "14" = "PUBCOMP", "15" = "PUBREC",
  "16" = "PUBREL", "18" = "SUBSCRIBE", "19" = "SUBACK", "20" = "UNSUBSCRIBE", "21" = "UNSUBACK",
  "22" = "PINGREQ", "23" = "PINGRESP", "24" = "DISCONNECT"
)
