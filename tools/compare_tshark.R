#!/usr/bin/env Rscript
# compare_tshark.R --device IP --captures CAPTURE...
# Counts of each capture by tshark's own statistics (`tshark -z io,stat`) and by the analysis, side
# by side. Status 1 if any differs.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
here <- dirname(gsub("~+~", " ", script, fixed = TRUE)) # R writes ~+~ for a blank
source(file.path(here, "..", "workflow", "scripts", "thinwire.R"))

run_main("capture", function(arguments) {
  options <- parse_options(arguments, c("device", "captures"), lists = "captures")
  counts <- data.table::rbindlist(lapply(options$captures, compare_counts, options$device))
  print(counts, nrows = 1000L)
  if (any(counts$tshark != counts$thinwire)) quit(status = 1L)
  cat("all equal\n")
})
