# The logs of a bundle: board.jsonl and server.jsonl.

#' Read a file of one JSON object per line.
#'
#' @return data.table with one row per line, NA where a line lacks a key. Input error for a line
#'   that is no JSON object, or has a value that `schemas/log.schema.json` does not allow.
read_jsonl <- function(file) {
  if (!file.exists(file)) input_error(file, "no such file", "run the trial again")
  lines <- readLines(file, warn = FALSE, encoding = "UTF-8")
  lines <- lines[nzchar(trimws(lines))]
  if (length(lines) == 0L) return(data.table::data.table(t = numeric(), ev = character()))
  joined <- paste0("[", paste(lines, collapse = ","), "]")
  rows <- tryCatch(jsonlite::fromJSON(joined, flatten = TRUE), error = function(e) NULL)
  if (!is.data.frame(rows)) {
    bad <- which(!vapply(lines, jsonlite::validate, NA))[1L]
    input_error(file, "not a JSON object per line", "run the trial again",
                key = paste("line", if (is.na(bad)) 1L else bad))
  }
  check_log(rows, lines, file)
  data.table::as.data.table(rows)
}

#' Stop at the first key of a log whose values are not of its type, and name a line that has one. A
#' number among texts has been converted to text, which does no harm.
#'
#' @param rows,lines the log, as table and as text. @param file its name.
check_log <- function(rows, lines, file) {
  rules <- log_rules()
  wrong <- function(key, bad, problem) {
    input_error(file, problem, "run the trial again",
                key = paste0("line ", which(bad)[1L], ": ", key))
  }
  for (key in rules$required) {
    absent <- if (key %in% names(rows)) is.na(rows[[key]]) else rep(TRUE, nrow(rows))
    if (any(absent)) wrong(key, absent, "is missing")
  }
  for (key in intersect(names(rows), names(rules$types))) {
    type <- rules$types[[key]]
    if (all(is.na(rows[[key]])) || is_of_type(rows[[key]], type)) next
    bad <- !vapply(lines, function(line) {
      value <- jsonlite::fromJSON(line)[[key]]
      is.null(value) || (length(value) == 1L && is_of_type(value, type))
    }, NA)
    if (any(bad)) wrong(key, bad, paste("is not of type", paste(type, collapse = " or ")))
  }
}

#' Is a vector of one of these types of JSON schema?
is_of_type <- function(x, types) {
  (is.numeric(x) && any(c("number", "integer") %in% types)) ||
    (is.character(x) && "string" %in% types) || (is.logical(x) && "boolean" %in% types)
}

#' The rules of a log's lines: keys that are `required`, `types` of keys.
log_rules <- function() {
  if (is.null(known_rules$log)) {
    file <- file.path(getOption("thinwire.workflow"), "schemas", "log.schema.json")
    rules <- jsonlite::fromJSON(file)
    known_rules$log <- list(required = rules$required,
                            types = lapply(rules$properties, `[[`, "type"))
  }
  known_rules$log
}
known_rules <- new.env()

#' Events of a log with one name.
log_events <- function(log, event) log[ev == event]

#' Values of a key in some rows of a log; empty if the key never occurs.
log_values <- function(rows, key) {
  if (key %in% names(rows)) rows[[key]] else rep(NA_real_, nrow(rows))
}
