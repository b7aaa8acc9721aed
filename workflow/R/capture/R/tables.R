# Reading and writing the long tables.

#' Write a table as CSV (gzip when the name ends so), numbers as [tidy_number()].
#'
#' @param table data.table. @param file path; its folder is made.
write_table <- function(table, file) {
  out <- data.table::as.data.table(table)
  for (name in names(out)) {
    if (is.double(out[[name]])) {
      data.table::set(out, j = name, value = tidy_number(out[[name]]))
    }
  }
  dir.create(dirname(file), showWarnings = FALSE, recursive = TRUE)
  data.table::fwrite(out, file, quote = "auto", na = "")
}

#' A small table written as lines of "a | b | c".
#'
#' @param lines texts of fields between bars. @param columns names of the fields.
split_rows <- function(lines, columns) {
  parts <- data.table::tstrsplit(lines, "|", fixed = TRUE)
  stats::setNames(data.table::as.data.table(lapply(parts, trimws)), columns)
}

#' Numbers as text with at most 10 significant digits. This hides the last bits, in which the
#' mathematical libraries of two machines may differ.
#'
#' @param x numbers.
tidy_number <- function(x) {
  out <- formatC(signif(x, 10L), digits = 10L, format = "g", width = 1L)
  data.table::fifelse(is.na(x), "", out)
}

#' Read a file with `fread`, gzip or not; an empty field is NA.
#'
#' It does not use `fread(cmd = )`, whose shell splits a TMPDIR with a blank.
read_csv <- function(file, ...) {
  if (grepl("gz$", file)) {
    packed <- file
    file <- tempfile(fileext = ".csv")
    on.exit(unlink(file))
    if (run_program("gzip", c("-dc", packed), stdout = file) != 0L) {
      input_error(packed, "is no whole gzip file", "make it again")
    }
  }
  data.table::fread(file = file, na.strings = "", ...)
}

#' Read a CSV table, gzip or not.
#'
#' @param columns names that it must have.
#' @param file path.
read_table <- function(file, columns = character()) {
  if (!file.exists(file)) input_error(file, "no such file", "make it first")
  out <- read_csv(file, sep = ",")
  missing <- setdiff(columns, names(out))
  if (length(missing)) {
    input_error(file, paste0("has no column '", missing[1L], "'"),
                paste("its columns must be", toString(columns)))
  }
  out
}
