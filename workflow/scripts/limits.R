#!/usr/bin/env Rscript
# limits.R METRICS.csv FACTORS.csv TABLE.tex
# The study `limits` as a table of the paper.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("report", function(arguments) {
  options <- parse_options(arguments, positional = c("METRICS", "FACTORS", "TABLE"))
  factors <- read_factors(options$FACTORS)
  metrics <- usable(read_table(options$METRICS, c("study", "trial", "metric", "value")), factors)
  write_latex(limits_table(summarise_limits(metrics, usable(factors, factors))), options$TABLE)
})
