#!/usr/bin/env Rscript
# dissect.R --capture CAPTURE --packets OUT.csv.gz [--ports mqtt=1884,coap=5700]
# One capture to one packets table; its columns are described by body_schema().

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("capture", function(arguments) {
  options <- parse_options(arguments, c("capture", "packets"), c(ports = ""))
  packets <- dissect(options$capture, parse_ports(options$ports), schema = body_schema())
  write_packets(packets, options$packets)
})
