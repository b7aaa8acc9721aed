#!/usr/bin/env Rscript
# dissect.R CAPTURE OUT.csv.gz [--ports mqtt=1884,coap=5700]
# One capture to one packets table; its columns are described by packet_schema().

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L]))
source(file.path(here, "thinwire.R"))

run_main(function(arguments) {
  options <- parse_options(arguments, c(ports = ""), positional = c("CAPTURE", "OUT"))
  packets <- dissect(options$CAPTURE, parse_ports(options$ports))
  write_packets(packets, options$OUT)
})
