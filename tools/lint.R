#!/usr/bin/env Rscript
# lint.R: lintr over the layers, their tests, the scripts and the tools; status 1 if it finds any.
# The linters are named one by one: lintr's own choice of them differs from version to version.

suppressPackageStartupMessages(library(lintr))

#' The linter of this name, or of the name that it had before lintr 3.1.
renamed <- function(now, before) {
  getExportedValue("lintr", if (now %in% getNamespaceExports("lintr")) now else before)()
}

by_words <- "use run_program(), which quotes each word: a path may hold a blank"
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
  undesirable_function_linter(c(system = by_words, system2 = by_words, pipe = by_words)),
  vector_logic_linter(),
  quotes_linter = renamed("quotes_linter", "single_quotes_linter"),
  whitespace_linter = renamed("whitespace_linter", "no_tab_linter")
)
found <- do.call(c, lapply(c("workflow/R", "workflow/scripts", "tools"), lint_dir, linters = rules))

#' Do the functions of a layer use names that there are? What it defines and imports, and the
#' columns that it declares, are visible meanwhile.
lint_usage <- function(layer) {
  space <- load_layer(layer)
  columns <- sapply(space$.__global__, function(name) function(...) NULL)
  attach(c(as.list(space), as.list(parent.env(space)), columns), name = "names of the layer",
         warn.conflicts = FALSE)
  on.exit(detach("names of the layer"))
  lint_dir(file.path("workflow", "R", layer, "R"), linters = list(object_usage_linter()))
}

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
here <- dirname(gsub("~+~", " ", script, fixed = TRUE)) # R writes ~+~ for a blank
source(file.path(here, "..", "workflow", "scripts", "thinwire.R"))
found <- c(found, do.call(c, lapply(layers, lint_usage)))
invisible(lapply(found, print))
cat(length(found), "lints\n")
quit(status = as.integer(length(found) > 0L))
