#!/usr/bin/env Rscript
# exchanges.R --bundles DIR... --servers NAME... --measured_at TEXT --out FOLDER
# Keeps the times of closed loops with a library as FOLDER/metrics.csv and FOLDER/factors.csv
# (data/measured/README.md), see library_exchanges(). `servers` has a name for each bundle.
# `python -m hil.selfcheck.ufrn` calls it.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("study", function(arguments) {
  options <- parse_options(arguments, c("bundles", "servers", "measured_at", "out"),
                           lists = c("bundles", "servers"))
  bundles <- lapply(options$bundles, read_bundle)
  table <- function(rows) {
    out <- data.table::rbindlist(Map(function(bundle, row) {
      cbind(study = bundle$trial$study, trial = bundle$trial$trial, row)
    }, bundles, rows))
    data.table::setorderv(out, names(out)[1:3])
    out
  }
  write_table(table(lapply(bundles, library_exchanges)), file.path(options$out, "metrics.csv"))
  factors <- Map(exchange_factors, bundles, options$servers, options$measured_at)
  write_table(table(factors), file.path(options$out, "factors.csv"))
})
