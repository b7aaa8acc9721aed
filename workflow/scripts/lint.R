#!/usr/bin/env Rscript
# lint.R: lintr over the R package, its tests and the scripts; status 1 if it finds anything.
# The linters are named one by one: lintr's own choice of them differs from version to version.

suppressPackageStartupMessages(library(lintr))

#' The linter of this name, or of the name that it had before lintr 3.1.
renamed <- function(now, before) {
  getExportedValue("lintr", if (now %in% getNamespaceExports("lintr")) now else before)()
}

rules <- list(
  assignment_linter(),
  brace_linter(),
  commas_linter(),
  commented_code_linter(),
  equals_na_linter(),
  function_left_parentheses_linter(),
  infix_spaces_linter(),
  line_length_linter(100L),
  object_length_linter(),
  paren_body_linter(),
  pipe_continuation_linter(),
  semicolon_linter(),
  seq_linter(),
  spaces_inside_linter(),
  spaces_left_parentheses_linter(),
  T_and_F_symbol_linter(),
  trailing_blank_lines_linter(),
  trailing_whitespace_linter(),
  vector_logic_linter(),
  quotes_linter = renamed("quotes_linter", "single_quotes_linter"),
  whitespace_linter = renamed("whitespace_linter", "no_tab_linter")
)
found <- do.call(c, lapply(c("workflow/R", "workflow/scripts"), lint_dir, linters = rules))
invisible(lapply(found, print))
cat(length(found), "lints\n")
quit(status = as.integer(length(found) > 0L))
