#!/usr/bin/env Rscript
# claims.R CLAIMS.csv PUBLISHED_DIR [TABLE.csv...]
# The claims table from data/published and any tables of metrics, factors and claims (of studies
# that decide their own) that there are.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("study", function(arguments) {
  options <- parse_options(arguments, positional = c("OUT", "PUBLISHED"), rest = "TABLES")
  tables <- read_results(options$TABLES)
  archives <- read_archives(file.path(options$PUBLISHED, "..", "archives.yaml"))
  claims <- decide_claims(options$PUBLISHED, tables$metrics, tables$factors, archives,
                          tables$claims)
  write_table(claims, options$OUT)
})
