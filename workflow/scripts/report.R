#!/usr/bin/env Rscript
# report.R --study NAME --report NAME --metrics CSV --samples CSV.gz --factors CSV --out FOLDER
#   --figures NAME... --tables NAME=FILE...
# The report of a study: figures, tables and numbers for the paper. Its name, the figures and the
# further tables are what the study's file says.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("report", function(arguments) {
  options <- parse_options(arguments, c("study", "report", "metrics", "samples", "factors", "out"),
                           lists = c("figures", "tables"))
  tables <- as.list(sub("^[^=]*=", "", options$tables))
  names(tables) <- sub("=.*$", "", options$tables)
  study <- list(name = options$study, figures = options$figures, tables = tables,
                metrics = read_table(options$metrics, c("study", "trial", "metric", "value")),
                samples = read_table(options$samples, c("study", "trial", "sample", "value")),
                factors = read_factors(options$factors))
  save_report(make_report(options$report, study), options$out)
})
