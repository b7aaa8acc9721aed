#!/usr/bin/env Rscript
# analyze.R --capture FILE --device IP [--topic T] [--format table|csv|json]
#   [--ports mqtt=1884,...] [--damaged stop|keep]
# Every metric of any capture on standard output; `thinwire analyze` calls this.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("capture", function(arguments) {
  options <- parse_options(arguments, "capture", c(device = "", topic = "", format = "table",
                                                   ports = "", damaged = "stop"))
  if (!nzchar(options$device)) missing_device(options$capture)
  if (!options$format %in% c("table", "csv", "json")) {
    input_error("--format", paste0("no such format: ", options$format), "use table, csv or json")
  }
  topic <- if (nzchar(options$topic)) options$topic
  result <- analyze_capture(options$capture, options$device, topic, parse_ports(options$ports),
                            options$damaged)
  text <- paste0(paste(format_metrics(result, options$format), collapse = "\n"), "\n")
  tryCatch(cat(text), error = function(e) NULL) # the reader of a pipe has seen enough
})
