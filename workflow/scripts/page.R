#!/usr/bin/env Rscript
# page.R --decide JSON --claims JSON --studies JSON --tables TABLE.csv... --bundles data/raw
#   --charts JS --source workflow/page --project DIR --commit "COMMIT DATE" --out DIR
# The page, index.html: one file. Definitions and recorded tables are those of docs/, the sources of
# claims those of paper/references.bib; the commit may be empty. --claims and --studies are what
# `thinwire claims --json` and `thinwire studies --json` say.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("report", function(arguments) {
  options(thinwire.forkserver = built_fork_server()) # captures of each mode are drawn
  one <- c("decide", "claims", "studies", "bundles", "charts", "source", "project",
           "commit", "out")
  options <- parse_options(arguments, one, lists = "tables")
  read <- function(file, ...) jsonlite::fromJSON(file, ...)
  write_page(list(decide = read(options$decide),
                  decide_text = read(options$decide, simplifyVector = FALSE),
                  claims = read(options$claims), studies = read(options$studies),
                  results = read_results(options$tables), bundles = options$bundles,
                  charts = options$charts, project = options$project,
                  commit = options$commit),
             options$source, options$out)
})
