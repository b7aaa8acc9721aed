#!/usr/bin/env Rscript
# matrix.R --metrics CSV --samples CSV.gz --factors CSV --sizes CSV --out DIR --figures DIR
# The study `matrix`: tables and numbers (OUT/*.tex) and figures (FIGURES/matrix_*.pdf).

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("report", function(arguments) {
  options <- parse_options(arguments, c("metrics", "samples", "factors", "sizes", "out", "figures"))
  factors <- read_factors(options$factors)
  metrics <- usable(read_table(options$metrics, c("study", "trial", "metric", "value")), factors)
  samples <- usable(read_table(options$samples, c("study", "trial", "sample", "value")), factors)
  factors <- usable(factors, factors)
  summary <- summarise_matrix(metrics, factors, samples)
  memory <- matrix_memory(read_table(options$sizes, c("engine", "flash_bytes", "ram_bytes")),
                          summary)
  write_matrix_report(summary, memory, metrics, options$out)
  figures <- matrix_figures(summary, metrics, factors, memory)
  for (name in names(figures)) {
    figure <- figures[[name]]
    save_figure(figure$plot, file.path(options$figures, paste0("matrix_", name, ".pdf")),
                figure$width, figure$height)
  }
})
