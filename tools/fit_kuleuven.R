#!/usr/bin/env Rscript
# fit_kuleuven.R --captures FOLDER [--device IP]
# What the studies kuleuven and twins take from KU Leuven's captures with one client, which FOLDER
# holds: each number with its observations and how it is found, and the distributions.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
here <- dirname(gsub("~+~", " ", script, fixed = TRUE)) # R writes ~+~ for a blank
source(file.path(here, "..", "workflow", "scripts", "thinwire.R"))

fit_unit <- function(parameter) {
  switch(sub("^.*_", "", parameter), pct = "%", us = "us", ppm = "ppm", "ms")
}

run_main("study", function(arguments) {
  options <- parse_options(arguments, "captures", c(device = "192.168.0.226"))
  files <- file.path(options$captures, paste0(fit_captures, ".pcapng"))
  missing <- files[!file.exists(files)]
  if (length(missing)) input_error(missing[1L], "is not there", "make recordings fetches it")
  packets <- stats::setNames(lapply(files, dissect), fit_captures)
  fits <- device_fits(packets, options$device)
  for (i in seq_len(nrow(fits))) {
    with(fits[i], cat(sprintf("%-16s %-5s %8.2f %-2s  n %3d  %s: %s\n", parameter, protocol, value,
                              fit_unit(parameter), n, capture, how)))
  }
  times <- device_processing(packets, options$device)
  for (name in names(times)) cat("processing_times,", name, "ms:", times[[name]], "\n")
  for (name in c("mqtt_qos1_pub1", "mqtt_qos2_pub1", "coap_1clients")) {
    own <- sleeping_messages(packets[[name]], options$device, name)
    with(awake_rhythm(own$at, own$quick), cat(sprintf(
      "awake in 1 s of each 5 s: %s n %d, %.0f %% answered at once, else %.0f %%, by chance %.3f\n",
      name, n, 100 * inside, 100 * outside, chance)))
  }
  cat("arrival_delay, ms:", sprintf("%.2f", device_arrivals(packets, options$device)), "\n")
})
