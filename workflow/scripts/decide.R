#!/usr/bin/env Rscript
# decide.R --tables TABLE.csv... --out JSON
# From the metrics and factors of all studies and the firmware's sizes to what ranks the modes for a
# device: the models between the measured conditions and how far they err.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("report", function(arguments) {
  options <- parse_options(arguments, "out", lists = "tables")
  write_decide(decide_document(read_results(options$tables)), options$out)
})
