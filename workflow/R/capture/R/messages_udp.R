# Messages of the protocols over UDP: CoAP, MQTT-SN, and raw TCP and UDP payloads.

#' CoAP messages (RFC 7252, 3). A response says so by its code; a message without a code is empty.
messages_coap <- function(p) {
  packets <- p[!is.na(coap_type) & !is.na(coap_mid) & !is.na(coap_code)]
  if (nrow(packets) == 0L) return(NULL)
  code <- packets$coap_code
  kind <- data.table::fcase(code >= 1L & code <= 31L, "request", code >= 64L, "response",
                            default = "ack")
  payload <- data.table::fifelse(is.na(packets$coap_payload), 0L, packets$coap_payload)
  message_rows(packets, 1L, protocol = "coap", kind = kind,
    type = c("CON", "NON", "ACK", "RST")[packets$coap_type + 1L],
    id = as.character(packets$coap_mid),
    topic = gsub(list_separator, "/", packets$coap_path, fixed = TRUE),
    bytes = as.numeric(packets$payload), payload_bytes = as.numeric(payload),
    dup = coap_repeated(packets))
}

#' Is this CoAP message a repetition of an earlier one? The same endpoints use a message ID again
#' only after EXCHANGE_LIFETIME, 247 s (RFC 7252, 4.8.2), so an equal type, code, ID and token
#' within that time is a retransmission.
coap_repeated <- function(packets) {
  key <- packets[, paste(src, sport, dst, dport, coap_type, coap_code, coap_mid, coap_token)]
  since <- packets$time - stats::ave(packets$time, key, FUN = function(t) c(-Inf, t[-length(t)]))
  is.finite(since) & since < 247
}

#' MQTT-SN messages (MQTT-SN 1.2, 5). Lengths over 255 take a 3-byte length field (5.2.1).
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
  names <- mqttsn_names[as.character(code)]
  payload <- bytes - data.table::fifelse(bytes > 255, 9, 7)
  message_rows(packets, count, protocol = "mqttsn",
    kind = data.table::fcase(publish, "data", code %in% 13:16, "ack", default = "session"),
    type = data.table::fifelse(is.na(names), paste0("TYPE", code), unname(names)),
    id = id, topic = data.table::fifelse(publish, topic, NA_character_), bytes = bytes,
    payload_bytes = data.table::fifelse(publish, pmax(payload, 0), 0), dup = publish & repeated)
}

#' Message types of MQTT-SN 1.2, 5.2.2.
mqttsn_names <- c(
  "0" = "ADVERTISE", "1" = "SEARCHGW", "2" = "GWINFO", "4" = "CONNECT", "5" = "CONNACK",
  "6" = "WILLTOPICREQ", "7" = "WILLTOPIC", "8" = "WILLMSGREQ", "9" = "WILLMSG", "10" = "REGISTER",
  "11" = "REGACK", "12" = "PUBLISH", "13" = "PUBACK", "14" = "PUBCOMP", "15" = "PUBREC",
  "16" = "PUBREL", "18" = "SUBSCRIBE", "19" = "SUBACK", "20" = "UNSUBSCRIBE", "21" = "UNSUBACK",
  "22" = "PINGREQ", "23" = "PINGRESP", "24" = "DISCONNECT"
)

#' Grammar of the workload's payload at the start of each record: `<id> <seq> <t_us>` with a
#' trailing pad of dots, or `id:seq` for small sizes (firmware/core/workload.h).
workload_record <- "[!-9;-~]+( [0-9]+ [0-9]+|:[0-9]+)[ .]*"

#' Raw TCP and UDP: payload that no dissector took. Records with the raw protocols' header
#' (firmware/core/raw_header.h) are messages and acknowledgements; else a TCP segment may hold
#' several records of the workload, and a segment that follows neither grammar counts as one
#' message.
messages_raw <- function(p) {
  packets <- p[nzchar(data) & payload > 0L & transport != "other" & !retransmit &
                 grepl("(tcp|udp):data$", protocols)]
  if (nrow(packets) == 0L) return(NULL)
  records <- raw_records(packets$data)
  framed <- lengths(records) > 0L
  data.table::rbindlist(list(messages_framed(packets[framed], records[framed]),
                             messages_unframed(packets[!framed])))
}

#' Messages of packets that consist of records with a header.
#'
#' @param records for each packet the hexadecimal headers, see [raw_records()].
messages_framed <- function(packets, records) {
  if (nrow(packets) == 0L) return(NULL)
  count <- lengths(records)
  header <- unlist(records)
  wanted <- substr(header, 1L, 2L) == "01"
  size <- strtoi(substr(header, 5L, 8L), 16L)
  message_rows(packets, count, protocol = rep(packets$transport, count),
    kind = ifelse(wanted, "data", "ack"), type = ifelse(wanted, "DATA", "ACK"),
    id = substr(header, 9L, 16L), bytes = size + 8, payload_bytes = as.numeric(size))
}

#' Headers of the records that fill each payload to its last byte; none where they do not.
#'
#' @param hex payloads, hexadecimal. @return list of character vectors, 16 digits a header.
raw_records <- function(hex) {
  lapply(hex, function(h) {
    found <- character()
    at <- 1L
    end <- nchar(h)
    while (at <= end) {
      header <- substr(h, at, at + 15L)
      known <- grepl("^(010[01][0-9a-f]{12}|02000000[0-9a-f]{8})$", header)
      if (!known) return(character())
      found <- c(found, header)
      at <- at + 16L + 2L * strtoi(substr(header, 5L, 8L), 16L)
    }
    if (at == end + 1L) found else character()
  })
}

messages_unframed <- function(packets) {
  if (nrow(packets) == 0L) return(NULL)
  whole <- grepl(paste0("^(", workload_record, ")+$"), text <- from_hex(packets$data))
  count <- rep(1L, nrow(packets))
  stream <- packets$transport == "tcp" & whole
  count[stream] <- lengths(gregexpr(workload_record, text[stream]))
  message_rows(packets, count, protocol = packets$transport[rep(seq_along(count), count)],
    kind = "data", type = "DATA", bytes = rep(packets$payload / count, count),
    payload_bytes = rep(packets$payload / count, count))
}

#' Text of hexadecimal bytes; bytes outside printable ASCII become U+007F so that no grammar
#' accepts them.
from_hex <- function(hex) {
  vapply(hex, USE.NAMES = FALSE, FUN.VALUE = "", function(h) {
    codes <- strtoi(substring(h, seq(1L, nchar(h), 2L), seq(2L, nchar(h), 2L)), 16L)
    codes[is.na(codes) | codes < 32L | codes > 126L] <- 127L
    intToUtf8(codes)
  })
}
