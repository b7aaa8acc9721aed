# Part of the packages that tools/r-packages builds: where the tables of workflow/ are.

.onLoad <- function(libname, pkgname) {
  if (is.null(getOption("thinwire.workflow"))) {
    options(thinwire.workflow = system.file("workflow", package = "thinwire.capture"))
  }
}
