#!/usr/bin/env Rscript
# view.R --capture PATH [--device IP] --charts JS --source workflow/page --out HTML
# The time line of a bundle's folder, or of a capture with the device at IP, as one file.
# `thinwire view` calls this.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("report", function(arguments) {
  options <- parse_options(arguments, c("capture", "charts", "source", "out"),
                           optional = c(device = ""))
  device <- if (nzchar(options$device)) options$device else NA_character_
  write_view(options$capture, device, options$source, options$charts, options$out)
})
