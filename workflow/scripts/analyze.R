#!/usr/bin/env Rscript
# analyze.R --capture FILE... [--device IP] [--topic T] [--format table|csv|json]
#   [--ports mqtt=1884,...] [--damaged stop|keep] [--by topic|peer] [--samples FILE]
# Every metric of any captures on standard output; without --device, their conversations.
# `thinwire analyze` calls this.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("capture", function(arguments) {
  options <- analyze_options(arguments)
  done <- if (nzchar(options$device)) measure_captures(options) else survey_captures(options)
  text <- paste0(paste(done$lines, collapse = "\n"), "\n")
  if (length(done$lines)) {
    tryCatch(cat(text), error = function(e) NULL) # the reader of a pipe has seen enough
  }
  if (done$status > 0L) quit(save = "no", status = done$status)
})
