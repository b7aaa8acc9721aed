#!/usr/bin/env Rscript
# join_table.R --recorded TABLE.csv [--ours TABLE.csv]
# The steps of a join as recorded, and in the laboratory, as CSV: both tables are of join_times.R.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
top <- file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "..") # ~+~: a blank
source(file.path(top, "workflow", "scripts", "thinwire.R"))

run_main("study", function(arguments) {
  options <- parse_options(arguments, "recorded", c(ours = ""))
  columns <- c("capture", "state", "step", "ms")
  recorded <- read_table(options$recorded, columns)
  ours <- if (nzchar(options$ours)) read_table(options$ours, columns) else recorded[0L]
  text <- function(value, digits) {
    ifelse(is.na(value), "", formatC(value, format = "f", digits = digits, big.mark = ""))
  }
  x <- join_table(recorded, ours)[join_steps, on = "step"]
  out <- x[, .(from, to, `time of` = of, `fitted: captures` = n_fitted,
               `median, ms` = text(fitted, 2L), `held out: captures` = n_held,
               `their median, ms` = text(held, 2L),
               `least to greatest, ms` = paste(text(held_least, 2L), "to", text(held_most, 2L)),
               `error of the fit, %` = text(fit_error_pct, 1L))]
  if (nrow(ours)) {
    out[, `:=`(`the lab: joins` = x$n_ours, `its median, ms` = text(x$ours, 2L),
               `error of the lab, %` = text(x$our_error_pct, 0L))]
  }
  writeLines(csv_lines(out))
})
