#!/usr/bin/env Rscript
# figure.R NAME OUT.pdf METRICS.csv [SAMPLES.csv.gz FACTORS.csv]
# One figure of one study; NAME is delivery, rtt or bytes, or ledger, which needs the metrics only.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("report", function(arguments) {
  options <- parse_options(arguments, positional = c("NAME", "OUT", "METRICS"), rest = "TABLES")
  metrics <- read_table(options$METRICS, c("study", "trial", "metric", "value"))
  if (length(options$TABLES) == 0L) {
    figure <- study_figure(options$NAME, metrics, NULL, NULL)
  } else {
    if (length(options$TABLES) != 2L) {
      input_error("arguments", "missing FACTORS", "give METRICS SAMPLES FACTORS")
    }
    samples <- read_table(options$TABLES[1L], c("study", "trial", "sample", "value"))
    factors <- read_factors(options$TABLES[2L])
    figure <- study_figure(options$NAME, usable(metrics, factors), usable(samples, factors),
                           factors)
  }
  save_figure(figure$plot, options$OUT, figure$width, figure$height)
})
