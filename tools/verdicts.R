#!/usr/bin/env Rscript
# verdicts.R --before CLAIMS.csv --after CLAIMS.csv [--out TABLE.csv] [--changes TABLE.csv]
# Two claims tables beside each other, of the claims that both have: the number with each verdict by
# source, before and after, and each claim whose verdict changed. For a change of the rule (both
# tables from the same results), or for two builds. Repeated and trivial claims are counted apart.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
here <- dirname(gsub("~+~", " ", script, fixed = TRUE)) # R writes ~+~ for a blank
source(file.path(here, "..", "workflow", "scripts", "thinwire.R"))

run_main("study", function(arguments) {
  options <- parse_options(arguments, c("before", "after"), c(out = "", changes = ""))
  before <- read_claims_table(options$before)
  after <- read_claims_table(options$after)
  counts <- verdict_counts(before, after)
  changes <- verdict_changes(before, after)
  if (nzchar(options$out)) write_table(counts, options$out)
  if (nzchar(options$changes)) write_table(changes, options$changes)
  print(counts, nrows = 1000L)
  print(changes[, .N, keyby = .(before, after)], nrows = 1000L)
})
