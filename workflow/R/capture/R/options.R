# Command lines of the entry points: named options only, so that their order does not matter.

#' Parse a command line of `--name value` and `--name=value`; some names take several values.
#'
#' @param arguments words after the script's name.
#' @param required names of the options that must be given.
#' @param optional named character vector of those that may be, and their defaults.
#' @param lists names of the options, required or not, that take any number of values.
#' @return named list: a string for each option, a character vector for each of `lists`.
parse_options <- function(arguments, required = character(), optional = character(),
                          lists = character()) {
  known <- unique(c(required, names(optional), lists))
  usage <- paste0("options are ", paste0("--", known, collapse = " "))
  starts <- grepl("^--", arguments)
  if (length(arguments) && !starts[1L]) input_error(arguments[1L], "belongs to no option", usage)
  values <- as.list(optional)
  values[lists] <- list(character())
  given <- character()
  for (words in split(arguments, cumsum(starts))) {
    name <- sub("^--([^=]*).*$", "\\1", words[1L])
    if (!name %in% known) input_error(words[1L], "no such option", usage)
    if (name %in% given) input_error(words[1L], "stands twice", usage)
    given <- c(given, name)
    inline <- grepl("=", words[1L], fixed = TRUE)
    found <- c(if (inline) sub("^--[^=]*=", "", words[1L]), words[-1L])
    if (!name %in% lists) {
      if (!length(found)) input_error(words[1L], "has no value", "give one")
      if (length(found) > 1L) input_error(found[2L], "belongs to no option", usage)
    }
    values[[name]] <- found
  }
  missing <- setdiff(required, given)
  if (length(missing)) input_error(paste0("--", missing[1L]), "is missing", usage)
  values
}

#' Parse `mqtt=1884,coap=5700` into a named integer vector; NULL for an empty text.
#'
#' @param text as on the command line.
parse_ports <- function(text) {
  if (is.null(text) || !nzchar(text)) return(NULL)
  parts <- strsplit(text, ",", fixed = TRUE)[[1L]]
  good <- grepl("^[a-z]+=[0-9]+$", parts)
  port <- suppressWarnings(as.integer(sub("^.*=", "", parts)))
  if (endsWith(text, ",") || !all(good) || anyNA(port) || any(port < 1L | port > 65535L)) {
    input_error("--ports", paste0("cannot read '", text, "'"), "write protocol=port, comma between")
  }
  ports <- stats::setNames(port, sub("=.*$", "", parts))
  decode_as(ports) # stops at an unknown protocol before any capture is read
  ports
}
