#!/usr/bin/env Rscript
# calibrate.R [--cases 2000] [--out TABLE.csv] [--model TABLE.csv]
# The rule that decides claims, where the truth is known: shares of the verdicts over simulated
# claims, by number and kind of the runs, rule and size of the effect; and where the laboratory is
# off itself (--model), by its error (docs/claims.md).

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
here <- dirname(gsub("~+~", " ", script, fixed = TRUE)) # R writes ~+~ for a blank
source(file.path(here, "..", "workflow", "scripts", "thinwire.R"))

run_main("study", function(arguments) {
  options <- parse_options(arguments, character(), c(cases = "2000", out = "", model = ""))
  cases <- suppressWarnings(as.integer(options$cases))
  if (is.na(cases) || cases < 1L) {
    input_error("--cases", paste0("'", options$cases, "' is no number of claims"), "give 2000")
  }
  table <- calibration(cases)
  if (nzchar(options$out)) write_table(table, options$out)
  numbers <- setdiff(names(table), c("runs", "kind", "rule", "effect"))
  table[, (numbers) := lapply(.SD, function(x) round(100 * x, 1L)), .SDcols = numbers]
  print(table, nrows = 1000L)
  cat("per cent; without an effect anything but 'not reproduced' in at most",
      table[effect == 0, max(wrong)], "% of cases\n")
  model <- model_calibration(cases)
  if (nzchar(options$model)) write_table(model, options$model)
  shares <- setdiff(names(model), c("rule", "error", "held", "effect"))
  model[, (shares) := lapply(.SD, function(x) round(100 * x, 1L)), .SDcols = shares]
  print(model, nrows = 1000L)
})
