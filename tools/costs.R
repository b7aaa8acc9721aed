#!/usr/bin/env Rscript
# costs.R --decide results/decide.json --results results --out FILE.csv
# What a delivered message of 100 bytes costs with each mode, ten a second, in an idle cell: means
# over the trials of the study `matrix`. The README has this table (tools/readme.py).

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
top <- file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "..") # ~+~: a blank
source(file.path(top, "workflow", "scripts", "thinwire.R"))

condition <- c(payload_bytes = "100", interval_ms = "100", background_profile = "none")
columns <- c(bytes = "bytes_per_message", air_bytes = "air_bytes_per_message",
             airtime_us = "airtime_per_message_us", transmit_uc = "charge_transmit_per_message_uc",
             receive_uc = "charge_receive_per_message_uc", answered_uc = "charge_per_message_uc")

run_main("capture", function(arguments) {
  options <- parse_options(arguments, c("decide", "results", "out"))
  modes <- jsonlite::fromJSON(options$decide)$modes
  table <- function(kind) {
    data.table::fread(file.path(options$results, kind, "matrix.csv"), encoding = "UTF-8",
                      colClasses = list(character = if (kind == "factors") "value"))
  }
  wide <- data.table::dcast(table("factors"), trial ~ factor, value.var = "value")
  for (name in names(condition)) wide <- wide[get(name) == condition[[name]]]
  values <- table("metrics")[metric %in% columns & trial %in% wide$trial]
  values[, mode := wide$mode[match(trial, wide$trial)]]
  out <- data.table::dcast(values[, .(value = mean(value)), by = .(mode, metric)],
                           mode ~ metric, value.var = "value")
  data.table::setnames(out, columns, names(columns))
  out[, frames_uc := transmit_uc + receive_uc]
  # RAM of the protocol: that of its mode and payload in one frame that needs most
  most <- vapply(modes$ram, function(ram) max(ram$ram[ram$payload <= 1000]), 0)
  at <- match(out$mode, modes$name)
  out[, `:=`(flash_bytes = modes$flash[at],
             ram_bytes = tapply(most, modes$protocol, max)[modes$protocol[at]])]
  kept <- c("mode", "bytes", "air_bytes", "airtime_us", "frames_uc", "answered_uc", "flash_bytes",
            "ram_bytes")
  data.table::fwrite(out[order(mode), lapply(.SD, function(x) {
    if (is.numeric(x)) signif(x, 6L) else x
  }), .SDcols = kept], options$out)
})
