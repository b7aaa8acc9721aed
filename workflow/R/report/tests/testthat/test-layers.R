# Do the layers use exactly their declared imports, and only layers below them?

rooms <- file.path(Sys.getenv("THINWIRE_TOP"), "workflow", "R")
imported <- function(layer, from) {
  lines <- parseNamespaceFile(layer, rooms)$imports
  own <- Filter(function(line) line[[1L]] == paste0("thinwire.", from), lines)
  as.character(unlist(lapply(own, `[[`, 2L)))
}

#' Names that the functions of a layer call and do not define themselves.
called <- function(layer) {
  space <- load_layer(layer, rooms)
  unique(unlist(lapply(as.list(space, all.names = TRUE), function(object) {
    if (is.function(object)) codetools::findGlobals(object, merge = FALSE)$functions
  }), use.names = FALSE))
}

test_that("imports go down only", {
  for (layer in layers) {
    above <- layers[match(layer, layers):length(layers)]
    for (name in above) {
      expect_equal(imported(layer, name), character(), info = paste(layer, "from", name))
    }
  }
})

test_that("what a layer calls is its own, imported, or R's", {
  for (layer in layers) {
    names <- setdiff(called(layer), ".") # which means list() within the brackets of data.table
    there <- vapply(names, exists, NA, envir = load_layer(layer, rooms), mode = "function")
    expect_equal(names[!there], character(), info = layer)
  }
})

test_that("a layer exports what it has, and imports what it needs", {
  for (layer in layers) {
    space <- load_layer(layer, rooms)
    exports <- parseNamespaceFile(layer, rooms)$exports
    expect_equal(setdiff(exports, ls(space)), character(), info = layer)
    files <- list.files(file.path(rooms, layer, "R"), full.names = TRUE)
    words <- unlist(lapply(files, function(file) {
      utils::getParseData(parse(file, keep.source = TRUE))$text # defaults of parameters included
    }))
    for (from in setdiff(layers, layer)) {
      expect_equal(setdiff(imported(layer, from), words), character(), info = paste(layer, from))
    }
  }
})

test_that("a script names the lowest layer that has what it uses", {
  exports <- lapply(stats::setNames(layers, layers), function(layer) {
    parseNamespaceFile(layer, rooms)$exports
  })
  folders <- file.path(rooms, "..", c("scripts", "../tools"))
  for (file in list.files(folders, "[.]R$", full.names = TRUE)) {
    words <- all.names(parse(file))
    at <- grep("^run_main\\(", readLines(file), value = TRUE)
    if (!length(at)) next
    used <- layers[vapply(exports, function(names) any(names %in% words), NA)]
    expect_equal(sub('^run_main\\([^"]*"([a-z]+)".*$', "\\1", at), used[length(used)],
                 info = basename(file))
  }
})

#' The comment before the definition of a function.
comment_of <- function(name, layer) {
  for (file in list.files(file.path(rooms, layer, "R"), full.names = TRUE)) {
    lines <- readLines(file)
    at <- grep(paste0("^", name, " <- function"), lines)
    if (!length(at)) next
    above <- rev(lines[seq_len(at - 1L)])
    return(paste(rev(above[cumall(startsWith(above, "#'"))]), collapse = " "))
  }
}
cumall <- function(x) cumsum(!x) == 0L

test_that("every exported function says what its parameters are", {
  for (layer in layers) {
    space <- load_layer(layer, rooms)
    exports <- parseNamespaceFile(layer, rooms)$exports
    for (name in Filter(function(name) is.function(space[[name]]), exports)) {
      text <- comment_of(name, layer)
      said <- unlist(strsplit(unlist(regmatches(text, gregexpr("@param [^ ]+", text))), "[ ,]"))
      parameters <- as.character(names(formals(space[[name]])))
      expect_equal(setdiff(parameters, c(said, "...")), character(),
                   info = paste(layer, name))
    }
  }
})
