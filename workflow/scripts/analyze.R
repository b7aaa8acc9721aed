#!/usr/bin/env Rscript
# analyze.R --capture FILE... [--device IP] [--topic T] [--format table|csv|json]
#   [--ports mqtt=1884,...] [--strict yes|no] [--by topic|peer] [--samples FILE] [--plot FILE]
#   [--keys FILE] [--header FILE] [--all yes|no] [--bundles=yes]
# The metrics of any captures on standard output; without --device, their conversations. With
# --bundles=yes each capture is that of a bundle, whose logs are measured, too.
# `thinwire analyze` calls this.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

plots <- any(startsWith(commandArgs(TRUE), "--plot")) # ggplot2 takes a second to load

# A bundle's logs need the layer above.
bundles <- "--bundles=yes" %in% commandArgs(TRUE)

run_main(if (plots) "report" else if (bundles) "study" else "capture", function(arguments) {
  options <- analyze_options(arguments[arguments != "--bundles=yes"])
  draw <- if (nzchar(options$plot)) plot_captures
  logged <- function(capture) log_metrics(read_bundle(dirname(capture)))
  done <- if (nzchar(options$device)) measure_captures(options, draw, if (bundles) logged) else
    survey_captures(options)
  text <- paste0(paste(done$lines, collapse = "\n"), "\n")
  if (length(done$lines)) {
    tryCatch(cat(text), error = function(e) NULL) # the reader of a pipe has seen enough
  }
  if (done$status > 0L) quit(save = "no", status = done$status)
})
