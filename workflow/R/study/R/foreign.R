# Messages of a foreign device: a program or firmware that is none of ours, and need not write a
# log. The capture has what left it, the server's recorder what reached the application.

#' Is the device of a trial foreign?
is_foreign <- function(bundle) isTRUE(bundle$trial$parameters$foreign)

#' Does nothing but the capture know what a foreign device sent? One that writes the lines `sent` of
#' docs/firmware.md is measured like ours.
without_log <- function(bundle) is_foreign(bundle) && nrow(log_events(bundle$board, "sent")) == 0L

#' The packets table with the column `body`, see [body_schema()].
packets_with_bodies <- function(bundle) {
  dissect(file.path(bundle$folder, "wire.pcapng.gz"), server_port(bundle), schema = body_schema())
}

#' What a message is recognised by, on both sides: the number in its payload if it has one, else its
#' first bytes and its size. Messages that are equal in it are counted, not distinguished.
#'
#' @param hex first bytes of payloads, hexadecimal; NA where unknown. @param bytes their sizes.
payload_mark <- function(hex, bytes) {
  number <- payload_number(hex)
  data.table::fifelse(is.na(number), paste(hex, bytes), paste("number", number))
}

#' The number in a payload of the laboratory's own form (hil/design/payload.py); NA for others.
payload_number <- function(hex) {
  text <- vapply(hex, hex_text, "", USE.NAMES = FALSE)
  text <- sub("^\\{\"[^\"]*\":\"([^\"]*)\".*$", "\\1", text) # the first property of an object
  form <- "^(?:[!-9;-~]{1,23} ([0-9]{1,10}) [0-9]+ ?|[!-9;-~]{0,23}:([0-9]{1,10}))[.]*$"
  found <- regmatches(text, regexec(form, text, perl = TRUE))
  number <- vapply(found, function(m) if (length(m)) paste0(m[2L], m[3L]) else NA_character_, "")
  value <- as.numeric(number)
  data.table::fifelse(!is.na(value) & value < 2^32, value, NA_real_)
}

#' ASCII text of hexadecimal bytes; "" if they hold others.
hex_text <- function(hex) {
  if (is.na(hex) || !nzchar(hex) || !grepl("^([2-7][0-9a-f])+$", hex)) return("")
  bytes <- substring(hex, seq(1L, nchar(hex), 2L), seq(2L, nchar(hex), 2L))
  rawToChar(as.raw(strtoi(bytes, 16L)))
}

#' Marks of the messages in a workload; NA where no dissector found a payload.
#'
#' @param rows messages, in the order of the capture. @param packets with `body`.
workload_marks <- function(rows, packets) {
  frames <- match(rows$frame, unique(rows$frame))
  bodies <- split_list(packets$body[match(unique(rows$frame), packets$frame)])
  hex <- take_values(frames, rows$payload_bytes > 0, bodies)
  marks <- payload_mark(gsub(":", "", hex, fixed = TRUE), rows$payload_bytes)
  marks[rows$payload_bytes > 0 & is.na(hex)] <- NA_character_
  marks[rows$payload_bytes == 0] <- payload_mark("", 0)
  marks
}

#' Which messages are no repetitions of one that the capture has: those that the protocol does not
#' mark as such, and the first with a mark that none of these has.
first_copies <- function(dup, marks) {
  !dup | (!is.na(marks) & !marks %in% marks[!dup] & !duplicated(marks))
}

#' Which messages of MQTT repeat one without DUP, a violation of MQTT-3.3.1-1 that an oracle counts:
#' they have its identifier and contents on a later connection, and it was not acknowledged.
unmarked_repetitions <- function(ctx, marks) {
  w <- ctx$workload[, .(stream, id, time, mark = marks)]
  w[, `:=`(last = data.table::shift(stream), since = data.table::shift(time)), by = .(id, mark)]
  ends <- ctx$messages[!outward & type %in% c("PUBACK", "PUBCOMP"), .(id, time)]
  open <- function(i) !any(ends$id %in% w$id[i] & ends$time > w$since[i] & ends$time < w$time[i])
  again <- w[, which(ctx$protocol == "mqtt" & !is.na(id) & !is.na(mark) & last != stream)]
  seq_len(nrow(w)) %in% again[vapply(again, open, NA)]
}

