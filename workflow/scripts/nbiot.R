#!/usr/bin/env Rscript
# nbiot.R --tables DIR --published DIR --out DIR --figures DIR
# Claims (OUT/claims.csv), numbers and tables (OUT/*.tex) and figures (FIGURES/nbiot_*.pdf) from the
# tables of `nbiot run`.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("report", function(arguments) {
  options <- parse_options(arguments, c("tables", "published", "out", "figures"))
  data <- read_nbiot(options$tables)
  published <- read_published(options$published, "ericsson2018")
  claims <- nbiot_claims(data)
  write_table(claims, file.path(options$out, "claims.csv"))
  write_nbiot_report(data, claims, options$out)
  for (name in c("throughput", "service", "coverage", "distance", "beyond")) {
    figure <- nbiot_figure(name, data, published)
    save_figure(figure$plot, file.path(options$figures, paste0("nbiot_", name, ".pdf")),
                figure$width, figure$height)
  }
})
