# Two claims tables beside each other: what a change of the rule, or another run, changes.

#' A claims table with all columns as text.
#'
#' @param file results/claims.csv of any build.
read_claims_table <- function(file) {
  out <- read_table(file, c("claim", "source", "verdict"))
  for (name in names(out)) {
    data.table::set(out, j = name, value = as.character(out[[name]]))
    data.table::set(out, which(is.na(out[[name]])), name, "")
  }
  if (is.null(out$counted)) out[, counted := counted_names[1L]]
  out[]
}

#' Numbers of claims by source and verdict, of the claims that both tables have.
#'
#' @param before,after results of [read_claims_table()].
#' @return data.table `source`, `verdict` (a verdict, or how a claim is counted apart), `before`,
#'   `after`; no row without any.
verdict_counts <- function(before, after) {
  count <- function(table, name) {
    table[, .(source, verdict = ifelse(counted == counted_names[1L], verdict, counted))][
      , stats::setNames(list(.N), name), by = .(source, verdict)]
  }
  both <- intersect(before$claim, after$claim)
  out <- merge(count(before[claim %in% both], "before"), count(after[claim %in% both], "after"),
               by = c("source", "verdict"), all = TRUE)
  data.table::setnafill(out, fill = 0L, cols = c("before", "after"))
  ranks <- c(verdict_names, counted_names[-1L])
  out[order(match(out$source, names(published_sources)), match(out$verdict, ranks))]
}

#' The claims of both tables with another verdict.
#'
#' @param before,after results of [read_claims_table()].
#' @return data.table `claim`, `before`, `after`, `reason` (after).
verdict_changes <- function(before, after) {
  both <- merge(before[, .(claim, before = verdict)], after[, .(claim, after = verdict, reason)],
                by = "claim")
  both[before != after][order(claim)]
}
