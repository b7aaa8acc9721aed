# Deliberate damage to a capture: does the analysis detect it? (tools/damage.R)

#' The location of each byte of a pcapng or pcap file.
#'
#' @param capture little-endian file, not compressed, of Ethernet frames. @param p packets table.
#' @param device IP address.
#' @return data.table `from` (first byte, from 1), `location`, sorted: a byte belongs to the last
#'   row that does not begin after it.
capture_layout <- function(capture, p, device) {
  bytes <- readBin(capture, "raw", file.size(capture))
  records <- if (bytes[1L] == as.raw(0x0a)) pcapng_records(bytes) else pcap_records(bytes)
  frames <- records[kind == "packet"]
  p <- p[seq_len(nrow(frames))]
  mine <- p$src == device | p$dst == device
  ethernet <- ifelse(mine, 14L, 0L)
  network <- ifelse(mine, p$ip_bytes - p$payload - p$transport_header, 0L)
  at <- frames$data
  part <- function(where, offset, name) {
    data.table::data.table(from = at[where] + offset[where], location = rep(name, sum(where)))
  }
  inner <- list(part(!mine, 0 * at, "frame of others"), part(mine, 0 * at, "link header"),
                part(mine, ethernet, "network header"),
                part(mine, ethernet + network, "transport header"),
                part(mine & p$payload > 0, ethernet + p$ip_bytes - p$payload, "payload"),
                part(mine & p$len > ethernet + p$ip_bytes, ethernet + p$ip_bytes, "frame padding"))
  out <- data.table::rbindlist(c(list(records[nzchar(location), .(from, location)]), inner))
  data.table::setorder(out, from)
  out[]
}

#' Ranges of a pcapng file (draft-ietf-opsawg-pcapng, 4.1 to 4.6); `data`: where a packet's begins.
pcapng_records <- function(bytes) {
  rows <- list()
  at <- 1
  while (at < length(bytes)) {
    type <- read_words(bytes, at)
    size <- read_words(bytes, at + 4)
    rows[[length(rows) + 1L]] <- if (type == 6) {
      captured <- read_words(bytes, at + 20)
      data.table::data.table(
        from = at + c(0, 8, 12, 20, 28, 28 + captured), data = at + 28,
        location = c("record type and length", "record interface", "record time",
                     "record packet length", "", "record end"),
        kind = c("", "", "", "", "packet", ""))
    } else {
      name <- if (type %in% c(1, section_block)) "file header" else "file statistics"
      data.table::data.table(from = at, data = NA, location = name, kind = "")
    }
    at <- at + size
  }
  data.table::rbindlist(rows)
}

#' Ranges of a pcap file: a header of 24 bytes, then time, lengths and bytes of each packet.
pcap_records <- function(bytes) {
  rows <- list(data.table::data.table(from = 1, data = NA, location = "file header", kind = ""))
  at <- 25
  while (at < length(bytes)) {
    rows[[length(rows) + 1L]] <- data.table::data.table(
      from = at + c(0, 8, 16), data = at + 16, kind = c("", "", "packet"),
      location = c("record time", "record packet length", ""))
    at <- at + 16 + read_words(bytes, at + 8)
  }
  data.table::rbindlist(rows)
}

#' Random damage; the same seed gives the same damage.
#'
#' @param size bytes of the file. @param runs of each kind.
#' @param seed of the places and bytes.
#' @return data.table `kind` ("cut": all bytes from `at` on are gone; "flip": the byte at `at` is
#'   xored with `mask`), `at`, `mask`.
damage_plan <- function(size, runs, seed = 20190520L) {
  keep_random_state({
    set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
    data.table::data.table(kind = rep(c("cut", "flip"), each = runs),
                           at = sample.int(size - 1L, 2L * runs, replace = TRUE) + 1L,
                           mask = sample.int(255L, 2L * runs, replace = TRUE))
  })
}

#' Write a damaged copy of a file.
write_damaged <- function(bytes, kind, at, mask, file) {
  if (kind == "cut") bytes <- bytes[seq_len(at - 1L)] else
    bytes[at] <- xor(bytes[at], as.raw(mask))
  writeBin(bytes, file)
}

