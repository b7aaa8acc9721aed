#!/usr/bin/env Rscript
# expect.R --expectations IN.csv --bundles DIR... --out OUT.json
# The metrics of bundles against a table of expectations (metric, operator, limit, unit): a list
# with an object for each expectation and bundle, see check_expectations(). `thinwire try` calls it.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("study", function(arguments) {
  options <- parse_options(arguments, c("expectations", "bundles", "out"), lists = "bundles")
  wanted <- read_table(options$expectations, c("metric", "operator", "limit", "unit"))
  wanted[, unit := data.table::fcoalesce(as.character(unit), "")]
  writeLines(json_text(check_expectations(wanted, options$bundles)), options$out)
})
