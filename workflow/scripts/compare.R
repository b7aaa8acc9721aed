#!/usr/bin/env Rscript
# compare.R --a PATH --b PATH [--point KEY=VALUE...] [--format table|csv|json]
#   [--plot FILE.pdf|.png] [--device IP] [--topic T] [--ports mqtt=1884,...] [--strict yes|no]
#   [--keys FILE]
# Bundles of one study from two places side by side, or recorded captures in the place of one or
# both, on standard output. Exit status 4 if a metric differs. `thinwire compare` calls this.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "thinwire.R")) # ~+~: a blank

plots <- any(startsWith(commandArgs(TRUE), "--plot")) # ggplot2 takes a second to load

run_main(if (plots) "report" else "study", function(arguments) {
  options <- parse_options(arguments, c("a", "b"), c(
    format = "table", plot = "", device = "", topic = "", ports = "", strict = "no", keys = ""
  ), lists = "point")
  measured <- function(top) {
    measure_side(top, options$point, options$device, if (nzchar(options$topic)) options$topic,
                 parse_ports(options$ports), options$strict == "yes", parse_keys(options$keys))
  }
  check_studies(c(options$a, options$b))
  sides <- lapply(c(options$a, options$b), measured)
  if (length(options$point) && all(is.na(vapply(sides, `[[`, "", "study")))) {
    input_error("--point", "chooses trials, and both sides are captures", "leave it out")
  }
  found <- compare_sides(sides[[1L]], sides[[2L]])
  rows <- found$rows
  lines <- switch(options$format,
    table = comparison_lines(found, c(options$a, options$b)),
    csv = csv_lines(rows),
    json = json_text(list(study = found$study, settings = found$settings, metrics = rows,
                          differs = I(unique(rows$metric[rows$verdict == "differs"])))),
    input_error("--format", paste0("'", options$format, "' is none"), "table, csv or json")
  )
  text <- paste0(paste(lines, collapse = "\n"), "\n")
  tryCatch(cat(text), error = function(e) NULL) # the reader of a pipe has seen enough
  if (plots) {
    figure <- figure_compare(found)
    if (is.null(figure)) input_error("--plot", "there are no round trips to draw", "leave it out")
    save_figure(figure$plot, options$plot, figure$width, figure$height)
  }
  if (any(rows$verdict == "differs")) quit(save = "no", status = 4L)
})
