# What a trial with faults has covered, for the search of `thinwire hunt` (docs/hunt.md): two trials
# with the same set of features are alike. Features guide a search, and enter no result.

#' Features of a trial.
#'
#' @param bundle result of [read_bundle()]. @param metrics result of [oracle_metrics()], or NULL.
#' @param ctx result of [oracle_context()]; NULL where nothing was captured.
#' @return sorted texts: the outcome, what the logs hold, oracles by magnitude, pairs of messages
#'   that follow each other on a connection, and how often which message occurs, by magnitude.
coverage_features <- function(bundle, metrics = NULL, ctx = NULL) {
  logged <- c(board = "board", server = "server")
  events <- lapply(names(logged), function(name) {
    kinds <- unique(bundle[[name]]$ev)
    if (length(kinds)) paste(name, kinds)
  })
  oracles <- if (NROW(metrics)) paste(metrics$metric, magnitude(metrics$value))
  sort(unique(c(paste("outcome", bundle$lab$outcome), unlist(events), oracles,
                if (!is.null(ctx)) message_features(ctx))))
}

#' Features of the messages and connections of a capture.
message_features <- function(ctx) {
  m <- ctx$messages[order(frame, position)]
  if (nrow(m) == 0L) return("messages 0")
  m[, word := paste0(ifelse(outward, "device ", "server "), type,
                     ifelse(dup %in% TRUE, " DUP", ""))]
  m[, after := data.table::shift(word, fill = "begin"), by = stream]
  last <- m[, .(word = word[.N]), by = stream]
  counts <- m[, .N, by = word]
  c(m[, paste(after, ">", word)], paste(last$word, "> end"),
    counts[, paste(word, magnitude(N))],
    paste("connections", magnitude(data.table::uniqueN(m$stream))))
}

#' What `thinwire hunt` asks of a bundle.
#'
#' @param wanted,folder as of [check_expectations()]. @param until see [packet_counts()].
#' @return list with `rows` (a row of [check_one()] for each expectation), `features`, `packets`.
examine_hunted <- function(wanted, folder, until = Inf) {
  tried <- measure_tried(folder, oracles = TRUE)
  rows <- lapply(seq_len(nrow(wanted)), function(i) check_one(tried, wanted[i]))
  ctx <- if (is.list(tried$capture)) oracle_context(tried$bundle)
  oracles <- tried$metrics[metric %in% oracle_names]
  list(rows = data.table::rbindlist(rows)[, .(value, unit, holds, reason)],
       features = I(coverage_features(tried$bundle, oracles, ctx)),
       packets = if (is.null(ctx)) list() else packet_counts(ctx, until))
}

#' How often which packet occurs up to a moment, as the faults of docs/faults.md name packets.
#'
#' @param ctx result of [oracle_context()]. @param until s since 1970.
#' @return data.table `packet`, `from` ("device" or "server"), `count`.
packet_counts <- function(ctx, until = Inf) {
  m <- ctx$messages[!is.na(type) & time + ctx$begin <= until]
  m[, .(count = .N), by = .(packet = type, from = ifelse(outward, "device", "server"))][
    order(packet, from)]
}

#' The magnitude of a number: 0, 1, 2, 4, 8 and so on, with the sign.
magnitude <- function(x) {
  size <- abs(x)
  sign(x) * ifelse(size < 1, ceiling(size), 2^floor(log2(pmax(size, 1))))
}
