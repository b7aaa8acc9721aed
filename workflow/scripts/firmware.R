#!/usr/bin/env Rscript
# firmware.R --sizes SIZES.csv --metrics OUT.csv --factors OUT.csv --table OUT.tex
# Flash and RAM of each engine (firmware/boards/lx106/size_report.py) as metrics and factors of the
# study `firmware`, and as a table of the paper.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("report", function(arguments) {
  options <- parse_options(arguments, c("sizes", "metrics", "factors", "table"))
  if (!file.exists(options$sizes)) input_error(options$sizes, "no such file", "build the firmware")
  sizes <- data.table::fread(options$sizes)
  write_table(firmware_metrics(sizes), options$metrics)
  write_table(sizes[, .(study = "firmware", trial = engine, factor = "engine", value = engine)],
              options$factors)
  write_latex(firmware_table(sizes), options$table)
})
