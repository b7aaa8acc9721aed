# The number of trials behind the paper, and how many failed.

#' Numbers of all studies: `\\twTrialsAll`, `\\twTrialsWrong`, where there are any also
#' `\\twTrialsWrongBy` (of which studies), and `\\tw<Study>TrialPhrase`, for the text of a study.
#'
#' @param outcomes of [read_results()]: one row per trial.
trial_numbers <- function(outcomes) {
  counts <- outcomes[, .(all = .N, good = sum(ok)), by = study]
  wrong <- counts[good < all]
  phrase <- ifelse(counts$good == counts$all, paste(latex_number(counts$all), "trials"),
                   sprintf("%s of %s trials (the others went wrong)", latex_number(counts$good),
                           latex_number(counts$all)))
  by <- sprintf("%s of the %s of the study %s", latex_number(wrong$all - wrong$good),
                latex_number(wrong$all), latex_text(wrong$study))
  macro <- vapply(counts$study, macro_name, "", "TrialPhrase", USE.NAMES = FALSE)
  c(latex_macro("twTrialsAll", latex_number(sum(counts$all))),
    latex_macro("twTrialsWrong",
                if (nrow(wrong)) latex_number(sum(wrong$all - wrong$good)) else "none"),
    if (nrow(wrong)) latex_macro("twTrialsWrongBy", paste(by, collapse = ", ")),
    if (nrow(counts)) latex_macro(macro, phrase))
}
