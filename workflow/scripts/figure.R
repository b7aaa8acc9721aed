#!/usr/bin/env Rscript
# figure.R NAME OUT.pdf METRICS.csv SAMPLES.csv.gz FACTORS.csv
# One figure of one study; NAME is delivery, rtt or bytes.

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L]))
source(file.path(here, "thinwire.R"))

run_main(function(arguments) {
  options <- parse_options(arguments, positional = c("NAME", "OUT", "METRICS", "SAMPLES",
                                                     "FACTORS"))
  metrics <- read_table(options$METRICS, c("study", "trial", "metric", "value"))
  samples <- read_table(options$SAMPLES, c("study", "trial", "sample", "value"))
  factors <- read_factors(options$FACTORS)
  figure <- study_figure(options$NAME, usable(metrics, factors), usable(samples, factors), factors)
  save_figure(figure$plot, options$OUT, figure$width, figure$height)
})
