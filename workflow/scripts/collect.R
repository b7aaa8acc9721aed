#!/usr/bin/env Rscript
# collect.R OUT.csv[.gz] IN.csv[.gz]...
# Tables of the same columns to one, in the order of the trials' names.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("study", function(arguments) {
  options <- parse_options(arguments, positional = "OUT", rest = "IN")
  if (length(options$IN) == 0L) input_error("arguments", "no input table", "give at least one")
  write_table(collect_tables(options$IN), options$OUT)
})
