# Loads the layers of workflow/R without installing them, and runs an entry point with errors as the
# command line reports them. Every script here and in tools begins with `source()` of this file.
#
# A layer is a package: a folder with NAMESPACE and R/. Its functions see what NAMESPACE imports and
# R's base package, nothing else; a layer can import from those below it only.

suppressPackageStartupMessages(library(data.table))
data.table::setDTthreads(1L)
# The work is in vectors: compiling functions on the fly takes more time than it saves, a third of
# that of a trial, and nothing of a capture of 300,000 packets.
invisible(compiler::enableJIT(0L))
# In tables as small as a trial's an index for each `column == value` costs more than it saves.
options(warn = 1L, scipen = 15L, datatable.optimize = 2L)
# The order of texts and the form of numbers are those of C. Text is UTF-8 in every locale: topics,
# paths and names of files hold any character (MQTT 3.1.1, 1.5.3), JSON is UTF-8 (RFC 8259, 8.1).
invisible(Sys.setlocale("LC_ALL", "C"))
for (locale in c("C.UTF-8", "C.utf8", "en_US.UTF-8", "UTF-8")) {
  if (nzchar(suppressWarnings(Sys.setlocale("LC_CTYPE", locale)))) break
}

#' The layers from the bottom up.
layers <- c("capture", "study", "report")

#' Folder of this file: `source()` keeps the path of the file that it reads in `ofile`.
scripts_folder <- local({
  sourced <- Filter(Negate(is.null), lapply(sys.frames(), function(frame) frame$ofile))
  dirname(normalizePath(sourced[[length(sourced)]]))
})

#' What is loaded: the environments of the layers by their names.
loaded <- new.env()

#' Load a layer and those that it imports from.
#'
#' @param layer one of [layers]. @param top folder that holds them.
#' @return environment of the layer's functions.
load_layer <- function(layer, top = file.path(scripts_folder, "..", "R")) {
  if (!is.null(loaded[[layer]])) return(loaded[[layer]])
  options(thinwire.workflow = normalizePath(file.path(top, "..")))
  imports <- new.env(parent = baseenv())
  for (line in parseNamespaceFile(layer, top)$imports) {
    package <- line[[1L]]
    below <- match(sub("^thinwire[.]", "", package), layers[seq_len(match(layer, layers) - 1L)])
    source <- if (is.na(below)) asNamespace(package) else load_layer(layers[below], top)
    list2env(mget(line[[2L]], source), imports)
  }
  space <- new.env(parent = imports)
  space$.packageName <- paste0("thinwire.", layer)
  for (file in sort(list.files(file.path(top, layer, "R"), "[.]R$", full.names = TRUE))) {
    sys.source(file, envir = space)
  }
  assign(layer, space, loaded)
}

#' Make visible what a layer and those below it export.
attach_layer <- function(layer, top = file.path(scripts_folder, "..", "R")) {
  for (name in layers[seq_len(match(layer, layers))]) {
    exports <- mget(parseNamespaceFile(name, top)$exports, load_layer(name, top))
    attach(exports, name = paste0("layer:", name), warn.conflicts = FALSE)
  }
}

#' Run `main(arguments)` with what `layer` and those below it export; an input error becomes one
#' line and exit status 2.
#'
#' @param layer the topmost that the script needs. @param main function of the words after the
#'   script's name.
run_main <- function(layer, main) {
  attach_layer(layer)
  failure <- function(condition) {
    message("thinwire: error: ", conditionMessage(condition))
    quit(save = "no", status = 2L)
  }
  tryCatch(main(commandArgs(trailingOnly = TRUE)), thinwire_input_error = failure)
  invisible(NULL)
}
