# The claims table: each statement of the sources, our value, the rule, the verdict.

#' Decide every claim.
#'
#' @param folder data/published. @param metrics,factors tables of all studies that have run.
#' @param recordings result of [read_recordings()].
#' @param decided claims that a study of its own has decided, in the same form.
#' @return data.table, see [claim_row()] and [add_full()]; the verdicts are [verdict_names], the
#'   kinds [claim_kinds].
decide_claims <- function(folder, metrics, factors, recordings, decided = NULL) {
  listed <- lapply(read_claims(folder), decide_claim, folder = folder, metrics = metrics,
                   factors = factors, decided = decided)
  out <- data.table::rbindlist(c(listed, list(fig25_claims(folder, metrics, recordings),
                                              fig44_claims(folder, metrics),
                                              kuleuven_cell_claims(folder, metrics, factors),
                                              ufrn_cell_claims(folder, metrics, factors),
                                              aamec_cell_claims(folder, metrics, factors))),
                               use.names = TRUE, fill = TRUE)
  for (name in names(out)) {
    data.table::set(out, j = name, value = as.character(out[[name]]))
    data.table::set(out, which(is.na(out[[name]])), name, "")
  }
  twice <- anyDuplicated(out$claim)
  if (twice) {
    input_error(file.path(folder, "claims"), "stands there twice", "rename one",
                key = out$claim[twice])
  }
  out[counted == "", counted := counted_names[1L]]
  out[, source := factor(source, unique(c(names(published_sources), source)))]
  data.table::setorder(out, source)
  out[, source := as.character(source)]
  add_full(out)
}

#' A row of the claims table.
#'
#' @param claim list with `id`, `source`, `section`, `statement`. @param kind of [claim_kinds].
#' @param published,ours texts. @param unit of `ours`. @param n runs, of each side where there are
#'   two. @param low,high limits of the interval of what is decided. @param rule,verdict,reason
#'   texts. @param study,trials where `ours` comes from: a study and its trials.
#' The claim's `needs` and `counted` (see [abilities()], [counted_names]) are columns, too.
claim_row <- function(claim, kind, published = "", ours = "", unit = "", n = "", low = NA,
                      high = NA, rule = "", verdict, reason = "", study = "",
                      trials = character()) {
  data.table::data.table(
    claim = claim$id, source = claim$source, section = claim$section, kind = kind,
    statement = claim$statement, published = published, ours = ours, unit = unit,
    n = paste(n, collapse = " and "), low = short(low), high = short(high), rule = rule,
    verdict = verdict, reason = reason, study = study, trials = paste(trials, collapse = " "),
    needs = paste(unlist(claim$needs), collapse = " "),
    counted = if (is.null(claim$counted)) counted_names[1L] else claim$counted)
}

#' Decide one claim by its rule.
#'
#' @param claim entry of [read_claims()]. @param folder data/published.
#' @param metrics,factors tables. @param decided see [decide_claims()].
decide_claim <- function(claim, folder, metrics, factors, decided = NULL) {
  switch(claim$rule$type,
    none = claim_row(claim, claim_kinds[1L], reason = claim$rule$reason,
                     verdict = if (length(claim$needs)) "outside what the lab can decide" else
                       "not testable"),
    floor = decide_floor(claim, read_published(folder, claim$source)),
    timed = decide_timed(claim, read_published(folder, claim$source), metrics, factors),
    numbers = decide_numbers(claim, read_published(folder, claim$source)),
    captures = decide_captures(claim, metrics),
    bound = decide_bound(claim, metrics, factors),
    compare = decide_compare(claim, metrics, factors),
    nbiot = decided_row(claim, decided)
  )
}

#' The row of a claim that a study decided by itself.
decided_row <- function(claim, decided) {
  at <- match(claim$id, decided$claim)
  if (is.na(at)) {
    return(claim_row(claim, claim_kinds[1L], claim$published, verdict = "not testable",
                     study = claim$rule$type, reason = "the NB-IoT simulation was not run"))
  }
  out <- decided[at]
  for (name in c("section", "statement", "published")) {
    data.table::set(out, j = name, value = claim[[name]])
  }
  if (!is.null(claim$counted)) data.table::set(out, j = "counted", value = claim$counted)
  out[]
}

short <- function(x) tidy_number(signif(as.numeric(x), 4L))
