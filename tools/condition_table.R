#!/usr/bin/env Rscript
# condition_table.R --metrics METRICS.csv --factors FACTORS.csv --conditions FACTOR... --columns
#     METRIC...
# A study's conditions as CSV: a row for each combination of the named factors, with the number of
# runs and the mean of each named metric over them. A cell is empty where no run of the condition
# has the metric or the factor. docs/measured has these tables.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
top <- file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "..") # ~+~: a blank
source(file.path(top, "workflow", "scripts", "thinwire.R"))

#' A mean in as many digits as a reader compares: three, or all of a whole part.
mean_text <- function(x) {
  x <- x[!is.na(x)]
  if (!length(x)) return("")
  m <- mean(x)
  if (abs(m) >= 100) formatC(m, format = "f", digits = 0L) else format(signif(m, 3L))
}

run_main("study", function(arguments) {
  options <- parse_options(arguments, c("metrics", "factors", "conditions", "columns"),
                           lists = c("conditions", "columns"))
  metrics <- read_table(options$metrics, c("trial", "metric", "value"))
  unknown <- setdiff(options$columns, metrics$metric)
  if (length(unknown)) {
    input_error(options$metrics, paste0("no trial has the metric '", unknown[1L], "'"),
                "name metrics of docs/metrics.md that the study's trials have")
  }
  known <- read_factors(options$factors)
  unknown <- setdiff(options$conditions, known$factor)
  if (length(unknown)) {
    input_error(options$factors, paste0("no trial has the factor '", unknown[1L], "'"),
                paste("use some of", toString(unique(known$factor))))
  }
  wide <- data.table::dcast(known[factor %in% options$conditions], trial ~ factor,
                            value.var = "value", fill = "")
  values <- data.table::dcast(metrics[metric %in% options$columns], trial ~ metric,
                              value.var = "value")[wide, on = "trial"]
  rows <- values[, c(list(runs = .N), lapply(.SD, mean_text)), keyby = c(options$conditions),
                 .SDcols = options$columns]
  writeLines(csv_lines(rows))
})
