# Runs the package's tests from the repository's top: Rscript workflow/R/tests/testthat.R

package <- normalizePath(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE),
                                                                 value = TRUE)[1L])), ".."))
source(file.path(package, "..", "scripts", "thinwire.R"))
load_thinwire(package)
Sys.setenv(THINWIRE_TOP = normalizePath(file.path(package, "..", "..")))
library(testthat)
result <- as.data.frame(test_dir(file.path(package, "tests", "testthat"), env = new.env(),
                                 reporter = "summary", stop_on_failure = FALSE))
if (nrow(result) == 0L || any(result$failed > 0L | result$error)) quit(status = 1L)
