#!/usr/bin/env Rscript
# bench_analyze.R --device IP --capture FILE [--megabytes 1000]
# Repeats a recorded capture (pcapng of Dumpcap) to the given size, with new times and a new peer
# each time, and prints packets per second and peak memory of `thinwire analyze` on it, and of
# tshark alone with the same fields. Memory is the resident size of the process and all below it,
# pages that they share counted twice. Needs Linux; the capture is made in TMPDIR and removed.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

#' Run a command; list(seconds, megabytes, status).
measure <- function(command) {
  ended <- tempfile()
  start <- Sys.time()
  pid <- system(paste0("( ", command, " ; echo $? >", shQuote(ended), " ) >/dev/null & echo $!"),
                intern = TRUE)
  peak <- 0
  while (!file.exists(ended) || file.size(ended) == 0) {
    peak <- max(peak, tree_kilobytes(as.integer(pid)))
    Sys.sleep(0.1)
  }
  list(seconds = as.numeric(difftime(Sys.time(), start, units = "secs")), megabytes = peak / 1024,
       status = as.integer(readLines(ended)))
}

#' Resident kilobytes of a process and all that it started.
tree_kilobytes <- function(root) {
  all <- data.table::fread(text = system("ps -e -o pid=,ppid=,rss=", intern = TRUE),
                           col.names = c("pid", "ppid", "rss"))
  tree <- root
  repeat {
    more <- setdiff(all[ppid %in% tree, pid], tree)
    if (!length(more)) return(all[pid %in% tree, sum(rss)])
    tree <- c(tree, more)
  }
}

run_main("capture", function(arguments) {
  options <- parse_options(arguments, c("device", "capture"), c(megabytes = "1000"))
  big <- tempfile(fileext = ".pcapng")
  on.exit(unlink(big))
  times <- repeat_capture(options$capture, options$device, as.numeric(options$megabytes) * 1e6,
                          big)
  frames <- count_frames(big)
  cat(sprintf("%.0f MB, %.0f packets, %.0f repetitions\n", file.size(big) / 1e6, frames, times))
  report <- function(name, run) {
    cat(sprintf("%-8s %7.1f s %8.0f packets/s %6.0f MB peak, status %d\n", name, run$seconds,
                frames / run$seconds, run$megabytes, run$status))
    run$seconds
  }
  fields <- paste("-e", packet_schema()$field, collapse = " ")
  script <- file.path(script_folder(), "analyze.R")
  analyze <- paste("Rscript", shQuote(script), "--capture", shQuote(big), "--device",
                   options$device)
  ours <- report("analyze", measure(analyze))
  tshark <- shQuote(file.path(script_folder(), "..", "wireshark", "dissect"))
  theirs <- report("tshark", measure(paste(tshark, shQuote(big), "-T fields", fields,
                                           "2>/dev/null")))
  cat(sprintf("tshark alone takes %.0f %% of the time of analyze\n", 100 * theirs / ours))
})
