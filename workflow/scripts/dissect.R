#!/usr/bin/env Rscript
# dissect.R CAPTURE OUT.csv.gz [--ports mqtt=1884,coap=5700]
# One capture to one packets table; its columns are described by packet_schema(). The capture of a
# trial that went wrong may be empty or cut: its table is then empty, and its metrics say so.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

#' Does the capture lie in the bundle of a trial that went wrong?
went_wrong <- function(capture) {
  report <- file.path(dirname(capture), "lab.json")
  file.exists(report) && !identical(jsonlite::fromJSON(report)$outcome, "ok")
}

run_main("capture", function(arguments) {
  options <- parse_options(arguments, c(ports = ""), positional = c("CAPTURE", "OUT"))
  tryCatch(
    write_packets(dissect(options$CAPTURE, parse_ports(options$ports)), options$OUT),
    thinwire_input_error = function(condition) {
      if (!went_wrong(options$CAPTURE)) stop(condition)
      data.table::fwrite(packet_schema()[0L, "column"], options$OUT)
    }
  )
})
