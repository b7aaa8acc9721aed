#!/usr/bin/env Rscript
# metrics.R BUNDLE_DIR PACKETS.csv.gz METRICS.csv SAMPLES.csv.gz TRIAL.csv
# One bundle and its packets table to the trial's metrics, samples and factors.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("study", function(arguments) {
  options <- parse_options(arguments, positional = c("BUNDLE", "PACKETS", "METRICS", "SAMPLES",
                                                     "TRIAL"))
  bundle <- read_bundle(options$BUNDLE)
  ok <- identical(bundle$lab$outcome, "ok")
  metrics <- trial_metrics(bundle, if (ok) read_packets(options$PACKETS))
  samples <- if (ok) bundle_samples(bundle) else bundle_samples(bundle)[0L]
  label <- function(table) cbind(study = bundle$trial$study, trial = bundle$trial$trial, table)
  write_table(label(metrics), options$METRICS)
  write_table(label(samples), options$SAMPLES)
  write_table(label(trial_factors(bundle)), options$TRIAL)
})
