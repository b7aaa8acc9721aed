# Messages of HTTP.

#' HTTP/1.1 requests and responses (RFC 7230, 3). A frame completes one or, pipelined, several;
#' their lengths are equal parts of its segments together, their payload is what Content-Length or
#' the chunks say, or nothing.
messages_http <- function(p) {
  packets <- p[(nzchar(http_method) | nzchar(http_status)) & transport == "tcp"]
  if (nrow(packets) == 0L) return(NULL)
  methods <- split_list(packets$http_method)
  statuses <- split_list(packets$http_status)
  count <- lengths(methods) + lengths(statuses)
  frame <- rep(seq_along(count), count)
  request <- sequence(count) <= lengths(methods)[frame]
  names <- data.table::fifelse(request, take_values(frame, request, methods),
                               take_values(frame, !request, statuses))
  sent <- pmax(transport_payload(packets), joined_sum(packets$reassembled))
  total <- pmax(sent - packets$sealed, joined_sum(packets$tls_joined))
  rows <- message_rows(packets, count, protocol = "http",
    kind = data.table::fifelse(request, "request", "response"), type = names,
    topic = take_values(frame, request, split_list(packets$http_uri)),
    bytes = (total / count)[frame], payload_bytes = http_bodies(packets, frame, names, total))
  rows[without_body(rows), payload_bytes := 0][]
}

#' Responses that have no body, whatever length they name (RFC 9112, 6.3): to HEAD, and those with
#' status 1xx, 204 and 304.
without_body <- function(rows) {
  asked <- which(rows$kind == "request")
  answers <- which(rows$kind == "response" & !grepl("^1..$", rows$type))
  first <- answers[order_of_replies(rows[asked], rows[answers])]
  c(first[rows$type[asked] == "HEAD" & !is.na(first)],
    which(rows$kind == "response" & grepl("^(1..|204|304)$", rows$type)))
}

#' Sums of joined numbers.
joined_sum <- function(joined) {
  vapply(split_list(joined), function(x) sum(as.numeric(x)), 0)
}

#' Requests and responses that usually have no body (RFC 7231, 4.3 and 6).
bodiless <- "^(GET|HEAD|DELETE|OPTIONS|TRACE|CONNECT|1..|204|304)$"

#' Bytes of the bodies of messages: the lengths of each frame in turn for its messages that can have
#' a body, or for all where there are more lengths than those.
http_bodies <- function(packets, frame, names, total) {
  chunked <- lapply(split_list(packets$http_chunks), chunk_sums)
  lengths <- Map(c, lapply(split_list(packets$http_length), as.numeric), chunked)
  able <- !grepl(bodiless, names)
  enough <- tabulate(frame[able], length(lengths)) >= lengths(lengths)
  size <- as.numeric(take_values(frame, able | !enough[frame], lapply(lengths, as.character)))
  size[is.na(size)] <- 0
  before <- stats::ave(size, frame, FUN = cumsum) - size
  pmin(size, pmax(total[frame] - before, 0))
}

#' Bodies of a frame from the sizes of its chunks: each ends with one of size 0.
chunk_sums <- function(sizes) {
  if (length(sizes) == 0L) return(numeric())
  size <- as.numeric(sizes)
  as.numeric(rowsum(size, cumsum(c(0, head(size == 0, -1L)))))
}
