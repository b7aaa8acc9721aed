# The claims in the paper: counts and the table.

#' Claims by the verdict that counts, the full run's where it is recorded: `\\twClaims<Verdict>`
#' of all, `\\tw<Kind><Verdict>` of each kind, and the sums
#' `\\twClaims`, `\\tw<Kind>Claims`. Kinds: Repetition, Reread, Consistency. Repeated and trivial
#' claims ([counted_names]) are in none of these, but in `\\tw<Counted>Claims`,
#' `\\tw<Counted><Verdict>`.
#'
#' @param claims the claims table.
claim_numbers <- function(claims) {
  kinds <- stats::setNames(claim_kinds, c("Repetition", "Reread", "Consistency"))
  count <- function(rows, prefix) {
    names <- vapply(paste(prefix, verdict_names), macro_name, "", USE.NAMES = FALSE)
    latex_macro(names, vapply(verdict_names, function(v) sum(rows$counts_as == v), 0L))
  }
  apart <- unlist(lapply(counted_names[-1L], function(how) {
    rows <- claims[counted == how]
    prefix <- paste0(toupper(substr(how, 1L, 1L)), substring(how, 2L))
    c(latex_macro(paste0("tw", prefix, "Claims"), nrow(rows)), count(rows, prefix))
  }))
  claims <- claims[counted == counted_names[1L]]
  cells <- claims[section == "Fig. 25"]
  c(apart, latex_macro("twClaims", nrow(claims)), count(claims, "Claims"),
    unlist(lapply(names(kinds), function(k) {
      rows <- claims[kind == kinds[[k]]]
      c(latex_macro(paste0("tw", k, "Claims"), nrow(rows)), count(rows, k))
    })),
    latex_macro("twLeastRuns", least_runs),
    latex_macro("twStudyClaims", sum(claims$source %in% the_five)),
    full_numbers(claims),
    latex_macro("twCells", nrow(cells)),
    latex_macro("twCellsNotTestable", sum(cells$counts_as == "not testable")),
    latex_macro("twStatements", nrow(claims) - nrow(cells)))
}

#' The studies whose statements the paper counts; the other sources are documents about
#' security and energy.
the_five <- c("ufes2018", "kuleuven2019", "ufrn2018", "aamec2019", "ericsson2018")

#' Where the counted verdicts come from: `\\twFullVerdicts` of the full run, `\\twFullDiffer` of
#' these that differ in this build, `\\twFullCommits`.
#'
#' @param claims the claims table.
full_numbers <- function(claims) {
  recorded <- claims[nzchar(claims$full)]
  latex_macro(c("twFullVerdicts", "twFullDiffer", "twFullCommits"),
              c(nrow(recorded), sum(recorded$full != recorded$verdict),
                toString(sort(unique(substr(recorded$full_commit, 1L, 8L))))))
}

#' Table of the statements: published value and place, ours with n, interval and unit, the rule and
#' the verdict.
#'
#' @param claims the claims table.
claims_table <- function(claims) {
  # a metric's name is longer than its column is wide
  breaking <- function(x) gsub("\\_", "\\_\\allowbreak ", latex_text(x), fixed = TRUE)
  interval <- ifelse(nzchar(claims$low), sprintf(" [%s, %s]", claims$low, claims$high), "")
  runs <- ifelse(claims$n == "exact", " (exact)",
                 ifelse(nzchar(claims$n), sprintf(" (n = %s)", claims$n), ""))
  ours <- trimws(paste0(claims$ours, " ", claims$unit, interval, runs))
  open <- claims$verdict == "not testable"
  place <- paste0(claims$published, ifelse(nzchar(claims$published), "; ", ""), claims$section)
  verdict <- sprintf("\\verdict{%s}{%s}", gsub(" ", "", claims$verdict), claims$verdict)
  differs <- nzchar(claims$full) & claims$full != claims$verdict
  verdict <- paste0(verdict, ifelse(differs, paste0("; full run: ", claims$full), ""))
  kind <- c("", "; capture read again", "; consistency")[match(claims$kind, claim_kinds)]
  cells <- cbind(latex_text(claims$statement), breaking(place),
                 breaking(ifelse(open, claims$reason, ours)),
                 breaking(ifelse(open, "", paste0(claims$rule, kind))), verdict)
  first <- which(!duplicated(claims$source))
  heads <- cbind(sprintf("\\textbf{%s}", published_sources[claims$source[first]]), "", "", "", "")
  order <- order(c(seq_len(nrow(cells)), first - 0.5))
  latex_long_table(rbind(cells, heads)[order, , drop = FALSE],
                   "@{}L{48mm}L{23mm}L{36mm}L{32mm}L{18mm}@{}",
                   c("Statement", "Published", "Ours", "Rule", "Verdict"),
                   (first + seq_along(first) - 1L)[-1L], "claims")
}
