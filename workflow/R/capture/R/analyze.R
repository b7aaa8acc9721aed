# `thinwire analyze`: the metrics of any capture, of any size.

#' Frames of a part and of the margins that overlap its neighbours. Smaller parts take less memory,
#' and more time for the margins (docs/metrics.md, "Size"); an answer that is further than a margin
#' from its question is not matched.
part_frames <- 25000L
margin_frames <- 2000L

#' Parts that are dissected while one is measured: two and R keep two processors busy.
parts_ahead <- 2L

#' Frames of a slab: parts are cut from it, so that a large capture is not read from its start for
#' each of them.
slab_frames <- 1000000

#' The metrics of a capture.
#'
#' @param ... see [examine_capture()].
#' @return metrics, see [capture_metrics()].
analyze_capture <- function(...) examine_capture(...)$metrics

#' Check, dissect and measure a capture.
#'
#' A capture of more frames than a part is measured part by part: memory does not grow with it.
#' tshark dissects the next parts while one is measured.
#'
#' @param capture pcap or pcapng, compressed or not.
#' @param device,topic see [measure_context()].
#' @param ports named integer vector of nonstandard ports.
#' @param damaged "stop": findings of [check_integrity()] are an error; "keep": measure anyway.
#' @param keys key log of its TLS and DTLS sessions, NULL for none. With it the capture is read in
#'   one part, since a session is opened from its beginning on.
#' @param part,margin frames, see [part_frames].
#' @param samples file that takes one row for each message, see [append_samples()]; NULL: none.
#' @param progress function(share) that is told how much of the capture is measured, 0 to 1.
#' @return list: `header`, see [capture_header()]; `metrics`, see [capture_metrics()]; `times`, see
#'   [capture_samples()].
examine_capture <- function(capture, device, topic = NULL, ports = NULL, damaged = "stop",
                            part = part_frames, margin = margin_frames, samples = NULL,
                            progress = function(share) NULL, keys = NULL) {
  device <- plain_address(device)
  check <- damaged == "stop"
  file <- if (check) capture else readable_part(capture)
  frames <- count_frames(file)
  if (check) check_blocks(capture)
  if (!is.null(keys)) {
    file <- with_keys(file, keys)
    on.exit(unlink(file))
    part <- frames
  }
  state <- new_reduction(capture)
  head <- NULL
  written <- 0
  reader <- new_reader(file, device, part_ranges(frames, part, margin), ports, check)
  on.exit(reader$clean(), add = TRUE)
  for (k in seq_len(reader$parts)) {
    piece <- ctx <- NULL # before the next part takes as much
    piece <- reader$read(k)
    ctx <- measure_context(piece$packets, device, topic, capture, state$known, ports)
    state <- reduce_part(state, piece$packets, piece$owned, ctx)
    head <- describe_part(head, piece$packets, piece$owned, ctx)
    if (!is.null(samples)) {
      rows <- message_samples(ctx)
      rows <- rows[frame >= piece$owned[1L] & frame <= piece$owned[2L]]
      rows[, frame := frame + piece$offset]
      append_samples(samples, capture, rows, written)
      written <- written + nrow(rows)
    }
    progress(k / reader$parts)
  }
  if (!is.null(keys)) warn_keys(file, keys, reader$ports(), capture)
  warn_findings(reader$findings(), capture)
  warn_copies(reader$copies(), capture)
  if (check && reader$parts == 1L) warn_far(piece$packets, capture)
  if (check) warn_torn(ctx, capture)
  warn_one_way(state$ways, device, capture)
  whole <- finish_reduction(state)
  metrics <- capture_metrics(whole)
  warn_unseen(metrics, capture)
  if (any(grepl(":websocket:coap", piece$packets$protocols, fixed = TRUE))) {
    warn(capture, "its WebSocket frames carry CoAP (RFC 8323), which is not read: they are counted")
  }
  request <- list(capture = capture, device = device, topic = topic, ports = ports)
  list(header = capture_header(head, state$known, request, reader$ports()), metrics = metrics,
       times = capture_samples(whole))
}

