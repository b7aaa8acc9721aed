# Calls of other programs. R calls them through a shell, which splits a path with a blank. So every
# word is quoted here, and tools/lint.R refuses a direct call elsewhere.

#' Run a program to its end.
#'
#' @param program its name. @param words its arguments, of which a shell expands nothing.
#' @param ... `stdout` and `stderr` of [system2()].
#' @return as [system2()]: the exit status, or the lines of the output with `stdout = TRUE`.
run_program <- function(program, words = character(), ...) {
  system2(program, shQuote(words), ...) # nolint: undesirable_function_linter.
}
