#!/usr/bin/env Rscript
# recording.R --name NAME --packets PACKETS.csv.gz --metrics OUT.csv --samples OUT.csv.gz
#   --graphs OUT.csv.gz --device IP [--topic T]
# The packets table of a recorded capture to its metrics, as trial NAME of the study `recordings`,
# with the further definitions (`alt_...`) that the reanalysis tries, its samples, and its curves.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("study", function(arguments) {
  options <- parse_options(arguments, c("name", "packets", "metrics", "samples", "graphs",
                                        "device"), c(topic = ""))
  topic <- if (nzchar(options$topic)) options$topic
  packets <- read_packets(options$packets)
  capture <- reduce_capture(packets, options$device, topic, options$name)
  ctx <- measure_context(packets, options$device, topic, options$name)
  write_table(recording_metrics(packets, options$device, topic, options$name, capture),
              options$metrics)
  samples <- rbind(capture_samples(capture), client_segment_samples(client_segments(ctx, packets)))
  label <- function(table) cbind(study = "recordings", trial = options$name, table)
  write_table(label(samples), options$samples)
  write_table(label(capture_graphs(packets, ctx)), options$graphs)
})
