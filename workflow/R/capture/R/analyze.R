# `thinwire analyze`: the metrics of any capture, of any size.

#' Frames of a part and of the margins that overlap its neighbours. Smaller parts need less memory,
#' and more time for the margins (docs/metrics.md, "Size"); an answer that is further than a margin
#' from its request is not matched.
part_frames <- 25000L
margin_frames <- 2000L

#' Parts that are dissected while one is measured: two and R keep two processors busy.
parts_ahead <- 2L

#' Frames of a slab: parts are cut from it, so that a large capture is not read from its start for
#' each part.
slab_frames <- 1000000

#' Measure a capture.
#'
#' @param capture,... see [examine_capture()].
#' @return metrics, see [capture_metrics()]. Findings are reported as warnings.
analyze_capture <- function(capture, ...) {
  out <- examine_capture(capture, ...)
  warn_findings(out$findings, capture)
  out$metrics
}

#' Check, dissect and measure a capture.
#'
#' A capture of more frames than a part is measured part by part: memory does not grow with it.
#' tshark dissects the next parts while one is measured.
#'
#' @param capture pcap or pcapng, compressed or not.
#' @param device,topic see [measure_context()].
#' @param ports named integer vector of nonstandard ports.
#' @param strict refuse a capture with a fatal finding, see [integrity_findings()].
#' @param keys key log of its TLS and DTLS sessions, NULL for none. With it the capture is read in
#'   one part, since a session is opened from its beginning on.
#' @param part,margin frames, see [part_frames].
#' @param samples file that takes one row for each message, see [append_samples()]; NULL: none.
#' @param progress function(share), called with the share of the capture that is measured, 0 to 1.
#' @return list: `header`, see [capture_header()]; `metrics`, see [capture_metrics()]; `times`, see
#'   [capture_samples()]; `findings`, see [sum_findings()]; `timed`: all its packets have a time.
examine_capture <- function(capture, device, topic = NULL, ports = NULL, strict = TRUE,
                            part = part_frames, margin = margin_frames, samples = NULL,
                            progress = function(share) NULL, keys = NULL) {
  device <- plain_address(device)
  opened <- open_capture(capture, strict)
  frames <- opened$frames
  file <- opened$file
  if (!is.null(keys)) {
    file <- with_keys(file, keys)
    on.exit(unlink(file))
    part <- frames
  }
  state <- new_reduction(capture)
  head <- NULL
  written <- 0
  reader <- new_reader(file, device, part_ranges(frames, part, margin), ports, strict, capture)
  on.exit(reader$clean(), add = TRUE)
  for (k in seq_len(reader$parts)) {
    piece <- ctx <- NULL # before the next part needs as much
    piece <- reader$read(k)
    ctx <- measure_context(piece$packets, device, topic, capture, state$known, ports)
    state <- reduce_part(state, piece$packets, piece$owned, ctx)
    head <- describe_part(head, piece$packets, piece$owned, ctx)
    if (!is.null(samples)) {
      rows <- message_samples(ctx)
      rows <- rows[frame >= piece$owned[1L] & frame <= piece$owned[2L]]
      rows[, frame := frame + piece$offset]
      if (opened$untimed || !reader$timed()) rows[, (sample_times) := NA_real_]
      append_samples(samples, capture, rows, written)
      written <- written + nrow(rows)
    }
    progress(k / reader$parts)
  }
  timed <- !opened$untimed && reader$timed()
  whole <- finish_reduction(state)
  metrics <- capture_metrics(whole)
  findings <- data.table::rbindlist(list(
    opened$findings, reader$findings(),
    if (!is.null(keys)) unopened(file, keys, reader$ports()), stand_twice(reader$copies()),
    if (timed && reader$parts == 1L) far_packets(piece$packets), if (timed) torn_end(ctx),
    one_way(state$ways, device), unseen_segments(metrics), reader$assumed(),
    unread_findings(head$unread)))
  if (!timed) {
    metrics <- without_times(metrics)
    findings <- findings[distorts != time_distorts]
    if (!opened$untimed) {
      findings <- rbind(findings, file_finding("file", "has a packet without a time", no_times))
    }
  }
  request <- list(capture = capture, device = device, topic = topic, ports = ports)
  list(header = capture_header(head, state$known, request, reader$ports()), metrics = metrics,
       times = if (timed) capture_samples(whole) else capture_samples(whole)[0L],
       findings = sum_findings(findings), timed = timed)
}

