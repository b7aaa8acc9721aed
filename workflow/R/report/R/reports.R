# Reports of studies: a study's file names a function of this layer, `report_<name>` in the file
# report_<name>.R. It receives the study's tables and returns figures, tables and numbers.

#' Make the report of a study.
#'
#' @param report its name, as in the study's file.
#' @param study list: `name`; `metrics`, `samples`, `factors` (tables, of all trials); `figures`
#'   (names that the study's file lists); `tables` (named paths of the further tables that it
#'   lists).
#' @return list: `figures` (named; each a list of `plot`, `width`, `height` in cm), `tables` (named;
#'   each lines of LaTeX), `data` (named tables, which become CSV files), `numbers` (lines of LaTeX
#'   that define macros). If no trial succeeded, numbers only.
make_report <- function(report, study) {
  draw <- mget(paste0("report_", report), environment(make_report), "function",
               ifnotfound = list(NULL))[[1L]]
  if (is.null(draw)) {
    there <- ls(environment(make_report), pattern = "^report_[a-z0-9]+$")
    there <- setdiff(sub("^report_", "", there), "table")
    input_error(paste("study", study$name), key = "report",
                paste0("there is no report '", report, "'"),
                paste("use one of", toString(there), "or add a file to workflow/R/report/R"))
  }
  study$metrics <- usable(study$metrics, study$factors)
  study$samples <- usable(study$samples, study$factors)
  study$factors <- usable(study$factors, study$factors)
  if (nrow(study$factors) == 0L) {
    return(list(numbers = latex_macro(macro_name(study$name, "Trials"), "0")))
  }
  draw(study)
}

#' A further table that the study's file lists under `tables`.
#'
#' @param study see [make_report()]. @param name its name. @param columns that it must have.
report_table <- function(study, name, columns) {
  if (!name %in% names(study$tables)) {
    input_error(paste("study", study$name), key = "tables", paste0("lacks '", name, "'"),
                "name the file in the study's file")
  }
  read_table(study$tables[[name]], columns)
}

#' Write a report: NAME.pdf, NAME.tex, NAME.csv, numbers.tex. What is wrong with a figure (see
#' [figure_faults()]) goes to the log, since a study of one level has panels of one point.
#'
#' @param report result of [make_report()]. @param folder where to.
save_report <- function(report, folder) {
  for (name in names(report$figures)) {
    figure <- report$figures[[name]]
    for (fault in figure_faults(figure)) {
      message("thinwire: note: figure ", name, ": ", fault)
    }
    save_figure(figure$plot, file.path(folder, paste0(name, ".pdf")), figure$width, figure$height)
  }
  for (name in names(report$tables)) {
    write_latex(report$tables[[name]], file.path(folder, paste0(name, ".tex")))
  }
  for (name in names(report$data)) {
    write_table(report$data[[name]], file.path(folder, paste0(name, ".csv")))
  }
  write_latex(report$numbers, file.path(folder, "numbers.tex"))
}
