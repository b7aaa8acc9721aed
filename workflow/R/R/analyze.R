# `thinwire analyze`: the metrics of any capture, of any size.

#' Frames of a part and of the margins that overlap its neighbours. A part with its margins takes
#' some 300 MB; an answer that is further than a margin from its question is not matched.
part_frames <- 50000L
margin_frames <- 2000L

#' Frames of a slab: parts are cut from it, so that a large capture is not read from its start for
#' each of them.
slab_frames <- 1000000

#' Check, dissect and measure a capture.
#'
#' A capture of more frames than a part is measured part by part: memory does not grow with it.
#'
#' @param capture pcap or pcapng, compressed or not.
#' @param device,topic see [measure_context()].
#' @param ports named integer vector of nonstandard ports.
#' @param damaged "stop": findings of [check_integrity()] are an error; "keep": measure anyway.
#' @param part,margin frames, see [part_frames].
#' @return metrics, see [capture_metrics()].
analyze_capture <- function(capture, device, topic = NULL, ports = NULL, damaged = "stop",
                            part = part_frames, margin = margin_frames) {
  frames <- count_frames(capture)
  if (damaged == "stop") check_blocks(capture)
  state <- new_reduction(capture)
  settings <- list(ports = ports, checks = damaged == "stop", origin = NULL)
  cutter <- new_cutter(capture, frames)
  on.exit(cutter$clean())
  first <- 1
  while (first <= frames) {
    last <- min(frames, first + part - 1)
    cut <- cutter$cut(max(1, first - margin), min(frames, last + margin))
    piece <- dissect_part(cut, settings, device, capture, first = first == 1)
    settings <- piece$settings
    offset <- max(1, first - margin) - 1
    if (settings$checks) check_integrity(piece$packets, device, capture, offset)
    ctx <- measure_context(piece$packets, device, topic, capture, state$known)
    state <- reduce_part(state, piece$packets, c(first, last) - offset, ctx)
    first <- last + 1
  }
  out <- capture_metrics(finish_reduction(state))
  unseen <- out[metric == "unseen_segments", value]
  if (unseen > 0) {
    message("thinwire: warning: ", capture, ": TCP segments are missing from the capture (",
            unseen, " frames show it); counts are too low")
  }
  out
}

#' Dissect a part; the first one also decides for all: whether checksums can be checked (a sender
#' whose card fills them in later would lose its reassembly), and which ports hold known protocols.
dissect_part <- function(cut, settings, device, capture, first) {
  p <- dissect(cut, settings$ports, settings$checks, settings$origin)
  if (!first) return(list(packets = p, settings = settings))
  settings$origin <- p$epoch[1L]
  found <- guess_ports(p, device)
  found <- found[!found %in% settings$ports]
  offloaded <- length(offloading_senders(p, "tcp_sum")) > 0L
  if (settings$checks && offloaded) check_integrity(p, device, capture)
  if (length(found) || (settings$checks && offloaded)) {
    settings$ports <- c(settings$ports, found)
    settings$checks <- settings$checks && !offloaded
    p <- dissect(cut, settings$ports, settings$checks, settings$origin)
  }
  list(packets = p, settings = settings)
}

#' Number of frames of a capture; input error if it cannot be read to its end.
count_frames <- function(capture) {
  if (!file.exists(capture)) input_error(capture, "no such file", "check the path")
  complaints <- tempfile()
  on.exit(unlink(complaints))
  out <- suppressWarnings(system2("capinfos", c("-c", "-M", "-T", "-r", shQuote(capture)),
                                  stdout = TRUE, stderr = complaints))
  said <- readLines(complaints, warn = FALSE)
  if (any(nzchar(said))) explain_tshark(capture, sub("^capinfos: ", "", said[nzchar(said)]))
  frames <- suppressWarnings(as.numeric(sub("^.*\t", "", out[length(out)])))
  if (length(frames) != 1L || is.na(frames)) explain_tshark(capture, character())
  if (frames == 0) input_error(capture, "holds no packets", "record it again")
  frames
}

#' A cutter of ascending ranges of frames.
#'
#' @param capture file. @param frames its number of frames.
#' @return list of `cut(from, to)`, which returns a file with these frames (valid until the next
#'   call; the capture itself if that is all of it), and `clean()`.
new_cutter <- function(capture, frames) {
  slab <- list(file = capture, from = 1, to = frames)
  piece <- NULL
  remove <- function(file) if (!is.null(file) && file != capture) unlink(file)
  list(
    cut = function(from, to) {
      remove(piece)
      if (from == 1 && to == frames) return(capture)
      whole <- slab$file == capture && frames > slab_frames
      if (whole || from < slab$from || to > slab$to) {
        remove(slab$file)
        until <- min(frames, max(to, from + slab_frames - 1))
        slab <<- list(file = copy_frames(capture, from, until), from = from, to = until)
      }
      piece <<- copy_frames(slab$file, from - slab$from + 1, to - slab$from + 1)
      piece
    },
    clean = function() {
      remove(piece)
      remove(slab$file)
    }
  )
}

#' Frames `from` to `to` of a capture as a capture of their own.
copy_frames <- function(capture, from, to) {
  file <- tempfile(fileext = ".pcapng")
  range <- sprintf("%.0f-%.0f", from, to)
  status <- system2("editcap", c("-r", shQuote(capture), shQuote(file), range), stdout = FALSE,
                    stderr = FALSE)
  if (status != 0L) {
    input_error(capture, "editcap cannot cut it into parts", "check the space in TMPDIR")
  }
  file
}
