#!/usr/bin/env Rscript
# bench_analyze.R --device IP --capture FILE [--megabytes 1000] [--pairs 1]
# Repeats a recorded capture (pcapng of Dumpcap) to the given size, with new times and a new peer
# each time, and prints packets per second and peak memory of `thinwire analyze` on it, and of
# tshark alone with the same fields, in turn. Memory is the proportional set size of the process
# and all below it. Needs Linux; the capture is made in TMPDIR and removed.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
here <- dirname(gsub("~+~", " ", script, fixed = TRUE)) # R writes ~+~ for a blank
source(file.path(here, "..", "workflow", "scripts", "thinwire.R"))

#' Run a command; list(seconds, megabytes, status).
measure <- function(command) {
  ended <- tempfile()
  start <- Sys.time()
  job <- paste0("( ", command, " ; echo $? >", shQuote(ended), " ) >/dev/null & echo $!")
  pid <- system(job, intern = TRUE) # nolint: undesirable_function_linter.
  peak <- 0
  while (!file.exists(ended) || file.size(ended) == 0) {
    peak <- max(peak, tree_kilobytes(as.integer(pid)))
    Sys.sleep(0.1)
  }
  list(seconds = as.numeric(difftime(Sys.time(), start, units = "secs")), megabytes = peak / 1024,
       status = as.integer(readLines(ended)))
}

#' Kilobytes of a process and all that it started: the proportional set size (proc(5),
#' smaps_rollup), in which a page that n processes share counts 1/n in each.
tree_kilobytes <- function(root) {
  all <- data.table::fread(text = run_program("ps", c("-e", "-o", "pid=,ppid="), stdout = TRUE),
                           col.names = c("pid", "ppid"))
  tree <- root
  repeat {
    more <- setdiff(all[ppid %in% tree, pid], tree)
    if (!length(more)) return(sum(vapply(tree, proportional_kilobytes, 0)))
    tree <- c(tree, more)
  }
}

#' 0 of a process that has ended.
proportional_kilobytes <- function(pid) {
  file <- file.path("/proc", pid, "smaps_rollup")
  lines <- tryCatch(suppressWarnings(readLines(file)), error = function(e) character())
  as.numeric(c(sub("^Pss: +([0-9]+) kB$", "\\1", grep("^Pss:", lines, value = TRUE)), 0)[1L])
}

run_main("capture", function(arguments) {
  options <- parse_options(arguments, c("device", "capture"), c(megabytes = "1000", pairs = "1"))
  big <- tempfile(fileext = ".pcapng")
  on.exit(unlink(big))
  times <- repeat_capture(options$capture, options$device, as.numeric(options$megabytes) * 1e6,
                          big)
  frames <- count_frames(big)
  cat(sprintf("%.0f MB, %.0f packets, %.0f repetitions\n", file.size(big) / 1e6, frames, times))
  report <- function(name, command) {
    run <- measure(command)
    cat(sprintf("%-8s %7.1f s %8.0f packets/s %6.0f MB peak, status %d\n", name, run$seconds,
                frames / run$seconds, run$megabytes, run$status))
    run$seconds
  }
  fields <- paste("-e", packet_schema()$field, collapse = " ")
  analyze <- paste("Rscript", shQuote(file.path(scripts_folder, "analyze.R")), "--capture",
                   shQuote(big), "--device", shQuote(options$device), "2>/dev/null")
  tshark <- paste(shQuote(file.path(scripts_folder, "..", "wireshark", "dissect")), shQuote(big),
                  "-T fields", fields, "2>/dev/null")
  ratios <- replicate(as.integer(options$pairs), {
    report("analyze", analyze) / report("tshark", tshark)
  })
  cat(sprintf("analyze takes %.2f times the time of tshark alone (median of %d)\n",
              stats::median(ratios), length(ratios)))
})
