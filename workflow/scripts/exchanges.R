#!/usr/bin/env Rscript
# exchanges.R --bundles DIR... --out OUT.csv
# The times of closed loops with a library, a row for each bundle and payload, see
# library_exchanges(). `python -m hil.selfcheck.ufrn` calls it.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("study", function(arguments) {
  options <- parse_options(arguments, c("bundles", "out"), lists = "bundles")
  rows <- lapply(options$bundles, function(folder) library_exchanges(read_bundle(folder)))
  data.table::fwrite(data.table::rbindlist(rows), options$out)
})
