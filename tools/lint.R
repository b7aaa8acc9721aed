#!/usr/bin/env Rscript
# lint.R: lintr over the layers, their tests, the scripts and the tools; status 1 if it finds any.
# The linters are named one by one: lintr's own choice of them differs from version to version.
# build/lint.txt lists the files that had no lint, by their contents: an unchanged file is not read
# again, which saves a minute of processor time.

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
script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
script <- gsub("~+~", " ", script, fixed = TRUE) # R writes ~+~ for a blank
source(file.path(dirname(script), "..", "workflow", "scripts", "thinwire.R"))

record <- file.path("build", "lint.txt")
clean <- if (file.exists(record)) readLines(record)
versions <- paste(tools::md5sum(script), packageVersion("lintr"), getRversion())

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

sources <- list.files(c("workflow/R", "workflow/scripts", "tools"), "[.][Rr]$", full.names = TRUE,
                      recursive = TRUE)
# A check has a name, the files that its result depends on, and a function that returns lints.
checks <- c(
  lapply(layers, function(layer) {
    below <- file.path("workflow", "R", layers[seq_len(match(layer, layers))])
    files <- list.files(c(below, file.path(below, "R")), "[.]R$|^NAMESPACE$", full.names = TRUE)
    list(name = paste("usage of", layer), files = files, run = function() lint_usage(layer))
  }),
  lapply(sources, function(file) {
    list(name = file, files = file, run = function() lint(file, linters = rules))
  })
)
# A line of build/lint.txt: it changes with the rules, their program, and the files.
stamps <- vapply(checks, function(check) {
  paste(check$name, versions, paste(unname(tools::md5sum(check$files)), collapse = " "))
}, "")
due <- !stamps %in% clean
found <- parallel::mclapply(checks[due], function(check) check$run(), mc.preschedule = FALSE,
                            mc.cores = parallel::detectCores())
failed <- Filter(function(lints) is.null(lints) || inherits(lints, "try-error"), found)
if (length(failed)) stop("lintr failed: ", format(failed[[1L]]))
sound <- !due
sound[due] <- lengths(found) == 0L
found <- do.call(c, found)
dir.create("build", showWarnings = FALSE)
writeLines(stamps[sound], record)
invisible(lapply(found, print))
cat(length(found), "lints\n")
quit(status = as.integer(length(found) > 0L))
