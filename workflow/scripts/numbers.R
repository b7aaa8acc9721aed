#!/usr/bin/env Rscript
# numbers.R --numbers OUT.tex --folder DIR --claims CLAIMS.csv --published DIR
#   --tables TABLE.csv...
# The paper's numbers and tables beside those of the studies' reports: claims, published values, and
# recorded captures.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("report", function(arguments) {
  options <- parse_options(arguments, c("numbers", "folder", "claims", "published"),
                           lists = "tables")
  claims <- read_table(options$claims, c("claim", "source", "verdict"))
  for (name in names(claims)) {
    data.table::set(claims, j = name, value = as.character(claims[[name]]))
    data.table::set(claims, which(is.na(claims[[name]])), name, "")
  }
  write_report(options$numbers, options$folder, claims, options$published,
               read_results(options$tables))
})
