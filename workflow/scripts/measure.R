#!/usr/bin/env Rscript
# measure.R --bundles DIR... --metrics OUT.csv --samples OUT.csv.gz --factors OUT.csv
# Bundles to their trials' metrics (those of logs, capture, and capture of the air where there is
# one), samples and factors: the rows of each in the order in which the bundles are named.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("study", function(arguments) {
  options(thinwire.forkserver = built_fork_server())
  options <- parse_options(arguments, c("bundles", "metrics", "samples", "factors"),
                           lists = "bundles")
  measured <- lapply(options$bundles, function(folder) {
    bundle <- read_bundle(folder)
    label <- function(table) {
      cbind(study = rep(bundle$trial$study, nrow(table)),
            trial = rep(bundle$trial$trial, nrow(table)), table)
    }
    capture <- trial_capture(bundle)
    list(metrics = label(trial_metrics(bundle, capture)),
         samples = label(bundle_samples(bundle, capture)),
         factors = label(trial_factors(bundle)))
  })
  for (table in c("metrics", "samples", "factors")) {
    write_table(data.table::rbindlist(lapply(measured, `[[`, table)), options[[table]])
  }
})
