#!/usr/bin/env Rscript
# reanalysis.R --captures FOLDER [--recordings data/recordings.yaml] [--published data/published]
# KU Leuven's Fig. 25, cell by cell, for the captures of data/recordings.yaml that FOLDER holds: the
# published value, ours by the stated definition, and the further definitions that give it.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
here <- dirname(gsub("~+~", " ", script, fixed = TRUE)) # R writes ~+~ for a blank
source(file.path(here, "..", "workflow", "scripts", "thinwire.R"))

run_main("study", function(arguments) {
  data <- file.path(here, "..", "data")
  options <- parse_options(arguments, "captures", c(recordings = file.path(data, "recordings.yaml"),
                                                    published = file.path(data, "published")))
  recordings <- read_recordings(options$recordings)
  recordings <- recordings[file.exists(file.path(options$captures, file))]
  if (!nrow(recordings)) input_error(options$captures, "has no recorded capture", "make recordings")
  metrics <- data.table::rbindlist(lapply(seq_len(nrow(recordings)), function(i) {
    a <- recordings[i]
    topic <- if (!is.na(a$topic)) a$topic
    recording_metrics(dissect(file.path(options$captures, a$file)), a$device, topic, a$trial)
  }))
  cells <- fig25_cells(metrics, read_published(options$published, "kuleuven2019"), recordings)
  cells[, ours := signif(ours, 5L)]
  cells[, others := substr(others, 1L, 50L)]
  print(cells[, !"trial"], nrows = 1000L)
  cat(sum(cells$reproduced, na.rm = TRUE), "of", nrow(cells), "cells reproduced;",
      sum(is.na(cells$reproduced)), "that the captures cannot show\n")
})
