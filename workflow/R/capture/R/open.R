# A capture as a file: can it be read to its end, and how many frames does it hold?

#' Check a capture as a file before it is dissected.
#'
#' @param strict see [examine_capture()].
#' @return list: `file` to dissect, `capture` or a copy of the packets before its damage; `frames`
#'   in it; `findings`, see [integrity_findings()]; `untimed`: some of its packets have no time.
open_capture <- function(capture, strict) {
  check_readable(capture)
  out <- list(file = capture, findings = no_findings)
  held <- tryCatch(file_contents(capture), thinwire_input_error = function(e) {
    out$file <<- whole_packets(capture)
    if (strict || is.null(out$file)) stop(e)
    tryCatch(file_contents(out$file), thinwire_input_error = function(...) stop(e))
  })
  out$frames <- held$frames
  if (out$file != capture) {
    out$findings <- file_finding("end", paste(
      "cannot be read: measured are the", count_text(out$frames, "packet"), "before it"),
      "counts: packets are missing")
  }
  blocks <- scan_blocks(capture)
  out$findings <- rbind(out$findings, block_findings(blocks))
  if (strict) refuse_findings(out$findings, capture)
  if (!is.null(blocks)) out$frames <- out$frames + blocks$others
  out$untimed <- !is.null(blocks$untimed) || !is.null(blocks$fine)
  split <- split_aggregates(out$file, held$link)
  if (is.null(split)) return(out)
  out$file <- split$file
  out$frames <- file_contents(split$file)$frames
  out$findings <- rbind(out$findings, aggregate_findings(split$frames))
  out
}

#' A finding for each frame that was split: later frames have other numbers than in the file.
aggregate_findings <- function(frames) {
  data.table::data.table(frame = frames, place = "", fatal = FALSE, problem =
    "holds several packets (A-MSDU): each counts as a frame", distorts = "the numbers of frames")
}

#' A copy of the packets of a capture before its damage; NULL if none can be read.
whole_packets <- function(capture) {
  file <- tempfile(fileext = ".pcapng")
  run_program("editcap", c(capture, file), stdout = FALSE, stderr = FALSE)
  if (file.exists(file)) file
}

#' Number of frames of a capture.
#'
#' @param capture,source see [file_contents()].
count_frames <- function(capture, source = capture) file_contents(capture, source)$frames

#' Number of frames of a capture, and its link layer; input error if it cannot be read to its end.
#'
#' @param capture file. @param source its name in errors. @return list(frames, link).
file_contents <- function(capture, source = capture) {
  check_readable(capture)
  complaints <- tempfile()
  on.exit(unlink(complaints))
  out <- suppressWarnings(run_program("capinfos", c("-c", "-E", "-M", "-T", "-r", capture),
                                      stdout = TRUE, stderr = complaints))
  said <- readLines(complaints, warn = FALSE)
  if (any(nzchar(said))) explain_tshark(source, sub("^capinfos: ", "", said[nzchar(said)]))
  said <- strsplit(out[length(out)], "\t", fixed = TRUE)[[1L]]
  frames <- suppressWarnings(as.numeric(said[length(said)]))
  if (length(frames) != 1L || is.na(frames)) explain_tshark(source, character())
  if (frames == 0) input_error(source, "holds no packets", "record it again")
  list(frames = frames, link = said[length(said) - 1L])
}

#' Stop unless this is a non-empty file: a pipe or a device has size 0, and reading it might never
#' end.
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
