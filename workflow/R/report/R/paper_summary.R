# The summary of all claims: by study and verdict for the paper, and with the reasons for the
# artifact report.

#' Verdicts as the summary's columns have them: heading, and the verdicts that it counts.
summary_columns <- list(
  "reproduced" = c("reproduced", "reproduced in direction"), "contradicted" = "contradicted",
  "not reproduced" = "not reproduced", "decided by an assumption" = "decided by an assumption",
  "outside what the lab can decide" = "outside what the lab can decide",
  "another condition" = "another condition",
  "too few runs, not testable" = c("too few runs", "not testable"))

#' Names of [claim_kinds] in the summary.
summary_kinds <- c("experiment", "capture", "consistency")

#' Claims that are counted, with the study's short name and the kind's.
#'
#' @param claims the claims table.
summary_claims <- function(claims) {
  x <- claims[counted == counted_names[1L]]
  x <- data.table::copy(x)
  x[, `:=`(study_name = factor(published_sources[source], published_sources),
           kind_name = factor(summary_kinds[match(kind, claim_kinds)], summary_kinds),
           verdict = counts_as)]
  x[]
}

#' Table by study and kind, verdicts in columns, with sums.
#'
#' @param claims the claims table. @param sources of the rows.
summary_table <- function(claims, sources = the_five) {
  x <- summary_claims(claims)[source %in% sources]
  counts <- function(rows) {
    c(nrow(rows), vapply(summary_columns, function(v) sum(rows$verdict %in% v), 0L))
  }
  groups <- unique(x[order(study_name, kind_name), .(study_name, kind_name)])
  numbers <- t(vapply(seq_len(nrow(groups)), function(i) {
    counts(x[groups[i], on = c("study_name", "kind_name")])
  }, numeric(length(summary_columns) + 1L)))
  shown <- function(n) ifelse(n == 0, "--", latex_number(n))
  first <- !duplicated(groups$study_name)
  cells <- cbind(ifelse(first, latex_text(as.character(groups$study_name)), ""),
                 as.character(groups$kind_name), matrix(shown(numbers), nrow(numbers)))
  cells <- rbind(cells, c("all", "", shown(counts(x))))
  latex_table(cells, paste0("@{}ll", strrep("r", length(summary_columns) + 1L), "@{}"),
              c("study", "kind", "claims", vapply(names(summary_columns), summary_heading, "")),
              c(which(first)[-1L], nrow(cells)))
}

#' A heading of several words in lines, as narrow as its longest word.
summary_heading <- function(text) {
  lines <- strwrap(text, 12L)
  sprintf("\\shortstack[r]{%s}", paste(lines, collapse = "\\\\"))
}

#' The kind of a claim's reason, without what is special to the claim: its needs by name, without
#' their explanation, the place of kept results, or the outcome under the assumption.
#'
#' @param claims table with `reason` and `kind`.
reason_kind <- function(claims) {
  out <- sub("; (there|as it is): .*$", "", claims$reason)
  out <- sub("(^|; )measured at .*$", "", out)
  out <- sub(" [(](ufrn-what-was-timed|docs/[^)]*)[)]", "", out)
  lacks <- startsWith(out, "the trials lack ")
  named <- gsub(" ?\\([^()]*\\)", "", out)
  out <- ifelse(lacks, sub("the trials lack", "the trials do not have:", named), out)
  out <- sub("is up to .*$", "covers the difference", out)
  out <- sub("^[0-9.,~ ]+ messages a client, not [0-9.,~ ]+$",
             "fewer messages a client than in the study", out)
  none <- !nzchar(out)
  out[none] <- c("the interval of the runs", "the value of the capture",
                 "arithmetic on the source's own numbers")[match(claims$kind[none], claim_kinds)]
  out
}

#' Table by study, verdict and reason: claims, and the commonest reasons with their numbers.
#'
#' @param claims the claims table. @param most reasons of a study and verdict.
#' @param longest characters of a reason. @param sources of the rows.
reasons_table <- function(claims, most = 2L, longest = 110L, sources = the_five) {
  x <- summary_claims(claims)[source %in% sources]
  x[, why := reason_kind(x)]
  x[, verdict := factor(verdict, verdict_names)]
  counts <- x[, .N, by = .(study_name, verdict, why)][order(study_name, verdict, -N, why)]
  rows <- counts[, .(claims = sum(N), reasons = reasons_text(why, N, most, longest)),
                 by = .(study_name, verdict)]
  first <- !duplicated(rows$study_name)
  latex_table(cbind(ifelse(first, latex_text(as.character(rows$study_name)), ""),
                    sprintf("\\verdict{%s}{%s}", gsub(" ", "", rows$verdict), rows$verdict),
                    rows$claims, latex_text(rows$reasons)),
              "@{}L{0.11\\linewidth}L{0.14\\linewidth}rL{0.64\\linewidth}@{}",
              c("study", "verdict", "claims", "commonest reasons (claims)"), which(first)[-1L])
}

#' The commonest reasons in one text.
reasons_text <- function(why, n, most, longest) {
  shown <- seq_len(min(most, length(why)))
  cut <- ifelse(nchar(why) > longest, paste0(sub(" [^ ]*$", "", substr(why, 1L, longest)), " ..."),
                why)
  rest <- sum(n[-shown])
  paste0(paste(sprintf("%s (%d)", cut[shown], n[shown]), collapse = "; "),
         if (rest > 0L) sprintf("; others (%d)", rest))
}
