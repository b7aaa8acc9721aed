#!/usr/bin/env Rscript
# damage.R --device IP --captures CAPTURE... [--runs 200] [--seed 20190520] [--out RUNS.csv]
# Cuts each capture at random places and flips random bytes, `runs` times each, analyzes every copy
# in a process of its own (the code of `thinwire analyze`, without the start of R), and prints what
# became of them by place. Status 1 if one crashed, hung, or gave another number without a word.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
here <- dirname(gsub("~+~", " ", script, fixed = TRUE)) # R writes ~+~ for a blank
source(file.path(here, "..", "workflow", "scripts", "thinwire.R"))

print_counts <- function(title, runs) {
  counts <- table(runs$location, factor(runs$outcome, c("error", "warning", "identical", "differs",
                                                        "crash", "hang")))
  cat("\n", title, "\n", sep = "")
  print(stats::addmargins(counts))
}

run_main("capture", function(arguments) {
  options <- parse_options(arguments, c("device", "captures"),
                           c(runs = "200", seed = "20190520", out = ""), lists = "captures")
  if (!length(options$captures)) input_error("--captures", "names none", "name one or more")
  runs <- data.table::rbindlist(lapply(options$captures, function(capture) {
    plan <- damage_plan(file.size(capture), as.integer(options$runs), as.integer(options$seed))
    damage_runs(capture, options$device, plan, function(row) {
      if (nzchar(options$out)) data.table::fwrite(row, options$out, append = TRUE)
    })
  }))
  print_counts("Files cut short", runs[kind == "cut"])
  print_counts("Files with one byte flipped", runs[kind == "flip"])
  silent <- runs[outcome == "differs"]
  if (nrow(silent)) {
    cat("\nResults that differ without a word\n")
    print(silent[, .(capture, at, mask, location, metrics = substr(said, 1L, 60L))], nrows = 1000L)
  }
  bad <- forbidden_runs(runs)
  cat("\n", nrow(runs), " runs, ", nrow(bad), " of them forbidden\n", sep = "")
  if (nrow(bad)) quit(status = 1L)
})
