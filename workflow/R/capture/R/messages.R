# The messages table: one row per application message, whatever the protocol.

#' Application messages of a packets table.
#'
#' @param p packets table.
#' @param ports named integer vector: on those of `tcp` and `udp` foreign payload is a message, too.
#' @return data.table with `frame`, `time` (s), `stream`, `src`, `dst`, `sport`, `dport`,
#'   `begun` (the frame in which a message of several frames begins; else `frame`), `protocol`,
#'   `position` (1 for the first message that the frame completes), `kind` ("data":
#'   carries the workload; "request", "response"; "ack"; "session"; "handshake": TLS's own), `type`
#'   (the protocol's name), `id`, `topic`, `channel` (of AMQP; of MQTT-SN
#'   the node behind a forwarder), `bytes` (the message on the wire
#'   above the transport and TLS), `payload_bytes`, `property_bytes` (MQTT 5: properties with their
#'   length), `dup` (the protocol marks it as a repetition), sorted by frame and position.
messages <- function(p, ports = NULL) {
  parsers <- list(messages_mqtt, messages_mqttsn, messages_coap, messages_http, messages_websocket,
                  messages_amqp, messages_tls, messages_raw)
  foreign <- messages_foreign(p, ports)
  known <- p[!frame %in% foreign$frame]
  found <- c(lapply(parsers, function(parse) parse(known)), list(foreign))
  out <- data.table::rbindlist(c(list(empty_messages()), found), use.names = TRUE)
  data.table::setorder(out, frame, position)
  open_websockets(out)
}

#' The HTTP exchange that opens a WebSocket (RFC 6455, 4) belongs to the session.
open_websockets <- function(m) {
  opened <- m[protocol == "http" & type == "101", .(stream, opened = frame)]
  m[opened, opened := i.opened, on = "stream"]
  m[protocol == "http" & frame <= opened, kind := "session"]
  m[, opened := NULL][]
}

empty_messages <- function() {
  data.table::data.table(
    frame = integer(), time = numeric(), stream = character(), src = character(),
    dst = character(), sport = integer(), dport = integer(), begun = integer(),
    protocol = character(),
    position = integer(), kind = character(), type = character(), id = character(),
    topic = character(), channel = integer(), bytes = numeric(),
    payload_bytes = numeric(), property_bytes = numeric(), dup = logical()
  )
}

#' Columns of the packet that every message row has.
packet_columns <- c("frame", "time", "stream", "src", "dst", "sport", "dport")

#' Rows of a messages table for the given packets, one message each unless `times` says otherwise.
message_rows <- function(packets, times = 1L, ...) {
  at <- rep(seq_len(nrow(packets)), times)
  rows <- packets[at, packet_columns, with = FALSE]
  rows[, `:=`(begun = frame, position = sequence(rep_len(times, nrow(packets))))]
  values <- list(...)
  for (name in names(values)) data.table::set(rows, j = name, value = values[[name]])
  defaults <- empty_messages()
  for (name in setdiff(names(defaults), names(rows))) {
    missing <- switch(name, dup = FALSE, property_bytes = 0, defaults[[name]][NA_integer_])
    data.table::set(rows, j = name, value = missing)
  }
  data.table::setcolorder(rows, names(defaults))
  rows
}

#' Give the k-th consumer within each frame the k-th value of a list column.
#'
#' @param frame frame index of each message row.
#' @param takes logical or integer: how many values the message consumes (it gets the first).
#' @param lists list of character vectors, one per frame index.
#' @return character vector, NA where nothing is taken or the list is too short.
take_values <- function(frame, takes, lists) {
  takes <- as.integer(takes)
  before <- stats::ave(takes, frame, FUN = cumsum) - takes
  offset <- c(0L, cumsum(lengths(lists)))[frame]
  flat <- unlist(lists, use.names = FALSE)
  if (is.null(flat)) flat <- character()
  available <- before < lengths(lists)[frame]
  data.table::fifelse(takes > 0L & available, flat[offset + before + 1L], NA_character_)
}

