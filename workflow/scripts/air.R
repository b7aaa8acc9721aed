#!/usr/bin/env Rscript
# air.R BUNDLE_DIR METRICS.csv
# What the messages of a bundle cost on the air: bytes, airtime, charge, from its air.pcapng.gz.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("study", function(arguments) {
  options <- parse_options(arguments, positional = c("BUNDLE", "METRICS"))
  bundle <- read_bundle(options$BUNDLE)
  metrics <- if (identical(bundle$lab$outcome, "ok")) trial_air_metrics(bundle)
  if (is.null(metrics)) metrics <- metric_row(character(), numeric(), character(), numeric())
  write_table(cbind(study = rep(bundle$trial$study, nrow(metrics)),
                    trial = rep(bundle$trial$trial, nrow(metrics)), metrics), options$METRICS)
})
