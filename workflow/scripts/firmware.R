#!/usr/bin/env Rscript
# firmware.R SIZES.csv METRICS.csv FACTORS.csv TABLE.tex
# Flash and RAM of each engine (firmware/boards/lx106/size_report.py) as metrics and factors of the
# study `firmware`, and as a table of the paper.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("report", function(arguments) {
  options <- parse_options(arguments, positional = c("SIZES", "METRICS", "FACTORS", "TABLE"))
  if (!file.exists(options$SIZES)) input_error(options$SIZES, "no such file", "build the firmware")
  sizes <- data.table::fread(options$SIZES)
  write_table(firmware_metrics(sizes), options$METRICS)
  write_table(sizes[, .(study = "firmware", trial = engine, factor = "engine", value = engine)],
              options$FACTORS)
  write_latex(firmware_table(sizes), options$TABLE)
})
