#!/usr/bin/env Rscript
# fidelity.R [--results FOLDER] [--table CSV]
# How far the lab is from KU Leuven's captures: the discrepancy by class of metric, and each
# condition of the study `twins` with what was fitted on it, as tables of Markdown. With the results
# of a build that had captures the CSV is written first, by default data/recorded/fidelity.csv.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
here <- dirname(gsub("~+~", " ", script, fixed = TRUE)) # R writes ~+~ for a blank
source(file.path(here, "..", "workflow", "scripts", "thinwire.R"))

#' The tables of a build that [fidelity_pairs()] needs.
tables_of <- function(results) {
  files <- file.path(results, c("metrics/twins.csv", "samples/twins.csv.gz", "factors/twins.csv",
                                "metrics/recordings.csv", "samples/recordings.csv.gz"))
  missing <- files[!file.exists(files)]
  if (length(missing)) {
    input_error(missing[1L], "is not there",
                "run: snakemake --cores all --config 'studies=[twins]' -- results/reports/twins")
  }
  read_results(files)
}

print_table <- function(x) {
  text <- x[, lapply(.SD, function(column) {
    missing <- is.na(column)
    if (is.double(column)) column <- formatC(column, digits = 3L, format = "fg", flag = "#")
    data.table::fifelse(missing, "", sub("[.]$", "", as.character(column)))
  })]
  lines <- do.call(paste, c(text, sep = " | "))
  cat(sprintf("| %s |", c(paste(names(text), collapse = " | "),
                          paste(rep("---", ncol(text)), collapse = " | "), lines)), "", sep = "\n")
}

run_main("study", function(arguments) {
  options <- parse_options(arguments, character(),
                           c(results = "", table = file.path(here, "..", recorded_fidelity)))
  if (nzchar(options$results)) {
    write_table(fidelity_pairs(tables_of(options$results)), options$table)
  }
  pairs <- read_table(options$table, c("class", "state", "counts"))
  print_table(model_discrepancy(with_chip_pairs(pairs)))
  pairs <- pairs[(counts)]
  pairs[, state := factor(state, rev(fit_states))]
  print_table(pairs[order(state), .(state, condition, class, metric, recorded, ours, n, n_ours,
                                    error, error_least, error_most, distance,
                                    `fitted on it` = numbers)])
})
