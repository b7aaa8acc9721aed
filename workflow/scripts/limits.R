#!/usr/bin/env Rscript
# limits.R --metrics METRICS.csv --factors FACTORS.csv --table OUT.tex
# The study `limits` as a table of the paper.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("report", function(arguments) {
  options <- parse_options(arguments, c("metrics", "factors", "table"))
  factors <- read_factors(options$factors)
  metrics <- usable(read_table(options$metrics, c("study", "trial", "metric", "value")), factors)
  write_latex(limits_table(summarise_limits(metrics, usable(factors, factors))), options$table)
})
