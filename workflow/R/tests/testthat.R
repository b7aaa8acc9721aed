# Runs the layers' tests from the repository's top:
#   Rscript workflow/R/tests/testthat.R [--jobs N] [--quick | NAME...]
# NAME chooses test files: `bundle` for test-bundle.R; --quick leaves out the slow ones; --jobs runs
# N files at a time. Tests of a layer see all its functions, and what those below it export.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
here <- dirname(gsub("~+~", " ", script, fixed = TRUE)) # R writes ~+~ for a blank
top <- normalizePath(file.path(here, "..", "..", ".."))
source(file.path(top, "workflow", "scripts", "thinwire.R"))
Sys.setenv(THINWIRE_TOP = top)
library(testthat)

rooms <- file.path(top, "workflow", "R")
wanted <- commandArgs(trailingOnly = TRUE)
jobs <- 1L
if (match("--jobs", wanted, 0L) == 1L) {
  jobs <- suppressWarnings(as.integer(wanted[2L]))
  if (is.na(jobs) || jobs < 1L) {
    message("thinwire: error: testthat.R: --jobs: is no count; write --jobs 2")
    quit(status = 2L)
  }
  wanted <- wanted[-(1:2)]
}

# Files of five seconds or more, which are four fifths of the time, but test-layers.R.
slow <- c("aamec", "air", "blocks", "compare", "damage", "fidelity", "figure-capture", "foreign",
          "forkserver", "hostile", "inputs", "keys", "kuleuven", "kuleuven_claims", "oracles",
          "recorded", "security", "several", "strange", "stream", "streams", "tls", "workload")
quick <- identical(wanted, "--quick")
if (quick) wanted <- character()

#' For each layer an environment of its tests: its functions, and the helpers.
spaces <- sapply(layers, simplify = FALSE, function(layer) {
  space <- list2env(as.list(load_layer(layer, rooms)), parent = globalenv())
  for (helper in list.files(here, "^helper", full.names = TRUE)) sys.source(helper, space)
  space
})

#' Run a file of tests, then print what they printed, without the line that ends a summary.
#'
#' @param test list: `layer`, and `name` of the file between `test-` and `.R`.
#' @return data.frame of results, a row for each test.
run_file <- function(test) {
  if (!paste0("layer:", test$layer) %in% search()) attach_layer(test$layer, rooms)
  file <- file.path(rooms, test$layer, "tests", "testthat", paste0("test-", test$name, ".R"))
  printed <- capture.output(
    results <- test_file(file, reporter = "summary", env = spaces[[test$layer]],
                         stop_on_failure = FALSE, load_package = "none")
  )
  end <- which(grepl(" DONE ", printed, fixed = TRUE))
  writeLines(if (length(end)) head(printed, end[1L] - 1L) else printed)
  as.data.frame(results)
}

tests <- unlist(lapply(layers, function(layer) {
  files <- list.files(file.path(rooms, layer, "tests", "testthat"), "^test-")
  lapply(sub("^test-(.*)[.]R$", "\\1", files), function(name) list(layer = layer, name = name))
}), recursive = FALSE)
if (length(wanted)) tests <- Filter(function(test) test$name %in% wanted, tests)
if (quick) tests <- Filter(function(test) !test$name %in% slow, tests)
if (length(tests) == 0L) {
  message("thinwire: error: testthat.R: no such tests; NAME is x of test-x.R")
  quit(status = 2L)
}

# Half of the time would be starts of tshark. A process runs many files, which share its servers.
options(thinwire.forkserver = load_layer("capture")$built_fork_server(), thinwire.forkservers = 16L)
if (jobs == 1L) {
  ran <- lapply(tests, run_file)
} else {
  workers <- parallel::makeForkCluster(jobs, outfile = "")
  ran <- parallel::clusterApplyLB(workers, tests, run_file)
  parallel::stopCluster(workers)
}
result <- do.call(rbind, ran)
seconds <- sort(tapply(result$real, result$file, sum), decreasing = TRUE)
message("the slowest: ", toString(head(sprintf("%s %.0f s", names(seconds), seconds), 10L)))
if (nrow(result) == 0L || any(result$failed > 0L | result$error)) quit(status = 1L)