#' Analyze a file in a process of its own, as `thinwire analyze` does.
#'
#' @return list: `metrics`, NULL if there is no result; `said`, warnings or the error; `end`:
#'   "result", "error" (of the input: status 2), "crash" (any other error or signal) or "hang".
run_apart <- function(file, device, seconds = 600) {
  job <- parallel::mcparallel({
    said <- character()
    out <- withCallingHandlers(
      tryCatch(list(metrics = analyze_capture(file, device), end = "result"),
               thinwire_input_error = function(e) list(end = "error", said = conditionMessage(e)),
               error = function(e) list(end = "crash", said = conditionMessage(e))),
      message = function(m) {
        said <<- c(said, conditionMessage(m))
        invokeRestart("muffleMessage")
      })
    if (out$end == "result") out$said <- said
    out
  })
  answer <- parallel::mccollect(job, wait = FALSE, timeout = seconds)
  if (is.null(answer)) {
    tools::pskill(job$pid, tools::SIGKILL)
    suppressWarnings(parallel::mccollect(job)) # waits for its end
    return(list(end = "hang", said = paste("no end within", seconds, "s")))
  }
  if (is.null(answer[[1L]])) list(end = "crash", said = "killed by a signal") else answer[[1L]]
}

#' What became of a damaged file.
#'
#' @param run,sound results of [run_apart()] of the damaged and the sound file.
#' @return list `outcome`: "error"; "warning" (a result with a warning that the sound file has not);
#'   "identical" (every metric, count and interval equal to the last bit); "differs" (anything else
#'   that has a result: the silent case); "crash"; "hang"; and `said`: the error or warning, or the
#'   metrics that differ.
judge_run <- function(run, sound) {
  if (run$end != "result") return(list(outcome = run$end, said = run$said))
  news <- setdiff(run$said, sound$said)
  if (length(news)) return(list(outcome = "warning", said = paste(news, collapse = " ")))
  if (identical(run$metrics, sound$metrics)) return(list(outcome = "identical", said = ""))
  both <- merge(run$metrics, sound$metrics, by = "metric", all = TRUE)
  changed <- both[is.na(value.x) | is.na(value.y) | value.x != value.y | n.x != n.y]
  list(outcome = "differs", said = paste(changed$metric, collapse = " "))
}

#' Damage a capture many times and judge each run.
#'
#' @param capture,device see [analyze_capture()]. @param plan result of [damage_plan()].
#' @param done called with each row of the result as soon as it is known.
#' @return the plan with `location`, `outcome`, `said`, `capture`.
damage_runs <- function(capture, device, plan, done = function(row) NULL) {
  bytes <- readBin(capture, "raw", file.size(capture))
  layout <- capture_layout(capture, dissect(capture), device)
  folder <- tempfile("damage")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  file <- file.path(folder, basename(capture))
  writeBin(bytes, file)
  sound <- run_apart(file, device)
  out <- data.table::copy(plan)
  out[, `:=`(capture = basename(file), location = layout$location[findInterval(at, layout$from)])]
  boundary <- layout[startsWith(location, "record type"), from]
  out[kind == "cut", location := ifelse(at %in% boundary, "between packets", "within a packet")]
  for (i in seq_len(nrow(out))) {
    write_damaged(bytes, out$kind[i], out$at[i], out$mask[i], file)
    verdict <- judge_run(run_apart(file, device), sound)
    said <- gsub(paste0(folder, "/"), "", verdict$said, fixed = TRUE)
    data.table::set(out, i, c("outcome", "said"), list(verdict$outcome, said))
    done(out[i])
  }
  out[]
}

#' Undetectable damage: another capture time that keeps the order.
measured_itself <- "record time"

#' Unacceptable runs: a crash, a hang, or a different number without a warning.
#'
#' @param runs result of [damage_runs()].
forbidden_runs <- function(runs) {
  runs[outcome %in% c("crash", "hang") | (outcome == "differs" & location != measured_itself)]
}
