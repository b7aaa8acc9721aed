#!/usr/bin/env Rscript
# cell.R --saturation CSV --sleep CSV --numbers OUT.tex --figures DIR
#   [--recorded PACKETS.csv.gz --device IP]
# The validation of the 802.11 cell: figures cell_saturation.pdf and cell_sleep.pdf, and the numbers
# that the paper's text quotes.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

run_main("report", function(arguments) {
  options <- parse_options(arguments, c("saturation", "sleep", "numbers", "figures"),
                           c(recorded = "", device = ""))
  saturation <- data.table::fread(options$saturation)
  sleep <- data.table::fread(options$sleep)
  recorded <- if (nzchar(options$recorded)) recorded_times(options$recorded, options$device)
  write_latex(cell_numbers(saturation, sleep, recorded), options$numbers)
  figures <- list(saturation = figure_cell_saturation(saturation),
                  sleep = figure_cell_sleep(sleep, recorded))
  for (name in names(figures)) {
    figure <- figures[[name]]
    save_figure(figure$plot, file.path(options$figures, paste0("cell_", name, ".pdf")),
                figure$width, figure$height)
  }
})
