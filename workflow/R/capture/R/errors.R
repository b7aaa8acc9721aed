# Errors caused by the user: source, problem and remedy. Scripts print them as one line on standard
# error and exit with status 2 (see workflow/scripts/thinwire.R).

#' Stop because the input is bad.
#'
#' @param source file or argument that is wrong.
#' @param problem what is wrong.
#' @param remedy what to do about it.
#' @param key the frame, line or column within the source, if known.
#' @param class of the condition, beside "thinwire_input_error".
input_error <- function(source, problem, remedy, key = NULL, class = character()) {
  where <- if (is.null(key)) source else paste0(source, ": ", key)
  text <- paste0(where, ": ", problem, "; ", remedy)
  stop(structure(class = c(class, "thinwire_input_error", "error", "condition"),
                 list(message = text, call = NULL)))
}

#' Stop because a capture holds no message of the device. For a recorded capture this is an error;
#' for a trial it is a result, which [unless_silent()] returns.
silence_error <- function(source, problem, remedy) {
  input_error(source, problem, remedy, class = "thinwire_silence")
}

#' Evaluate an expression; return another value if a capture holds no message of the device.
#'
#' @param expr what is evaluated. @param silent the value then.
unless_silent <- function(expr, silent) tryCatch(expr, thinwire_silence = function(e) silent)

#' Print a warning about a result as one line on standard error.
#'
#' @param source file that it is about. @param ... text.
warn <- function(source, ...) message("thinwire: warning: ", source, ": ", ...)

#' A number of things: "1 frame", "3 frames".
count_text <- function(n, one, several = paste0(one, "s")) {
  paste(format_short(n), ifelse(n == 1, one, several))
}
