# The contents of a capture whose device is not yet known.

#' The conversations of a capture.
#'
#' @param capture file. @param ports,keys,strict see [examine_capture()]. @param part,margin frames,
#'   see [part_frames].
#' @return list: `file`; `frames`; `conversations`, data.table `protocol`, `server`, `port`,
#'   `transport`, `chosen` (how the port was, see [chosen_by]), `peer`, `connections`, `frames`,
#'   `to_server`, `from_server` (messages of the kinds that form a workload, without repetitions),
#'   the one with the most messages first.
list_conversations <- function(capture, ports = NULL, part = part_frames, margin = margin_frames,
                               keys = NULL, strict = FALSE) {
  opened <- open_capture(capture, strict)
  warn_findings(sum_findings(opened$findings), capture)
  frames <- opened$frames
  file <- opened$file
  if (!is.null(keys)) {
    file <- with_keys(file, keys)
    on.exit(unlink(file))
    part <- frames
  }
  parts <- part_ranges(frames, part, margin)
  cutter <- new_cutter(file, frames)
  on.exit(cutter$clean(), add = TRUE)
  all <- ports
  state <- opened <- NULL
  for (k in seq_len(nrow(parts))) {
    piece <- cutter$cut(parts$from[k], parts$to[k])
    p <- dissect(piece, c(all, opened))
    if (k == 1L) {
      found <- guess_ports(p, unique(c(p$src, p$dst)))
      all <- c(ports, found[!found %in% ports])
      if (length(all) > length(ports)) p <- dissect(piece, all)
      opened <- opened_websockets(p)
    }
    cutter$free(piece)
    owned <- c(parts$first[k], parts$last[k]) - parts$from[k] + 1
    state <- add_connections(state, connections(p, owned, all))
  }
  if (!is.null(keys)) warn_findings(sum_findings(unopened(file, keys, all)), capture)
  if (nrow(state$rows) == 0L) no_conversations(capture)
  list(file = capture, frames = frames, conversations = join_connections(state, ports, all))
}

no_conversations <- function(capture) {
  input_error(capture, "holds no TCP and no UDP packets over IP",
              "give a pcap or pcapng capture of the device")
}

#' Connections of a part: pairs of ends in alphabetical order, `a` and `b`.
connections <- function(p, owned, ports) {
  p <- p[transport != "other" & nzchar(src)]
  inside <- p[frame >= owned[1L] & frame <= owned[2L]]
  m <- messages(p, ports)
  m <- workload_kinds(m)[frame %in% inside$frame & dup == FALSE]
  counts <- with_ends(m)[, .(from_a = sum(forward), from_b = sum(!forward)),
                         by = .(a, aport, b, bport, transport, protocol)]
  rows <- with_ends(inside)[, .(frames = .N, called = called_end(syn, forward, tcp_flags)),
                            by = .(a, aport, b, bport, transport)]
  list(counts = counts, rows = rows)
}

#' The destination of a connection's first SYN, 1 (`a`) or 2 (`b`); NA if none was captured.
called_end <- function(syn, forward, flags) {
  first <- which(syn & is_first_syn(flags))
  if (length(first)) 1L + forward[first[1L]] else NA_integer_
}

#' Add the ends in alphabetical order, and whether each row goes from the first to the second.
with_ends <- function(rows) {
  out <- data.table::copy(rows)
  if (is.null(out$transport)) out[, transport := sub(":.*", "", stream)]
  out[, forward := src < dst | (src == dst & sport <= dport)]
  out[, `:=`(a = data.table::fifelse(forward, src, dst), b = data.table::fifelse(forward, dst, src),
             aport = data.table::fifelse(forward, sport, dport),
             bport = data.table::fifelse(forward, dport, sport))]
}

#' Add up the connections of the parts.
add_connections <- function(state, part) {
  ends <- c("a", "aport", "b", "bport", "transport")
  rows <- data.table::rbindlist(list(state$rows, part$rows))
  rows <- rows[, .(frames = sum(frames), called = c(called[!is.na(called)], NA_integer_)[1L]),
               by = ends]
  counts <- data.table::rbindlist(list(state$counts, part$counts))
  counts <- counts[, .(from_a = sum(from_a), from_b = sum(from_b)), by = c(ends, "protocol")]
  list(rows = rows, counts = counts)
}

#' Join connections between the same addresses over the same protocol and port. The server is the
#' end that more connections share, else the one that received the SYN, else the one with the lower
#' port. Of several protocols on one connection (TCP data before its TLS) the one with the most
#' messages counts, and a recognised one takes precedence.
join_connections <- function(state, ports, all) {
  ends <- c("a", "aport", "b", "bport", "transport")
  counts <- state$counts[order(unnamed(protocol), -(from_a + from_b), protocol)]
  rows <- counts[, head(.SD, 1L), by = ends][state$rows, on = ends]
  uses <- data.table::rbindlist(list(rows[, .(end = paste(a, aport))],
                                     rows[, .(end = paste(b, bport))]))[, .N, by = end]
  used <- function(address, port) uses$N[match(paste(address, port), uses$end)]
  sides <- cbind(used(rows$a, rows$aport), used(rows$b, rows$bport))
  rows[, first := data.table::fcase(
    sides[, 1L] != sides[, 2L], sides[, 1L] > sides[, 2L],
    !is.na(called), called == 1L, default = NA)]
  rows[is.na(first), first := aport <= bport]
  pick <- function(yes, no) data.table::fifelse(rows$first, rows[[yes]], rows[[no]])
  out <- data.table::data.table(
    protocol = data.table::fifelse(is.na(rows$protocol), "", rows$protocol),
    server = pick("a", "b"), port = pick("aport", "bport"), transport = rows$transport,
    peer = pick("b", "a"), frames = rows$frames, to_server = pick("from_b", "from_a"),
    from_server = pick("from_a", "from_b"))
  out <- out[, .(connections = .N, frames = sum(frames), to_server = sum(to_server, na.rm = TRUE),
                 from_server = sum(from_server, na.rm = TRUE)),
             by = .(protocol, server, port, transport, peer)]
  out[, chosen := data.table::fcase(!nzchar(protocol), "", port %in% ports, chosen_by[["given"]],
                                    port %in% all, chosen_by[["bytes"]],
                                    default = chosen_by[["standard"]])]
  out[order(-(to_server + from_server), -frames, server, port, peer)]
}