#' Messages of a foreign device that publishes: of each mark as many are delivered as reached the
#' server's application, at most those that left the device; what reached it beyond are copies.
#'
#' A client that reconnects marks as repetitions (DUP) also messages that it had handed to a lost
#' connection and that never left the device. Such a message is one that left.
#'
#' @param bundle result of [read_bundle()]. @param ctx context of its capture. @param packets with
#'   `body`, see [packets_with_bodies()].
#' @return as [message_table()]; where no recorder logs what arrives, a message counts as delivered
#'   when it was acknowledged, and `copies` is NA.
foreign_messages <- function(bundle, ctx, packets) {
  marks <- workload_marks(ctx$workload, packets)
  first <- first_copies(ctx$workload$dup | unmarked_repetitions(ctx, marks), marks)
  ctx$workload <- data.table::copy(ctx$workload)[, dup := !first]
  sent <- data.table::data.table(mark = marks[first], size = ctx$workload$payload_bytes[first])
  reached <- acknowledged_at(ctx, packets)
  out <- data.table::data.table(sender = "board", seq = as.numeric(seq_len(nrow(sent))),
                                sent = TRUE, acked = !is.na(reached), failed = NA_character_)
  if (!is_recorded(bundle)) {
    out[, `:=`(time = reached, copies = NA_integer_)]
    return(out[])
  }
  got <- marked_receipts(bundle)
  if (anyNA(sent$mark)) { # by size alone
    sent[, mark := as.character(size)]
    got[, mark := as.character(size)]
  }
  sent[, turn := seq_len(.N), by = mark]
  got[, turn := seq_len(.N), by = mark]
  arrived <- got[sent, on = c("mark", "turn"), time]
  out[, `:=`(time = arrived, copies = as.integer(!is.na(arrived)))]
  beyond <- got[!sent, on = c("mark", "turn")][, .N, by = mark]
  last <- sent[, .(row = .I[.N]), by = mark][beyond, on = "mark", nomatch = NULL]
  out[last$row, copies := copies + last$N]
  out[]
}

#' Does the server's log have what arrived? Beside a foreign broker a recorder subscribes, and notes
#' it, unless the broker refused it; other foreign servers have none.
is_recorded <- function(bundle) {
  !identical(bundle$trial$parameters$peer, "program") ||
    nrow(log_events(bundle$server, "recording")) > 0L
}

#' What the server's application received, in the order of time: `mark`, `size` (bytes), `time` (s).
marked_receipts <- function(bundle) {
  rows <- log_events(workload_logs(bundle)$receiver, "received")
  number <- as.numeric(log_values(rows, "seq"))
  start <- as.character(log_values(rows, "start"))
  start[is.na(start)] <- ""
  size <- as.numeric(log_values(rows, "bytes"))
  mark <- data.table::fifelse(is.na(number), paste(start, size), paste("number", number))
  out <- data.table::data.table(mark = as.character(mark), size = size, time = as.numeric(rows$t))
  data.table::setorder(out, time)
  out[]
}

#' When each message of a workload was acknowledged, s since 1970; NA: never. Where its protocol
#' asks for no acknowledgement (QoS 0), TCP's counts.
acknowledged_at <- function(ctx, packets) {
  fresh <- ctx$workload[dup == FALSE]
  delay <- ack_delays(ctx)
  if (ctx$transport == "tcp" && anyNA(delay)) {
    plain <- is.na(fresh$id)
    delay[plain] <- segment_ack_delays(ctx$service, fresh$frame)[plain]
  }
  as.numeric(packets$epoch[1L]) + fresh$time + delay / 1e3
}
