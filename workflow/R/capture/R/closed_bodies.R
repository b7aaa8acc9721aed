# HTTP responses whose body ends with the connection (RFC 9112, 6.3): without Content-Length and
# without chunks. tshark reports such a response in the FIN, which carries no data.

#' Columns of an HTTP response in the frame that completes it.
response_columns <- c("http_status", "http_length", "http_chunks", "segments", "reassembled")

#' Move these responses to the segment of their last byte, with the length of their body as
#' Content-Length.
#'
#' @param p packets table, which is changed. @param bodies starts tshark for the bytes of the bodies
#'   that end in some frames: `frame.number`, `tw.http_body`.
#' @return `p`.
end_at_data <- function(p, bodies) {
  ended <- which(p$fin & p$payload == 0L & nzchar(p$http_status) & nzchar(p$segments))
  last <- vapply(ended, last_data, 0L, p = p)
  ended <- ended[!is.na(last)]
  last <- last[!is.na(last)]
  if (length(ended) == 0L) return(p)
  lines <- finish_tshark(bodies(p$frame[ended]))
  on.exit(unlink(lines))
  found <- strsplit(readLines(lines), "\t", fixed = TRUE)
  size <- vapply(found, function(x) if (length(x) > 1L) x[2L] else "", "")
  size <- size[match(p$frame[ended], vapply(found, `[`, "", 1L))]
  unknown <- !nzchar(p$http_length[ended]) & !nzchar(p$http_chunks[ended]) & !is.na(size)
  data.table::set(p, ended[unknown], "http_length", size[unknown])
  for (name in response_columns) {
    data.table::set(p, last, name, p[[name]][ended])
    data.table::set(p, ended, name, "")
  }
  p
}

#' Row of the last segment with data of a message that a frame completes; NA where another response
#' is complete there.
last_data <- function(at, p) {
  parts <- match(as.integer(split_list(p$segments[at])[[1L]]), p$frame)
  parts <- parts[!is.na(parts) & p$payload[parts] > 0L]
  if (length(parts) == 0L || nzchar(p$http_status[max(parts)])) NA_integer_ else max(parts)
}
