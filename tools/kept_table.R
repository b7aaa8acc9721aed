#!/usr/bin/env Rscript
# kept_table.R --study NAME --by FACTOR... --metrics METRIC...
# A study of data/measured as CSV: a row for each combination of the factors, with the number of
# trials and the mean of each metric over them. docs/measured has these tables.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
top <- file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "..") # ~+~: a blank
source(file.path(top, "workflow", "scripts", "thinwire.R"))

run_main("study", function(arguments) {
  options <- parse_options(arguments, "study", lists = c("by", "metrics"))
  folder <- file.path(top, "data", "measured", options$study)
  factors <- read_factors(file.path(folder, "factors.csv"))
  metrics <- read_table(file.path(folder, "metrics.csv"), c("trial", "metric", "value"))
  for (name in setdiff(options$metrics, metrics$metric)) {
    input_error("--metrics", paste("no", name), paste("use", toString(unique(metrics$metric))))
  }
  wide <- data.table::dcast(factors[factor %in% options$by], trial ~ factor)
  for (name in setdiff(options$by, names(wide))) {
    input_error("--by", paste("no factor", name), paste("use", toString(unique(factors$factor))))
  }
  out <- wide[, .(trials = .N), keyby = c(options$by)]
  for (name in options$metrics) {
    mean_of <- metrics[metric == name][wide, on = "trial"][
      , .(value = mean(value)), by = c(options$by)]
    out[mean_of, (name) := ifelse(is.na(i.value), "", as.character(signif(i.value, 4L))),
        on = c(options$by)]
  }
  numeric <- vapply(out, function(x) all(grepl("^[0-9.]*$", x)), NA)
  keys <- lapply(options$by, function(name) {
    if (numeric[[name]]) as.numeric(out[[name]]) else out[[name]]
  })
  rows <- do.call("order", keys)
  writeLines(csv_lines(out[rows]))
})
