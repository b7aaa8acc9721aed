# One row for each message, from which further metrics can be computed.

#' Columns of a file of samples.
#'
#' `number` counts the messages of the workload in the order of the capture, repetitions apart;
#' `frame` completes the message; `time_s`, `acknowledged_s`, `answered_s`: seconds after the first
#' frame, of the message's first copy, its acknowledgement and its response; `request_ack_ms`,
#' `response_ms`: from the first copy to these, see [ack_delays()] and [answer_delays()]; `copies`:
#' how often the capture holds it; `bytes`, `payload_bytes` above the transport; `topic`, `id`;
#' `from`, `to`: its ends; `peer`: the address of the other end.
sample_columns <- c("file", "number", "frame", "time_s", "acknowledged_s", "answered_s",
                    "request_ack_ms", "response_ms", "copies", "bytes", "payload_bytes", "topic",
                    "id", "from", "to", "peer")

#' Those of them that are times.
sample_times <- c("time_s", "acknowledged_s", "answered_s", "request_ack_ms", "response_ms")

#' The messages of a context, one row each.
#'
#' @param ctx result of [measure_context()].
#' @return data.table with [sample_columns], without `file` and `number`.
message_samples <- function(ctx) {
  w <- ctx$workload[dup == FALSE]
  ack <- ack_delays(ctx)
  answer <- answer_delays(ctx)
  data.table::data.table(
    frame = w$frame, time_s = w$time, acknowledged_s = w$time + ack / 1e3,
    answered_s = w$time + answer / 1e3, request_ack_ms = ack, response_ms = answer,
    copies = 1 + repeated_copies(ctx) + segment_copies(ctx), bytes = w$bytes,
    payload_bytes = w$payload_bytes, topic = w$topic, id = w$id,
    from = end_name(w$src, w$sport), to = end_name(w$dst, w$dport),
    peer = if (ctx$direction == "to") w$src else w$dst)
}

#' Address and port as one text (RFC 3986, 3.2.2).
end_name <- function(address, port) {
  six <- grepl(":", address, fixed = TRUE)
  host <- data.table::fifelse(six, sprintf("[%s]", address), address)
  sprintf("%s:%d", host, as.integer(port))
}

#' How often the protocol repeats each message of the workload: later messages between the same
#' addresses, marked as repetitions, with the same identifier, topic and token.
#'
#' @param ctx result of [measure_context()].
repeated_copies <- function(ctx) {
  w <- data.table::copy(ctx$workload)
  w[, pair := paste(src, dst, channel, id, topic, token_of(w, ctx))]
  fresh <- w[dup == FALSE, .(pair, frame, row = seq_len(.N))]
  count <- rep(0, nrow(fresh))
  found <- fresh[w[dup == TRUE], on = .(pair, frame), roll = TRUE, mult = "last", row]
  again <- table(found[!is.na(found)])
  count[as.integer(names(again))] <- as.numeric(again)
  count
}

#' How often TCP retransmits each message of the workload: retransmitted segments that hold the last
#' byte of the segment that completes it. Sequence numbers are relative to the conversation's first
#' one, modulo 2^32 (RFC 793, 3.3).
segment_copies <- function(ctx) {
  w <- ctx$workload[dup == FALSE]
  if (ctx$transport != "tcp" || nrow(w) == 0L) return(rep(0, nrow(w)))
  s <- ctx$service[, .(frame, stream, src, sport, tcp_seq, tcp_len, retransmit)]
  s[, base := tcp_seq[1L], by = .(stream, src, sport)]
  s[, from := ((tcp_seq - base + 2^31) %% 2^32) - 2^31]
  again <- s[retransmit & tcp_len > 0L, .(frame, stream, src, sport, from, end = from + tcp_len)]
  own <- s[match(w$frame, frame)][, last := from + tcp_len - 1]
  held <- again[own, on = .(stream, src, sport, from <= last, end > last), .N, by = .EACHI]$N
  held - (own$frame %in% again$frame)
}

#' Append the samples of a part to a file.
#'
#' @param file CSV, which must not exist before the first part. @param capture its name for column
#'   `file`.
#' @param rows result of [message_samples()], the part's own. @param before messages before them.
append_samples <- function(file, capture, rows, before) {
  out <- data.table::copy(rows)[, `:=`(file = capture, number = before + seq_len(.N))]
  digits <- c(time_s = 9L, acknowledged_s = 9L, answered_s = 9L, request_ack_ms = 6L,
              response_ms = 6L)
  for (name in names(digits)) {
    text <- sprintf("%.*f", digits[[name]], out[[name]])
    data.table::set(out, j = name,
                    value = data.table::fifelse(is.na(out[[name]]), NA_character_, text))
  }
  for (name in c("copies", "bytes", "payload_bytes")) {
    data.table::set(out, j = name, value = tidy_number(out[[name]]))
  }
  data.table::fwrite(out[, sample_columns, with = FALSE], file, append = file.exists(file),
                     quote = "auto", na = "")
}

#' Read a file of samples, or some of its columns. (`fread` leaves quotes within quotes doubled.)
#'
#' @param file path. @param columns names of those that are read.
read_samples <- function(file, columns = sample_columns) {
  text <- intersect(columns, c("file", "topic", "id", "from", "to", "peer"))
  out <- read_csv(file, select = columns, colClasses = list(character = text), sep = ",")
  for (name in text) {
    data.table::set(out, j = name, value = gsub('""', '"', out[[name]], fixed = TRUE))
  }
  out
}
