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

#' AMQP 0-9-1 frames (4.2): 7 bytes before, 1 after. A message is a method (basic.publish or
#' basic.deliver), a header and its body frames; the method's row stands for all of them.
messages_amqp <- function(p) {
  packets <- p[nzchar(amqp_type)]
  if (nrow(packets) == 0L) return(NULL)
  types <- split_list(packets$amqp_type)
  count <- lengths(types)
  frame <- rep(seq_along(count), count)
  type <- as.integer(unlist(types))
  bytes <- as.numeric(take_values(frame, rep(1L, length(frame)), split_list(packets$amqp_len))) + 8
  class <- as.integer(take_values(frame, type == 1L, split_list(packets$amqp_class)))
  method <- as.integer(take_values(frame, type == 1L, split_list(packets$amqp_method)))
  basic <- class %in% 60L
  starts <- basic & method %in% c(40L, 60L)
  acks <- basic & method %in% c(80L, 90L, 120L)
  rows <- message_rows(packets, count, protocol = "amqp",
    kind = data.table::fcase(starts, "data", acks, "ack", type %in% 2:3, "part",
                             default = "session"),
    type = data.table::fcase(starts & method == 40L, "PUBLISH", starts, "DELIVER", acks, "ACK",
                             type == 2L, "HEADER", type == 3L, "BODY", type == 8L, "HEARTBEAT",
                             default = "METHOD"),
    id = take_values(frame, acks | (starts & method == 60L), split_list(packets$amqp_tag)),
    topic = take_values(frame, starts, split_list(packets$amqp_key)), bytes = bytes,
    payload_bytes = data.table::fifelse(type == 3L, bytes - 8, 0))
  join_amqp_parts(rows)
}

#' Add header and body frames to the method they follow in the same direction of a stream.
join_amqp_parts <- function(rows) {
  rows[, part := kind == "part"]
  rows[, message := cumsum(!part), by = .(stream, src, sport)]
  rows[, `:=`(bytes = c(sum(bytes), rep(0, .N - 1L)),
              payload_bytes = c(sum(payload_bytes), rep(0, .N - 1L))),
       by = .(stream, src, sport, message)]
  out <- rows[part == FALSE]
  out[, c("part", "message") := NULL]
  out
}
