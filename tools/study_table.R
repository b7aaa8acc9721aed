#!/usr/bin/env Rscript
# study_table.R --claims NEW.csv --source NAME [--before OLD.csv]
# One source's claims as CSV: what it states and where, its value, ours, the verdict, and with
# --before the verdict in an older table where it differs. Claims for which nothing was run are left
# out. docs/measured has these tables.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
top <- file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "..") # ~+~: a blank
source(file.path(top, "workflow", "scripts", "thinwire.R"))

#' Text for a cell of a Markdown table.
cell <- function(x) gsub("|", "\\|", gsub("[\r\n]+", " ", x), fixed = TRUE)

run_main("capture", function(arguments) {
  options <- parse_options(arguments, c("claims", "source"), c(before = ""))
  columns <- c("claim", "source", "section", "statement", "published", "ours", "unit", "verdict")
  claims <- read_table(options$claims, columns)
  mine <- claims[source == options$source & verdict != "not testable"]
  if (nrow(mine) == 0L) {
    input_error("--source", paste0("no claim of '", options$source, "'"),
                paste("use one of", toString(unique(claims$source))))
  }
  text <- function(x) data.table::fifelse(is.na(x), "", as.character(x))
  out <- mine[, .(where = section, statement, published = text(published),
                  ours = trimws(paste(text(ours), data.table::fifelse(nzchar(text(ours)),
                                                                      text(unit), ""))),
                  verdict)]
  if (nzchar(options$before)) {
    old <- read_table(options$before, c("claim", "verdict"))
    was <- old$verdict[match(mine$claim, old$claim)]
    out[, before := data.table::fcase(is.na(was), "no claim", was == verdict, "the same",
                                      rep(TRUE, .N), was)]
  }
  for (name in names(out)) data.table::set(out, j = name, value = cell(out[[name]]))
  writeLines(csv_lines(out))
})
