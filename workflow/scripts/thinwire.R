# Loads the R package in ../R without installing it, and runs an entry point with errors as the
# command line reports them. Every script of this folder begins with `source()` of this file.

suppressPackageStartupMessages(library(data.table))
data.table::setDTthreads(1L)
options(warn = 1L, scipen = 15L)
invisible(Sys.setlocale("LC_ALL", "C"))

#' Folder of the script that is running.
script_folder <- function() {
  file <- grep("^--file=", commandArgs(FALSE), value = TRUE)
  if (length(file)) dirname(normalizePath(sub("^--file=", "", file[1L]))) else getwd()
}

#' Attach every function of the package workflow/R.
load_thinwire <- function(package = file.path(script_folder(), "..", "R")) {
  space <- new.env(parent = globalenv())
  for (file in sort(list.files(file.path(package, "R"), "[.]R$", full.names = TRUE))) {
    sys.source(file, envir = space)
  }
  attach(space, name = "package:thinwire_source", warn.conflicts = FALSE)
  invisible(space)
}

#' Run `main(arguments)`; an input error becomes one line and exit status 2.
run_main <- function(main) {
  load_thinwire()
  failure <- function(condition) {
    message("thinwire: error: ", conditionMessage(condition))
    quit(save = "no", status = 2L)
  }
  tryCatch(main(commandArgs(trailingOnly = TRUE)), thinwire_input_error = failure)
  invisible(NULL)
}