#' Warn of packets that stand twice.
warn_copies <- function(copies, capture) {
  if (copies > 0L) {
    warn(capture, copies, " packets stand twice, as if two interfaces were recorded; the second ",
         "copies count as frames of nobody")
  }
}

#' Warn of TCP segments that the capture lacks.
warn_unseen <- function(metrics, capture) {
  unseen <- metrics[metric == "unseen_segments", value]
  if (unseen > 0) {
    warn(capture, "TCP segments are missing from the capture (",
         if (unseen == 1) "1 frame shows" else paste(unseen, "frames show"), " it); ",
         "counts are too low")
  }
}

#' Warn of a capture that holds one direction only: nothing in it can be seen to be answered.
#'
#' @param ways packets c(from, to) the device.
warn_one_way <- function(ways, device, capture) {
  missing <- c("from", "to")[ways == 0]
  if (length(missing)) {
    warn(capture, "holds no packet ", missing, " ", device, ": its losses are those of the capture")
  }
}

#' Parts of a capture: `first` to `last` are its own frames, `from` to `to` those with the margins.
part_ranges <- function(frames, part, margin) {
  first <- seq(1, frames, part)
  last <- pmin(frames, first + part - 1)
  data.table::data.table(first = first, last = last, from = pmax(1, first - margin),
                         to = pmin(frames, last + margin))
}

#' A reader of the parts of a capture, one after the other.
#'
#' @param parts result of [part_ranges()]. @param check see [check_integrity()].
#' @return list of `parts` (their number), `read(k)`, which returns the packets of a part and the
#'   range of frames that it owns, counted in the part, and how many frames come before it, and
#'   lets tshark begin with the next ones, `findings()` of [check_integrity()] and `copies()`
#'   (packets that stand twice) so far, `ports()` of known protocols, given or recognised, and
#'   `clean()`.
new_reader <- function(capture, device, parts, ports, check) {
  cutter <- new_cutter(capture, parts$last[nrow(parts)])
  settings <- list(ports = ports, checks = check, origin = NULL)
  jobs <- list()
  begun <- 1L
  found <- list()
  copies <- 0L
  cut <- function(k) cutter$cut(parts$from[k], parts$to[k])
  start <- function(k) {
    begun <<- k
    jobs[[k]] <<- c(start_dissection(cut(k), settings$ports, settings$checks),
                    list(checks = settings$checks))
  }
  first_packets <- function() {
    piece <- cut(1L)
    on.exit(cutter$free(piece))
    first <- dissect_first(piece, settings, device, capture)
    settings <<- first$settings
    first$packets
  }
  packets_of <- function(k) {
    job <- jobs[[k]]
    on.exit(cutter$free(job$capture))
    p <- finish_dissection(job, settings$origin)
    if (!job$checks || !any(left_to_card(p, "tcp_sum"))) return(p)
    settings$checks <<- FALSE
    dissect(job$capture, settings$ports, FALSE, settings$origin)
  }
  read <- function(k) {
    p <- if (k == 1L) first_packets() else packets_of(k)
    while (begun < min(k + parts_ahead, nrow(parts))) start(begun + 1L)
    copies <<- copies + set_copies_aside(p, device)
    offset <- parts$from[k] - 1
    found[[k]] <<- check_integrity(p, device, capture, offset, settings$checks, check)
    list(packets = p, owned = c(parts$first[k], parts$last[k]) - offset, offset = offset)
  }
  findings <- function() data.table::rbindlist(c(list(no_findings), found))
  list(parts = nrow(parts), read = read, findings = findings, clean = cutter$clean,
       copies = function() copies,
       ports = function() settings$ports)
}

