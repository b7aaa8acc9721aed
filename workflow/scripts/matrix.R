#!/usr/bin/env Rscript
# matrix.R METRICS.csv SAMPLES.csv.gz FACTORS.csv SIZES.csv OUT_DIR FIGURES_DIR
# The study `matrix`: tables and numbers (OUT_DIR/*.tex) and figures (FIGURES_DIR/matrix_*.pdf).

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("report", function(arguments) {
  options <- parse_options(arguments, positional = c("METRICS", "SAMPLES", "FACTORS", "SIZES",
                                                     "OUT", "FIGURES"))
  factors <- read_factors(options$FACTORS)
  metrics <- usable(read_table(options$METRICS, c("study", "trial", "metric", "value")), factors)
  samples <- usable(read_table(options$SAMPLES, c("study", "trial", "sample", "value")), factors)
  factors <- usable(factors, factors)
  summary <- summarise_matrix(metrics, factors, samples)
  memory <- matrix_memory(read_table(options$SIZES, c("engine", "flash_bytes", "ram_bytes")),
                          summary)
  write_matrix_report(summary, memory, metrics, options$OUT)
  figures <- matrix_figures(summary, metrics, factors, memory)
  for (name in names(figures)) {
    figure <- figures[[name]]
    save_figure(figure$plot, file.path(options$FIGURES, paste0("matrix_", name, ".pdf")),
                figure$width, figure$height)
  }
})
