# Runs the layers' tests from the repository's top: Rscript workflow/R/tests/testthat.R [NAME...]
# NAME chooses test files: `bundle` for test-bundle.R. Tests of a layer see all its functions, and
# what those below it export.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
here <- dirname(gsub("~+~", " ", script, fixed = TRUE)) # R writes ~+~ for a blank
top <- normalizePath(file.path(here, "..", "..", ".."))
source(file.path(top, "workflow", "scripts", "thinwire.R"))
Sys.setenv(THINWIRE_TOP = top)
library(testthat)

rooms <- file.path(top, "workflow", "R")
wanted <- commandArgs(trailingOnly = TRUE)
filter <- if (length(wanted)) paste0("^(", paste(wanted, collapse = "|"), ")$")
results <- lapply(layers, function(layer) {
  attach_layer(layer, rooms)
  space <- list2env(as.list(load_layer(layer, rooms)), parent = globalenv())
  for (helper in list.files(here, "^helper", full.names = TRUE)) sys.source(helper, space)
  folder <- file.path(rooms, layer, "tests", "testthat")
  files <- sub("^test-(.*)[.]R$", "\\1", list.files(folder, "^test-"))
  if (length(filter) && !any(grepl(filter, files))) return(NULL)
  as.data.frame(test_dir(folder, filter = filter, env = space, reporter = "summary",
                         stop_on_failure = FALSE, load_package = "none"))
})
result <- do.call(rbind, results)
if (NROW(result) == 0L || any(result$failed > 0L | result$error)) quit(status = 1L)
