#!/usr/bin/env Rscript
# archive.R NAME PACKETS.csv.gz METRICS.csv --device IP [--topic T]
# The packets table of a recorded capture to its metrics, as trial NAME of the study `archives`,
# with the further definitions (`alt_...`) that the reanalysis tries.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("study", function(arguments) {
  options <- parse_options(arguments, c(device = "", topic = ""), c("NAME", "PACKETS", "METRICS"))
  if (!nzchar(options$device)) input_error("--device", "is missing", "give the device's address")
  topic <- if (nzchar(options$topic)) options$topic
  metrics <- archive_metrics(read_packets(options$PACKETS), options$device, topic, options$NAME)
  write_table(metrics, options$METRICS)
})
