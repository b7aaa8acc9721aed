# Match replies to requests. The order of the frames decides, not their times, since two frames can
# have the same time.

#' Times of the responses to requests.
#'
#' HTTP answers in the order of the requests (RFC 7230, 6.3.2). CoAP: a piggybacked response has the
#' message ID of its request, a separate one its token (RFC 7252, 5.3.2), which may be empty; each
#' member of a group answers a group request from its own address (8.2).
#'
#' @param ctx context. @param requests some of its messages.
#' @return s, NA where there is none.
response_times <- function(ctx, requests) {
  responses <- ctx$messages[kind == "response" & protocol == ctx$protocol]
  if (ctx$protocol == "http") return(replies_in_order(requests, responses))
  asked <- token_of(requests, ctx)
  carried <- responses[type == "ACK"]
  separate <- responses[type != "ACK"]
  answered <- token_of(separate, ctx)
  group <- is_group(requests$dst)
  data.table::fcoalesce(
    first_reply(requests, carried, requests$id, carried$id),
    first_reply(requests, separate, asked, answered),
    data.table::fifelse(group, first_reply(requests, separate, asked, answered, anyone = TRUE),
                        NA_real_))
}

#' Tokens of CoAP messages, "" elsewhere.
token_of <- function(rows, ctx) {
  token <- ctx$packets$coap_token[match(rows$frame, ctx$packets$frame)]
  data.table::fifelse(is.na(token), "", token)
}

#' Time of the first reply to each request: the same conversation, the other direction, an equal
#' key, after the request and before the next request with that key.
#'
#' @param anyone a reply to the sender's port from any address counts.
#' @return numeric times, NA where there is none.
first_reply <- function(questions, replies, question_key, reply_key, anyone = FALSE) {
  out <- rep(NA_real_, nrow(questions))
  if (nrow(questions) == 0L || nrow(replies) == 0L) return(out)
  talk <- function(rows) if (anyone) "" else rows$stream
  q <- data.table::data.table(pair = paste(talk(questions), questions$src, questions$sport,
                                           question_key),
                              frame = questions$frame, row = seq_len(nrow(questions)))
  r <- data.table::data.table(pair = paste(talk(replies), replies$dst, replies$dport, reply_key),
                              frame = replies$frame, reply = replies$time)
  data.table::setorder(q, pair, frame, row)
  last <- q[r, on = .(pair, frame), roll = TRUE, mult = "last", .(row, frame = i.frame, reply)]
  last <- last[!is.na(row)]
  data.table::setorder(last, frame)
  first <- unique(last, by = "row")
  out[first$row] <- first$reply
  out
}

#' Times of the replies in protocols where replies have the order of the requests of their
#' conversation.
replies_in_order <- function(questions, replies) {
  final <- replies[!grepl("^1..$", type)]
  final$time[order_of_replies(questions, final)]
}

#' The reply to each request, in protocols where replies have the order of the requests of their
#' conversation. A reply without an open request belongs to one from before the capture.
#'
#' @param final replies, without interim ones (1xx).
#' @return row of `final` for each request, NA if there is none.
order_of_replies <- function(questions, final) {
  out <- rep(NA_integer_, nrow(questions))
  both <- data.table::data.table(
    pair = c(paste(questions$stream, questions$src), paste(final$stream, final$dst)),
    frame = c(questions$frame, final$frame), position = c(questions$position, final$position),
    step = rep(c(1L, -1L), c(nrow(questions), nrow(final))),
    row = c(seq_len(nrow(questions)), seq_len(nrow(final))))
  data.table::setorder(both, pair, frame, position)
  both[, lowest := cummin(pmin(cumsum(step), 0L)), by = pair]
  both[, stray := step < 0L & lowest < data.table::shift(lowest, fill = 0L), by = pair]
  both <- both[stray == FALSE]
  both[, turn := seq_len(.N), by = .(pair, step)]
  asked <- both[step > 0L]
  found <- both[step < 0L][asked, on = .(pair, turn), row]
  out[asked$row] <- found
  out
}
