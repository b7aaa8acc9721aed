# Reading and writing the long tables.

#' Write a table as CSV (gzip when the name ends so), numbers as [tidy_number()].
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
split_rows <- function(lines, columns) {
  parts <- data.table::tstrsplit(lines, "|", fixed = TRUE)
  stats::setNames(data.table::as.data.table(lapply(parts, trimws)), columns)
}

#' Numbers as text of at most 10 significant digits, which hides the last bits, in which the
#' mathematical libraries of two machines may differ.
tidy_number <- function(x) {
  out <- formatC(signif(x, 10L), digits = 10L, format = "g", width = 1L)
  data.table::fifelse(is.na(x), "", out)
}

#' Read a CSV table, gzip or not.
#'
#' @param columns names that it must have.
read_table <- function(file, columns = character()) {
  if (!file.exists(file)) input_error(file, "no such file", "make it first")
  out <- if (grepl("[.]gz$", file)) {
    data.table::fread(cmd = paste("gzip -dc", shQuote(file)), na.strings = "", sep = ",")
  } else {
    data.table::fread(file, na.strings = "", sep = ",")
  }
  missing <- setdiff(columns, names(out))
  if (length(missing)) {
    input_error(file, paste0("has no column '", missing[1L], "'"),
                paste("its columns must be", toString(columns)))
  }
  out
}
