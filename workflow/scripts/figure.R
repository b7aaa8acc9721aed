#!/usr/bin/env Rscript
# figure.R --name NAME --out OUT.pdf --metrics CSV [--samples CSV.gz --factors CSV]
# One figure of one study; NAME is delivery, rtt or bytes, or ledger, which needs the metrics only.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("report", function(arguments) {
  options <- parse_options(arguments, c("name", "out", "metrics"),
                           c(samples = "", factors = ""))
  metrics <- read_table(options$metrics, c("study", "trial", "metric", "value"))
  if (options$name == "ledger") {
    figure <- study_figure(options$name, metrics, NULL, NULL)
  } else {
    samples <- read_table(options$samples, c("study", "trial", "sample", "value"))
    factors <- read_factors(options$factors)
    figure <- study_figure(options$name, usable(metrics, factors), usable(samples, factors),
                           factors)
  }
  save_figure(figure$plot, options$out, figure$width, figure$height)
})
