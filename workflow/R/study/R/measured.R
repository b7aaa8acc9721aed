# Results that are kept in data/measured, of studies that not every build can run: those with
# libraries of other authors. tools/record_study.py writes them.

#' The kept tables of studies that this build has not run.
#'
#' @param folder data/measured. @param here names of the studies that this build has run.
#' @return list(`metrics`, `factors`), see [read_results()].
read_measured <- function(folder, here) {
  studies <- setdiff(list.files(folder), c(here, "README.md"))
  files <- file.path(folder, rep(studies, each = 2L), c("metrics.csv", "factors.csv"))
  read_results(files[seq_len(2L * length(studies))])[c("metrics", "factors")]
}

#' State of each claim that kept results decide where they are from.
#'
#' @param claims result of [decide_claims()]. @param measured result of [read_measured()].
note_measured <- function(claims, measured) {
  at <- unique(measured$factors[factor == "measured_at", .(study, value)])
  for (i in seq_len(nrow(at))) {
    rows <- which(claims$study == at$study[i] & nzchar(claims$ours))
    text <- sprintf("measured at %s, data/measured/%s", at$value[i], at$study[i])
    reason <- claims$reason[rows]
    data.table::set(claims, rows, "reason",
                    paste0(reason, ifelse(nzchar(reason), "; ", ""), text))
  }
  claims[]
}
