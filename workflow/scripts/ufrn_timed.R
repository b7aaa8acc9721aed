#!/usr/bin/env Rscript
# ufrn_timed.R --table medians|hypotheses --published DIR --kept DIR
# UFRN's medians beside the times of its libraries, or how the hypotheses fit them, as CSV on
# standard output, in us, see ufrn_timed(). Pages of docs/measured are made of it.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("study", function(arguments) {
  options <- parse_options(arguments, c("table", "published", "kept"))
  if (!options$table %in% c("medians", "hypotheses")) {
    input_error("--table", paste0("has no table '", options$table, "'"),
                "give medians or hypotheses")
  }
  kept <- read_measured(options$kept, character())
  x <- ufrn_timed(read_published(options$published, "ufrn2018"), kept$metrics, kept$factors)
  fits <- ufrn_timed_fits(x)
  out <- if (options$table == "hypotheses") {
    data.table::copy(fits)[, `:=`(cycles = sprintf("%.2f", cycles))]
  } else {
    best <- ufrn_timed_fit(x, ufrn_timed_hypotheses[[4L]])$predicted
    x[, .(table = location, bytes = payload, published, publish_to_callback = publish_rtt,
          loop, yields, yield, frames, C = best, error_pct = 100 * (best / published - 1))]
  }
  for (name in names(out)) {
    value <- out[[name]]
    if (is.numeric(value)) value <- ifelse(is.na(value), "", sprintf("%.0f", round(value) + 0))
    data.table::set(out, j = name, value = sub("^(NA)$", "", value))
  }
  writeLines(csv_lines(out))
})
