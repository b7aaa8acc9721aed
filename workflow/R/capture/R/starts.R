# The beginnings of messages: a message of several segments or fragments has its row where it is
# complete, but its cost counts from its first one.

#' First frame of each message of the workload, repetitions apart.
#'
#' A message that tshark joined from several TCP segments, TLS records or IP fragments begins in the
#' first of these frames that is in the service.
#'
#' @param ctx result of [measure_context()].
#' @return data.table `stream`, `frame` (the first one), `complete` (the frame with its row), in the
#'   order of the workload.
message_starts <- function(ctx) {
  w <- ctx$workload[dup == FALSE]
  first <- first_frames(ctx$service)[match(w$begun, ctx$service$frame)]
  data.table::data.table(stream = w$stream, frame = data.table::fcoalesce(first, w$begun),
                         complete = w$frame)
}

#' First frame of the message that each frame completes; the frame itself if nothing was joined in
#' it.
#'
#' Two steps: a TLS record may be joined from TCP segments, and a message from records.
#'
#' @param s packets. @return frame numbers, a value a row.
first_frames <- function(s) {
  parts <- split_list(join_lists(s$segments, s$fragments))
  own <- s$frame
  owner <- rep(seq_along(parts), lengths(parts))
  piece <- match(as.integer(unlist(parts)), own)
  owner <- owner[!is.na(piece)]
  piece <- piece[!is.na(piece)]
  step <- function(first, at) {
    least <- tapply(first[piece[at]], owner[at], min)
    first[as.integer(names(least))] <- pmin(first[as.integer(names(least))], least)
    first
  }
  first <- step(own, seq_along(owner))
  step(first, which(s$sealed[owner] > 0L))
}