#' MQTT 3.1.1 and 5 control packets (MQTT-2.2, MQTT-3).
messages_mqtt <- function(p) {
  packets <- p[nzchar(mqtt_flags)]
  if (nrow(packets) == 0L) return(NULL)
  flags <- split_list(packets$mqtt_flags)
  count <- lengths(flags)
  frame <- rep(seq_along(count), count)
  header <- strtoi(unlist(flags), 16L)
  code <- bitwShiftR(header, 4L)
  qos <- bitwAnd(bitwShiftR(header, 1L), 3L)
  publish <- code == 3L
  length <- as.numeric(take_values(frame, rep(1L, length(frame)), split_list(packets$mqtt_len)))
  topic_lengths <- split_list(packets$mqtt_topic_len)
  topics <- align_topics(split_list(packets$mqtt_topic), topic_lengths)
  takes <- topics_taken(frame, code, length, topic_lengths)
  topic <- take_values(frame, takes, topics)
  topic_bytes <- as.numeric(take_values(frame, takes, topic_lengths))
  has_id <- code %in% 4:11 | (publish & qos > 0L)
  id <- take_values(frame, has_id, split_list(packets$mqtt_id))
  property_lengths <- split_list(packets$mqtt_properties)
  has_properties <- properties_taken(frame, code, length, property_lengths)
  properties <- as.numeric(take_values(frame, has_properties, property_lengths))
  property_bytes <- data.table::fifelse(is.na(properties), 0, properties + varint_bytes(properties))
  payload <- length - 2 - topic_bytes - 2 * (qos > 0L) - property_bytes
  names <- c("CONNECT", "CONNACK", "PUBLISH", "PUBACK", "PUBREC", "PUBREL", "PUBCOMP", "SUBSCRIBE",
             "SUBACK", "UNSUBSCRIBE", "UNSUBACK", "PINGREQ", "PINGRESP", "DISCONNECT", "AUTH")
  known <- code >= 1L & code <= 15L
  rows <- message_rows(packets, count, protocol = "mqtt",
    kind = data.table::fcase(publish, "data", code %in% 4:7, "ack", default = "session"),
    type = data.table::fifelse(known, names[pmax(code, 1L)], "RESERVED"),
    id = id, topic = data.table::fifelse(publish, topic, NA_character_),
    bytes = 1 + varint_bytes(length) + length,
    payload_bytes = data.table::fifelse(publish, pmax(payload, 0), 0),
    property_bytes = property_bytes, dup = publish & bitwAnd(header, 8L) > 0L)
  rows[!is.na(bytes)]
}

#' Bytes of an MQTT variable byte integer (MQTT-2.2.3).
varint_bytes <- function(n) 1 + (n > 127) + (n > 16383) + (n > 2097151)

#' How many lengths of properties each control packet holds (MQTT 5, 2.2.2): PUBACK, PUBREC, PUBREL,
#' PUBCOMP, DISCONNECT and AUTH may end before it; CONNECT has a second one for its will (3.1.3.2).
properties_taken <- function(frame, code, length, lengths_) {
  takes <- as.integer(code %in% c(1:3, 8:11) | (code %in% 4:7 & length > 3) |
                        (code %in% 14:15 & length > 1))
  spare <- lengths(lengths_)[frame] - stats::ave(takes, frame, FUN = sum)
  takes + (code == 1L & spare > 0L)
}

#' Topics in the order of their lengths: tshark prints nothing for one of length 0 (MQTT 5 alias).
align_topics <- function(topics, lengths_) {
  short <- which(lengths(topics) != lengths(lengths_))
  for (i in short) {
    filled <- rep("", length(lengths_[[i]]))
    present <- which(lengths_[[i]] != "0")
    given <- topics[[i]][nzchar(topics[[i]])]
    k <- min(length(present), length(given))
    filled[present[seq_len(k)]] <- given[seq_len(k)]
    topics[[i]] <- filled
  }
  topics
}

#' How many topics each control packet holds: PUBLISH one, SUBSCRIBE and UNSUBSCRIBE as many as
#' fill its remaining length (MQTT-3.8.3, MQTT-3.10.3).
topics_taken <- function(frame, code, length, topic_lengths) {
  takes <- as.integer(code == 3L)
  for (f in unique(frame[code %in% c(8L, 10L)])) {
    rows <- which(frame == f)
    left <- as.numeric(topic_lengths[[f]])
    for (row in rows) {
      if (code[row] == 3L) left <- left[-1L]
      if (!code[row] %in% c(8L, 10L)) next
      room <- length[row] - 2
      cost <- cumsum(left + 2 + (code[row] == 8L))
      takes[row] <- sum(cost <= room)
      left <- left[-seq_len(takes[row])]
    }
  }
  takes
}