#' Dissect the first part, which decides for all: whether checksums can be checked (a sender
#' whose card fills them in later would lose its reassembly), and which ports hold known protocols.
#'
#' @return list(packets, settings).
dissect_first <- function(piece, settings, device, capture) {
  p <- dissect(piece, settings$ports, settings$checks)
  settings$origin <- p$epoch[1L]
  silent <- silent_ports(p, device)
  shown <- if (length(silent)) dissect(piece, c(settings$ports, silent)) else p
  found <- guess_ports(shown, device)
  found <- found[!found %in% settings$ports]
  offloaded <- any(left_to_card(p, "tcp_sum"))
  if (settings$checks && offloaded) check_integrity(p, device, capture)
  if (length(found) || (settings$checks && offloaded)) {
    settings$ports <- c(settings$ports, found)
    settings$checks <- settings$checks && !offloaded
    p <- dissect(piece, settings$ports, settings$checks)
  }
  list(packets = p, settings = settings)
}

#' The part of a capture that can be read: itself, or a copy of the packets before its damage.
readable_part <- function(capture) {
  check_readable(capture)
  sound <- run_program("capinfos", c("-c", capture), stdout = FALSE, stderr = FALSE) == 0L
  if (sound) return(capture)
  file <- tempfile(fileext = ".pcapng")
  run_program("editcap", c(capture, file), stdout = FALSE, stderr = FALSE)
  if (!file.exists(file)) return(capture)
  warn(capture, "cannot be read to its end: what follows is of the ", count_frames(file),
       " packets before")
  file
}

#' Number of frames of a capture; input error if it cannot be read to its end.
#'
#' @param capture file.
count_frames <- function(capture) {
  check_readable(capture)
  complaints <- tempfile()
  on.exit(unlink(complaints))
  out <- suppressWarnings(run_program("capinfos", c("-c", "-M", "-T", "-r", capture),
                                      stdout = TRUE, stderr = complaints))
  said <- readLines(complaints, warn = FALSE)
  if (any(nzchar(said))) explain_tshark(capture, sub("^capinfos: ", "", said[nzchar(said)]))
  frames <- suppressWarnings(as.numeric(sub("^.*\t", "", out[length(out)])))
  if (length(frames) != 1L || is.na(frames)) explain_tshark(capture, character())
  if (frames == 0) input_error(capture, "holds no packets", "record it again")
  frames
}

#' Stop unless this is a file with something in it: a pipe or a device has size 0, and reading it
#' might never end.
check_readable <- function(capture) {
  if (!file.exists(capture)) input_error(capture, "no such file", "check the path")
  if (dir.exists(capture)) input_error(capture, "is a folder", "name a capture in it")
  if (file.size(capture) == 0) {
    input_error(capture, "is empty or no regular file", "save the capture to a file first")
  }
  if (file.access(capture, 4L) != 0L) {
    input_error(capture, "cannot be read", "check its permissions")
  }
}

#' The addresses with most packets.
frequent_ends <- function(p) {
  ends <- c(p$src, p$dst)
  head(names(sort(table(ends[nzchar(ends)]), decreasing = TRUE)), 6L)
}

#' A cutter of ascending ranges of frames.
#'
#' @param capture file. @param frames its number of frames.
#' @return list of `cut(from, to)`, which returns a file with these frames (the capture itself if
#'   that is all of it), `free(file)` for one that is no longer needed, and `clean()`.
new_cutter <- function(capture, frames) {
  slab <- list(file = capture, from = 1, to = frames)
  free <- function(file) if (file != capture) unlink(file)
  list(
    cut = function(from, to) {
      if (from == 1 && to == frames) return(capture)
      whole <- slab$file == capture && frames > slab_frames
      if (whole || from < slab$from || to > slab$to) {
        free(slab$file)
        until <- min(frames, max(to, from + slab_frames - 1))
        slab <<- list(file = copy_frames(capture, from, until), from = from, to = until)
      }
      copy_frames(slab$file, from - slab$from + 1, to - slab$from + 1)
    },
    free = free,
    clean = function() free(slab$file)
  )
}

#' Frames `from` to `to` of a capture as a capture of their own.
copy_frames <- function(capture, from, to) {
  file <- tempfile(fileext = ".pcapng")
  range <- sprintf("%.0f-%.0f", from, to)
  status <- run_program("editcap", c("-r", capture, file, range), stdout = FALSE,
                        stderr = FALSE)
  if (status != 0L) {
    input_error(capture, "editcap cannot cut it into parts", "check the space in TMPDIR")
  }
  file
}
