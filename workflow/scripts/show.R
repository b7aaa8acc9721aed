#!/usr/bin/env Rscript
# show.R --metrics CSV --samples CSV.gz --factors CSV [--format json]
# The summary of a study on standard output. `thinwire show` calls this.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("report", function(arguments) {
  options <- parse_options(arguments, c("metrics", "samples", "factors"), c(format = "table"))
  study <- list(metrics = read_table(options$metrics, c("study", "trial", "metric", "value")),
                samples = read_table(options$samples, c("study", "trial", "sample", "value")),
                factors = read_factors(options$factors))
  cat(if (options$format == "json") study_json(study) else study_lines(study), sep = "\n")
})
