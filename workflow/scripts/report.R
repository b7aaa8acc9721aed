#!/usr/bin/env Rscript
# report.R --numbers OUT.tex --folder DIR --claims CLAIMS.csv --published DIR
#   --tables TABLE.csv...
# Every number and table of the paper.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("report", function(arguments) {
  options <- parse_options(arguments, c("numbers", "folder", "claims", "published"),
                           lists = "tables")
  claims <- read_table(options$claims, c("claim", "seed", "verdict"))
  for (name in names(claims)) {
    data.table::set(claims, which(is.na(claims[[name]])), name, "")
  }
  write_report(options$numbers, options$folder, claims, options$published,
               read_results(options$tables))
})
