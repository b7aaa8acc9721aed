#!/usr/bin/env Rscript
# hunt.R: answers `thinwire hunt` until its input ends. Each line of the input is a request as JSON:
# `expectations` (a file as of expect.R), `bundle` (a folder), `until` (s since 1970, optional).
# Each line of the output is an answer: the result of examine_hunted() (coverage.R). A session
# serves many trials, so R and the layers are loaded once.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("study", function(arguments) {
  options(thinwire.forkserver = built_fork_server())
  requests <- file("stdin", "r")
  on.exit(close(requests))
  while (length(line <- readLines(requests, 1L, warn = FALSE))) {
    request <- jsonlite::fromJSON(line)
    wanted <- read_table(request$expectations, c("metric", "operator", "limit", "unit"))
    wanted[, unit := data.table::fcoalesce(as.character(unit), "")]
    answer <- examine_hunted(wanted, request$bundle, c(request$until, Inf)[1L])
    cat(jsonlite::toJSON(answer, auto_unbox = TRUE, digits = NA), "\n", sep = "")
    flush(stdout())
  }
})
