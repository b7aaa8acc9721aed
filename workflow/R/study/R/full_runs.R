# What a full run gave, beside what this build gives (docs/claims.md).
#
# The default build shortens the published designs. Headline counts come from the run of the full
# designs, which `thinwire claims --record` keeps in data/full: claims.csv, and studies.csv with the
# commit, date and digest of each study.

#' The folder of what was recorded of full runs: data/full, or the option `thinwire.full`.
full_folder <- function() {
  getOption("thinwire.full", file.path(getOption("thinwire.workflow"), "..", "data", "full"))
}

#' The recorded verdicts of full runs.
#'
#' @return data.table `claim`, `study`, `rule`, `verdict`, `reason`, `ours`, `n`, `low`, `high` and
#'   `commit`, all text. No rows if none was recorded.
full_claims <- function(folder = full_folder()) {
  names <- c("claim", "study", "rule", "verdict", "reason", "ours", "n", "low", "high")
  file <- file.path(folder, "claims.csv")
  if (!file.exists(file)) {
    return(data.table::as.data.table(stats::setNames(rep(list(character()), 10L),
                                                     c(names, "commit"))))
  }
  text <- function(file, columns) {
    data.table::fread(file, sep = ",", colClasses = "character", na.strings = NULL,
                      select = columns)
  }
  studies <- text(file.path(folder, "studies.csv"), c("study", "commit"))
  out <- text(file, names)
  out[, commit := studies$commit[match(study, studies$study)]]
  out[]
}

#' Add what the full run gave to a claims table, and the verdict that counts.
#'
#' A recorded verdict under another rule than today's is not shown, since the rule or a margin has
#' changed. The lab's error is no part of it, since a run's value decides whether and how far it
#' enters. The rule of a claim without results in this build states no margin.
#'
#' @param claims table of [decide_claims()]. @param full result of [full_claims()].
#' @return the table with `full` (verdict of the full run, empty if there is none), `full_ours`,
#'   `full_commit`, and `counts_as`: the full run's verdict where there is one, else this build's.
add_full <- function(claims, full = full_claims()) {
  key <- function(x, dropped) paste(x$claim, trimws(sub(dropped, "", x$rule)))
  error <- " within the lab's error.*$"
  at <- match(key(claims, error), key(full, error))
  margin <- "(; counts from| within| at most) .*$"
  without <- is.na(at) & claims$verdict == "not testable"
  at[without] <- match(key(claims[without], margin), key(full, margin))
  or_empty <- function(x) data.table::fifelse(is.na(at), "", x[at])
  claims[, `:=`(full = or_empty(full$verdict), full_ours = or_empty(full$ours),
                full_commit = or_empty(full$commit))]
  claims[, counts_as := data.table::fifelse(is.na(at), verdict, full)]
  claims[]
}
