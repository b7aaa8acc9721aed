#!/usr/bin/env Rscript
# report.R NUMBERS.tex TABLES_DIR CLAIMS.csv PUBLISHED_DIR [TABLE.csv[.gz]...]
# Every number and table of the paper.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("report", function(arguments) {
  options <- parse_options(arguments, positional = c("NUMBERS", "FOLDER", "CLAIMS", "PUBLISHED"),
                           rest = "TABLES")
  claims <- read_table(options$CLAIMS, c("claim", "seed", "verdict"))
  for (name in names(claims)) {
    data.table::set(claims, which(is.na(claims[[name]])), name, "")
  }
  write_report(options$NUMBERS, options$FOLDER, claims, options$PUBLISHED,
               read_results(options$TABLES))
})
