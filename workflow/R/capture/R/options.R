# Command lines of the entry points: positional words and `--name value` options.

#' Parse a command line.
#'
#' @param arguments words after the script's name.
#' @param defaults named character vector of the options and their defaults.
#' @param positional names of the words that are required, in order.
#' @param rest name under which further positional words are collected; NULL if none may follow.
#' @return named list of strings (and of a vector under `rest`).
parse_options <- function(arguments, defaults = character(), positional = character(),
                          rest = NULL) {
  split <- split_arguments(arguments, defaults)
  values <- split$values
  words <- split$words
  usage <- paste(c(positional, if (!is.null(rest)) paste0(rest, "..."), option_list(defaults)),
                 collapse = " ")
  if (length(words) < length(positional)) {
    input_error("arguments", paste("missing", positional[length(words) + 1L]),
                paste("give", usage))
  }
  if (is.null(rest) && length(words) > length(positional)) {
    input_error(words[length(positional) + 1L], "not expected", paste("give", usage))
  }
  for (k in seq_along(positional)) values[[positional[k]]] <- words[k]
  if (!is.null(rest)) values[[rest]] <- tail(words, length(words) - length(positional))
  values
}

#' Separate `--name value` and `--name=value` from the other words.
split_arguments <- function(arguments, defaults) {
  values <- as.list(defaults)
  words <- character()
  i <- 1L
  while (i <= length(arguments)) {
    word <- arguments[i]
    i <- i + 1L
    if (!startsWith(word, "--")) {
      words <- c(words, word)
      next
    }
    name <- sub("^--([^=]*).*$", "\\1", word)
    if (!name %in% names(defaults)) {
      input_error(word, "no such option", paste("options are", option_list(defaults)))
    }
    inline <- grepl("=", word, fixed = TRUE)
    if (!inline && i > length(arguments)) input_error(word, "has no value", "give one")
    values[[name]] <- if (inline) sub("^--[^=]*=", "", word) else arguments[i]
    if (!inline) i <- i + 1L
  }
  list(values = values, words = words)
}

option_list <- function(defaults) paste0("--", names(defaults), collapse = " ")

#' Parse `mqtt=1884,coap=5700` into a named integer vector; NULL for an empty text.
parse_ports <- function(text) {
  if (is.null(text) || !nzchar(text)) return(NULL)
  parts <- strsplit(text, ",", fixed = TRUE)[[1L]]
  good <- grepl("^[a-z]+=[0-9]+$", parts)
  port <- suppressWarnings(as.integer(sub("^.*=", "", parts)))
  if (endsWith(text, ",") || !all(good) || anyNA(port) || any(port < 1L | port > 65535L)) {
    input_error("--ports", paste0("cannot read '", text, "'"), "write protocol=port, comma between")
  }
  stats::setNames(port, sub("=.*$", "", parts))
}
