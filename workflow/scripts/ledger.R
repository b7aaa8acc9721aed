#!/usr/bin/env Rscript
# ledger.R --metrics METRICS.csv --out OUT.pdf
# The byte ledgers of the recorded captures as a figure.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("report", function(arguments) {
  options <- parse_options(arguments, c("metrics", "out"))
  figure <- figure_ledger(read_table(options$metrics, c("study", "trial", "metric", "value")))
  save_figure(figure$plot, options$out, figure$width, figure$height)
})
