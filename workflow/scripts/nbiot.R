#!/usr/bin/env Rscript
# nbiot.R TABLES_DIR OUT_DIR FIGURES_DIR
# Claims (OUT_DIR/claims.csv), numbers and tables (OUT_DIR/*.tex) and figures
# (FIGURES_DIR/nbiot_*.pdf) from the tables of `nbiot run`.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("report", function(arguments) {
  options <- parse_options(arguments, positional = c("TABLES", "OUT", "FIGURES"))
  data <- read_nbiot(options$TABLES)
  claims <- nbiot_claims(data)
  write_table(claims, file.path(options$OUT, "claims.csv"))
  write_nbiot_report(data, claims, options$OUT)
  for (name in c("throughput", "service", "distance", "beyond")) {
    figure <- nbiot_figure(name, data)
    save_figure(figure$plot, file.path(options$FIGURES, paste0("nbiot_", name, ".pdf")),
                figure$width, figure$height)
  }
})
