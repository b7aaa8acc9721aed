#!/usr/bin/env Rscript
# measure.R --bundle DIR --metrics OUT.csv --samples OUT.csv.gz --factors OUT.csv
# One bundle to the trial's metrics (those of its logs, its capture, and its capture of the air
# where it has one), samples and factors.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("study", function(arguments) {
  options <- parse_options(arguments, c("bundle", "metrics", "samples", "factors"))
  bundle <- read_bundle(options$bundle)
  label <- function(table) {
    cbind(study = rep(bundle$trial$study, nrow(table)),
          trial = rep(bundle$trial$trial, nrow(table)), table)
  }
  write_table(label(trial_metrics(bundle)), options$metrics)
  write_table(label(bundle_samples(bundle)), options$samples)
  write_table(label(trial_factors(bundle)), options$factors)
})
