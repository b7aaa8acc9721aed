#!/usr/bin/env Rscript
# claims.R --claims OUT.csv --published DIR --tables [TABLE.csv...]
# The claims table from data/published and any tables of metrics, factors and claims (of studies
# that decide their own) that there are; of studies that are not among them from data/measured.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("study", function(arguments) {
  options <- parse_options(arguments, c("claims", "published"), lists = "tables")
  tables <- read_results(options$tables)
  recordings <- read_recordings(file.path(options$published, "..", "recordings.yaml"))
  kept <- read_measured(file.path(options$published, "..", "measured"),
                        unique(tables$outcomes$study))
  claims <- decide_claims(options$published, rbind(tables$metrics, kept$metrics),
                          rbind(tables$factors, kept$factors), recordings, tables$claims)
  write_table(note_measured(claims, kept), options$claims)
})
