#!/usr/bin/env Rscript
# compare_modes.R --modes A B --tables TABLE.csv... [--point KEY=VALUE...] [--all yes|no]
#   [--format table|csv|json]
# Two modes of one study beside each other, from the tables of its results, on standard output.
# `thinwire compare --modes` calls this.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("study", function(arguments) {
  options <- parse_options(arguments, optional = c(format = "table", all = "no"),
                           lists = c("modes", "tables", "point"))
  found <- compare_modes(read_results(options$tables), options$modes, options$point,
                         options$all == "yes")
  lines <- switch(options$format,
    table = comparison_lines(found, options$modes),
    csv = csv_lines(found$rows),
    json = json_text(list(study = found$study, modes = options$modes, metrics = found$rows)),
    input_error("--format", paste0("'", options$format, "' is none"), "table, csv or json")
  )
  text <- paste0(paste(lines, collapse = "\n"), "\n")
  tryCatch(cat(text), error = function(e) NULL) # the reader of a pipe has seen enough
})
