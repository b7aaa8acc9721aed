# Messages of WebSocket and AMQP 0-9-1.

#' WebSocket frames (RFC 6455, 5.2): 2 bytes, 2 or 8 more for long payloads, 4 for a mask.
messages_websocket <- function(p) {
  packets <- p[nzchar(ws_opcode)]
  if (nrow(packets) == 0L) return(NULL)
  opcodes <- split_list(packets$ws_opcode)
  count <- lengths(opcodes)
  frame <- rep(seq_along(count), count)
  every <- rep(1L, length(frame))
  opcode <- as.integer(unlist(opcodes))
  payload <- as.numeric(take_values(frame, every, split_list(packets$ws_payload)))
  long <- payload %in% 126
  payload[long] <- as.numeric(take_values(frame, long, split_list(packets$ws_payload_16)))[long]
  huge <- payload %in% 127 & !long
  payload[huge] <- as.numeric(take_values(frame, huge, split_list(packets$ws_payload_64)))[huge]
  payload[is.na(payload)] <- 0
  masked <- take_values(frame, every, split_list(packets$ws_mask)) %in% c("1", "True")
  header <- 2 + 2 * (payload > 125 & payload <= 65535) + 8 * (payload > 65535) + 4 * masked
  data <- opcode %in% 0:2
  names <- c("CONTINUATION", "TEXT", "BINARY")
  message_rows(packets, count, protocol = "websocket",
    kind = data.table::fifelse(data, "data", "session"),
    type = data.table::fifelse(data, names[pmin(opcode, 2L) + 1L], paste0("OPCODE", opcode)),
    bytes = header + payload, payload_bytes = data.table::fifelse(data, payload, 0))
}

#' AMQP 0-9-1 frames (4.2): 7 bytes before, 1 after. A message is a method with content
#' (basic.publish, basic.deliver, basic.get-ok), a header and its body frames; one row stands for
#' all of them.
messages_amqp <- function(p) {
  packets <- p[nzchar(amqp_type) & !nzchar(amqp_doff)]
  if (nrow(packets) == 0L) return(NULL)
  lists <- function(column) split_list(packets[[column]])
  types <- lists("amqp_type")
  count <- lengths(types)
  frame <- rep(seq_along(count), count)
  every <- rep(1L, length(frame))
  type <- as.integer(unlist(types))
  bytes <- as.numeric(take_values(frame, every, lists("amqp_len"))) + 8
  class <- as.integer(take_values(frame, type == 1L, lists("amqp_class")))
  method <- as.integer(take_values(frame, type == 1L, lists("amqp_method")))
  name <- paste(class, method)
  starts <- name %in% names(amqp_contents)
  acks <- name %in% c("60 80", "60 90", "60 120") # ack, reject, nack
  tags <- take_values(frame, acks | name %in% c("60 60", "60 71"), lists("amqp_tag"))
  all <- take_values(frame, name %in% c("60 80", "60 120"), lists("amqp_multiple"))
  keys <- take_values(frame, name %in% amqp_keyed, lists("amqp_key"))
  rows <- message_rows(packets, count, protocol = "amqp",
    kind = data.table::fcase(starts, "data", acks, "ack", type %in% 2:3, "part",
                             default = "session"),
    type = data.table::fcase(starts, unname(amqp_contents[name]),
                             acks & all %in% c("1", "True"), "ACK_UP_TO", acks, "ACK",
                             name == "20 10", "CHANNEL_OPEN", name == "85 10", "CONFIRM_SELECT",
                             type == 2L, "HEADER", type == 3L, "BODY", type == 8L, "HEARTBEAT",
                             default = "METHOD"),
    id = tags, topic = data.table::fifelse(starts, keys, NA_character_),
    channel = as.integer(take_values(frame, every, lists("amqp_channel"))), bytes = bytes,
    payload_bytes = data.table::fifelse(type == 3L, bytes - 8, 0))
  join_amqp_parts(rows)
}

#' Methods that deliver content, by class and number. (Content of basic.return is not a delivery.)
amqp_contents <- c("60 40" = "PUBLISH", "60 60" = "DELIVER", "60 71" = "GET_OK")

#' Methods with a routing key: those above, basic.return, and bind and unbind of exchange and queue.
amqp_keyed <- c(names(amqp_contents), "60 50", "40 30", "40 40", "50 20", "50 50")

#' Add header and body frames to the method that precedes them in the same channel and direction of
#' a stream: frames of several channels may be mixed (4.2.6). The message is placed at the end of
#' its last frame.
join_amqp_parts <- function(rows) {
  rows[, `:=`(part = kind == "part", row = seq_len(.N))]
  rows[, message := cumsum(!part), by = .(stream, src, sport, channel)]
  rows[, `:=`(bytes = c(sum(bytes), rep(0, .N - 1L)),
              payload_bytes = c(sum(payload_bytes), rep(0, .N - 1L)),
              frame = frame[.N], time = time[.N], row = row[.N]),
       by = .(stream, src, sport, channel, message)]
  out <- data.table::setorder(rows[part == FALSE], row)
  out[, position := seq_len(.N), by = frame]
  out[, c("part", "message", "row") := NULL][]
}
