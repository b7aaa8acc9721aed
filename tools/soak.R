#!/usr/bin/env Rscript
# soak.R --bundles FOLDER... [--out TABLE.csv]
# What trials with restarts and outages lost, how long they took to come back, and the board's
# memory: a table on standard output, and as CSV where asked for.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
here <- dirname(gsub("~+~", " ", script, fixed = TRUE)) # R writes ~+~ for a blank
source(file.path(here, "..", "workflow", "scripts", "thinwire.R"))

run_main("study", function(arguments) {
  options <- parse_options(arguments, "bundles", c(out = ""), lists = "bundles")
  if (!length(options$bundles)) input_error("--bundles", "names none", "name one or more")
  rows <- data.table::rbindlist(lapply(options$bundles, function(folder) {
    endurance(read_bundle(folder))
  }))
  numbers <- names(rows)[vapply(rows, is.numeric, NA)]
  rows[, (numbers) := lapply(.SD, round, 3L), .SDcols = numbers]
  if (nzchar(options$out)) data.table::fwrite(rows, options$out)
  print(data.table::transpose(rows, keep.names = "of", make.names = "trial"), nrows = 100L,
        row.names = FALSE)
})
