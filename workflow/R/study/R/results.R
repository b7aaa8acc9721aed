# Reading the tables of studies.

#' Read a table of factors; all values are text.
#'
#' @param file path.
read_factors <- function(file) {
  out <- read_table(file, c("study", "trial", "factor", "value"))
  out[, value := as.character(value)]
  out[]
}

#' One row per trial: study, trial and its factors as columns (text).
#'
#' @param factors long table of [trial_factors()].
#' @return data.table; NA where a trial has no such factor.
wide_factors <- function(factors) {
  data.table::dcast(factors, study + trial ~ factor, value.var = "value")
}

#' The rows of trials whose outcome was "ok".
#'
#' @param table rows with `trial`. @param factors long table of the same study.
usable <- function(table, factors) {
  ok <- factors[factor == "outcome" & value == "ok", trial]
  table[trial %in% ok]
}

#' Read tables of metrics, factors, samples and claims in any order and tell them apart by their
#' columns.
#'
#' @param files paths.
#' @return list(metrics, factors, samples, claims, outcomes); trials whose outcome was not "ok" are
#'   in `outcomes` (`study`, `trial`, `ok`) only.
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
  outcomes <- metrics[metric == "outcome_ok", .(study, trial, ok = value == 1)]
  bad <- outcomes[ok == FALSE, paste(study, trial)]
  samples <- data.table::rbindlist(c(list(cbind(empty, sample = character())),
                                     tables[has("sample")]), use.names = TRUE)
  good <- function(table) table[!paste(study, trial) %in% bad]
  list(metrics = good(metrics), factors = good(factors), samples = good(samples),
       claims = data.table::rbindlist(claims, use.names = TRUE), outcomes = outcomes)
}
