#!/usr/bin/env Rscript
# lint.R: lintr over the R package, its tests and the scripts; status 1 if it finds anything.

suppressPackageStartupMessages(library(lintr))

rules <- linters_with_defaults(
  line_length_linter = line_length_linter(100L),
  object_usage_linter = NULL, # the package is sourced, not installed: all functions are unknown
  object_name_linter = NULL # data.table's columns and LaTeX's macros have names of their own
)
found <- do.call(c, lapply(c("workflow/R", "workflow/scripts"), lint_dir, linters = rules))
invisible(lapply(found, print))
cat(length(found), "lints\n")
quit(status = as.integer(length(found) > 0L))
