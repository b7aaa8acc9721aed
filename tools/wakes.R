#!/usr/bin/env Rscript
# wakes.R --tables TABLE.csv...
# What wake-ups from deep sleep cost, as JSON: the part of results/decide.json that the metrics and
# factors of the studies wake and wake-modes give. `python tools/ship.py --wakes` ships it.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
top <- file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "..") # ~+~: a blank
source(file.path(top, "workflow", "scripts", "thinwire.R"))

run_main("report", function(arguments) {
  tables <- read_results(parse_options(arguments, lists = "tables")$tables)
  wakes <- decide_wakes(tables$factors, tables$metrics)
  if (is.null(wakes)) {
    input_error("--tables", "have no wake-up into a cell", "run the studies wake and wake-modes")
  }
  cat(jsonlite::toJSON(wakes, auto_unbox = TRUE, digits = NA, null = "null"), "\n", sep = "")
})
