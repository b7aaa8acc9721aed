#!/usr/bin/env Rscript
# timelines.R --bundles DIR... --recorded IP=PACKETS.csv.gz... --out CSV.gz
# The packets of trials' devices, and of recorded ones at their addresses, in time: the table
# `study`, `trial` (of a recorded capture "recordings" and its name), `time_s`, `way`, `bytes`.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("study", function(arguments) {
  options <- parse_options(arguments, "out", lists = c("bundles", "recorded"))
  lab <- lapply(options$bundles, function(folder) {
    bundle <- read_bundle(folder)
    bundle_timeline(bundle)[, `:=`(study = bundle$trial$study, trial = bundle$trial$trial)]
  })
  recorded <- lapply(options$recorded, function(option) {
    file <- sub("^[^=]*=", "", option)
    timeline(read_packets(file), sub("=.*$", "", option))[
      , `:=`(study = "recordings", trial = sub("[.]csv[.]gz$", "", basename(file)))]
  })
  rows <- data.table::rbindlist(c(lab, recorded))
  write_table(rows[, .(study, trial, time_s, way, bytes)], options$out)
})
