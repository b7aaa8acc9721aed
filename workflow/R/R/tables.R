# Reading, writing and collecting the long tables.

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

#' Several tables of the same columns as one, sorted by study and trial.
collect_tables <- function(files) {
  tables <- lapply(files, read_table, columns = c("study", "trial"))
  tables <- lapply(tables, function(t) {
    if ("value" %in% names(t) && "factor" %in% names(t)) t[, value := as.character(value)]
    t
  })
  out <- data.table::rbindlist(tables, use.names = TRUE)
  data.table::setorderv(out, c("study", "trial"))
  out[]
}

#' Read a table of factors; all values are text.
read_factors <- function(file) {
  out <- read_table(file, c("study", "trial", "factor", "value"))
  out[, value := as.character(value)]
  out[]
}

#' The rows of trials whose outcome was "ok".
usable <- function(table, factors) {
  ok <- factors[factor == "outcome" & value == "ok", trial]
  table[trial %in% ok]
}

#' Read tables of metrics, factors, samples and claims in any order and tell them apart by their
#' columns.
#'
#' @return list(metrics, factors, samples, claims); trials whose outcome was not "ok" are left out.
read_results <- function(files) {
  tables <- lapply(files, read_table)
  decided <- vapply(tables, function(t) "verdict" %in% names(t), NA)
  claims <- lapply(tables[decided], function(t) t[, lapply(.SD, as.character)])
  tables <- tables[!decided]
  for (i in seq_along(tables)) {
    missing <- setdiff(c("study", "trial", "value"), names(tables[[i]]))
    if (length(missing)) {
      input_error(files[!decided][i], paste0("has no column '", missing[1L], "'"),
                  "give tables of metrics, factors, samples or claims")
    }
  }
  has <- function(name) vapply(tables, function(t) name %in% names(t), NA)
  empty <- data.table::data.table(study = character(), trial = character(), value = numeric())
  metrics <- data.table::rbindlist(c(list(cbind(empty, metric = character(), unit = character(),
                                                n = numeric())), tables[has("metric")]),
                                   use.names = TRUE)
  texts <- lapply(tables[has("factor")], function(t) t[, value := as.character(value)])
  factors <- data.table::rbindlist(c(list(cbind(empty, factor = character())[, value := ""]),
                                     texts), use.names = TRUE)
  bad <- metrics[metric == "outcome_ok" & value == 0, paste(study, trial)]
  samples <- data.table::rbindlist(c(list(cbind(empty, sample = character())),
                                     tables[has("sample")]), use.names = TRUE)
  good <- function(table) table[!paste(study, trial) %in% bad]
  list(metrics = good(metrics), factors = good(factors), samples = good(samples),
       claims = data.table::rbindlist(claims, use.names = TRUE))
}