#' Metrics that do not need the packets' times. (A restart is detected by the time between two
#' sessions.)
without_times <- function(metrics) {
  metrics[!unit %in% c("ms", "s", "messages/s", "bytes/s") & !grepl("_per_10ms", metric) &
            metric != "device_crashes"]
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
#' @param parts result of [part_ranges()]. @param strict see [examine_capture()].
#' @param source name of the capture, of which `capture` can be a copy.
#' @return list of `parts` (their number), `read(k)`, which returns the packets of a part and the
#'   range of frames that it owns, counted in the part, and how many frames come before it, and
#'   lets tshark begin with the next ones, `findings()` of [integrity_findings()] and `copies()`
#'   (packets that stand twice) so far, `timed()` (all packets so far have a time), `ports()` of
#'   known protocols, given or recognised, and `clean()`.
new_reader <- function(capture, device, parts, ports, strict, source = capture) {
  cutter <- new_cutter(capture, parts$last[nrow(parts)])
  settings <- list(ports = ports, checks = TRUE, origin = NULL)
  jobs <- list()
  begun <- 1L
  found <- list(no_findings)
  copies <- 0L
  timed <- TRUE
  cut <- function(k) cutter$cut(parts$from[k], parts$to[k])
  known_ports <- function() c(settings$ports, settings$opened)
  start <- function(k) {
    begun <<- k
    jobs[[k]] <<- c(start_dissection(cut(k), known_ports(), settings$checks),
                    list(checks = settings$checks))
  }
  note <- function(p, checks, offset = 0) {
    rows <- integrity_findings(p, device, checks)
    rows[, frame := frame + offset]
    found[[length(found) + 1L]] <<- if (strict) refuse_findings(rows, source) else rows
  }
  first_packets <- function() {
    piece <- cut(1L)
    on.exit(cutter$free(piece))
    first <- dissect_first(piece, settings, device, note)
    settings <<- first$settings
    first
  }
  packets_of <- function(k, offset) {
    job <- jobs[[k]]
    on.exit(cutter$free(job$capture))
    p <- finish_dissection(job, settings$origin)
    if (!job$checks || !any_wrong_sum(p)) return(list(packets = p, checks = job$checks))
    if (any(left_to_card(p, "tcp_sum"))) settings$checks <<- FALSE
    note(p, TRUE, offset)
    list(packets = dissect(job$capture, known_ports(), FALSE, settings$origin), checks = FALSE)
  }
  read <- function(k) {
    offset <- parts$from[k] - 1
    piece <- if (k == 1L) first_packets() else packets_of(k, offset)
    p <- piece$packets
    while (begun < min(k + parts_ahead, nrow(parts))) start(begun + 1L)
    copies <<- copies + set_copies_aside(p, device)
    note(p, piece$checks, offset)
    timed <<- timed && all(nzchar(p$epoch))
    list(packets = p, owned = c(parts$first[k], parts$last[k]) - offset, offset = offset)
  }
  list(parts = nrow(parts), read = read, clean = cutter$clean,
       findings = function() data.table::rbindlist(found),
       timed = function() timed, copies = function() copies, ports = function() settings$ports,
       assumed = function() assumed_mqtt5(settings$opened))
}

#' Dissect the first part. It decides for all parts whether checksums can be checked (a sender whose
#' card fills them in later would lose its reassembly), and which ports have known protocols. tshark
#' does not read a message in a segment with a wrong checksum; in this case it dissects again
#' without checks.
#'
#' @param note function(packets, checks) that keeps their findings.
#' @return list(packets, settings, checks); `checks`: of the packets.
dissect_first <- function(piece, settings, device, note) {
  p <- dissect(piece, settings$ports, settings$checks)
  settings$origin <- p$epoch[1L]
  silent <- silent_ports(p, device)
  shown <- if (length(silent)) dissect(piece, c(settings$ports, silent)) else p
  found <- guess_ports(shown, device)
  found <- found[!found %in% settings$ports]
  wrong <- settings$checks && any_wrong_sum(p)
  if (wrong) note(p, TRUE)
  if (length(found) || wrong) {
    settings$ports <- c(settings$ports, found)
    settings$checks <- settings$checks && !any(left_to_card(p, "tcp_sum"))
    p <- dissect(piece, settings$ports, settings$checks && !wrong)
  }
  opened <- opened_websockets(p)
  settings$opened <- opened[!opened %in% settings$ports]
  fifth <- mqtt5_ports(p, piece, c(settings$ports, settings$opened))
  if (length(fifth)) {
    settings$opened <- c(settings$opened, fifth)
    p <- dissect(piece, c(settings$ports, settings$opened), settings$checks && !wrong)
  }
  list(packets = p, settings = settings, checks = settings$checks && !wrong)
}

#' The addresses with the most packets.
frequent_ends <- function(p) {
  ends <- c(p$src, p$dst)
  head(names(sort(table(ends[nzchar(ends)]), decreasing = TRUE)), 6L)
}

#' Create a cutter of ascending ranges of frames.
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
        slab <<- list(file = copy_frames(capture, seq(from, until)), from = from, to = until)
      }
      copy_frames(slab$file, seq(from, to) - slab$from + 1)
    },
    free = free,
    clean = function() free(slab$file)
  )
}

#' Some frames of a capture as a capture of their own.
#'
#' @param frames their ascending numbers.
copy_frames <- function(capture, frames) {
  file <- tempfile(fileext = ".pcapng")
  starts <- frames[c(TRUE, diff(frames) > 1)]
  ends <- frames[c(diff(frames) > 1, TRUE)]
  ranges <- sprintf("%.0f-%.0f", starts, ends)
  status <- run_program("editcap", c("-r", capture, file, ranges), stdout = FALSE,
                        stderr = FALSE)
  if (status != 0L) {
    input_error(capture, "editcap cannot cut it into parts", "check the space in TMPDIR")
  }
  file
}
