# The claims table: each statement of the seeds, our value, the rule, the verdict.

#' Decide every claim.
#'
#' @param folder data/published. @param metrics,factors tables of all studies that have run.
#' @param archives result of [read_archives()].
#' @param decided claims that a study of its own has decided, in the same form; they stand for
#'   those of claims.yaml whose rule waits for that study.
#' @return data.table `claim`, `seed`, `section`, `statement`, `published`, `ours`, `rule`,
#'   `verdict` ("reproduced", "not reproduced", "contradicted", "not testable"), `reason`.
decide_claims <- function(folder, metrics, factors, archives, decided = NULL) {
  open <- Filter(function(claim) {
    !(claim$seed %in% decided$seed && identical(claim$rule$study, "nbiot"))
  }, read_claims(folder))
  listed <- lapply(open, decide_claim, folder = folder, metrics = metrics, factors = factors)
  cells <- fig25_claims(folder, metrics, archives)
  out <- data.table::rbindlist(c(listed, list(decided, cells)), use.names = TRUE)
  for (name in names(out)) data.table::set(out, which(is.na(out[[name]])), name, "")
  out[, seed := factor(seed, unique(c("ufes2018", "kuleuven2019", "ufrn2018", "aamec2019",
                                      "ericsson2018", as.character(seed))))]
  data.table::setorder(out, seed)
  out[, seed := as.character(seed)]
  out[]
}

#' Decide one claim by its rule.
decide_claim <- function(claim, folder, metrics, factors) {
  rule <- claim$rule
  answer <- switch(rule$type,
    none = answer_of(verdict = "not testable", reason = rule$reason, rule = ""),
    floor = decide_floor(rule, read_published(folder, claim$seed)),
    arithmetic = decide_arithmetic(rule, read_published(folder, claim$seed)),
    bound = decide_bound(rule, metrics, factors),
    compare = decide_compare(rule, metrics, factors),
    difference = decide_difference(rule, metrics, factors),
    input_error(file.path(folder, "claims.yaml"), paste("no such rule:", rule$type),
                "see the head of the file", key = claim$id)
  )
  cbind(data.table::data.table(claim = claim$id, seed = claim$seed, section = claim$section,
                               statement = claim$statement), answer)
}

answer_of <- function(published = "", ours = "", rule, verdict, reason = "") {
  data.table::data.table(published = published, ours = ours, rule = rule, verdict = verdict,
                         reason = reason)
}

short <- function(x) tidy_number(signif(x, 4L))

#' Values of a metric in the trials of a study that have the given factors.
#'
#' @param wanted named list: factor = level or levels; NULL for all trials.
#' @return data.table `trial`, `value`.
select_values <- function(rule, wanted, metrics, factors) {
  name <- rule$metric
  values <- metrics[study == rule$study & metric == name, .(trial, value)]
  if (!is.null(rule$trials)) values <- values[trial %in% unlist(rule$trials)]
  for (f in names(wanted)) {
    levels <- as.character(unlist(wanted[[f]]))
    values <- values[trial %in% factors[study == rule$study & factor == f & value %in% levels,
                                        trial]]
  }
  values
}

#' The condition of each trial: the levels of the factors that all of these trials have, but for
#' those of the rule and for the mode, which is what such factors make.
#'
#' @return character vector, in the order of `trials`.
conditions <- function(trials, rule, factors) {
  mine <- factors[study == rule$study & trial %in% trials]
  counts <- table(mine$factor)
  shared <- setdiff(names(counts)[counts == length(trials)],
                    c(names(rule$a), names(rule$b), "mode", "outcome", "testbed"))
  words <- mine[factor %in% shared, .(text = paste(factor, value, collapse = " ")), by = trial]
  words$text[match(trials, words$trial)]
}

no_results <- function(rule, text) {
  answer_of(rule = text, verdict = "not testable",
            reason = paste0("no results of study '", rule$study, "' with ", rule$metric))
}

#' A metric against a number.
#'
#' The mean's interval decides: reproduced if it lies on the expected side of the number,
#' contradicted if on the other, else not reproduced. For equality, the values themselves.
decide_bound <- function(rule, metrics, factors) {
  text <- paste(rule$metric, rule$expect, rule$value)
  x <- select_values(rule, rule$a, metrics, factors)$value
  if (length(x) == 0L) return(no_results(rule, text))
  if (rule$expect == "==") {
    verdict <- if (all(abs(x - rule$value) < 1e-9)) "reproduced" else "contradicted"
    return(answer_of(as.character(rule$value), short(mean(x)), text, verdict))
  }
  interval <- if (length(x) > 1L) bootstrap_interval(x) else c(low = x, high = x)
  sign <- if (rule$expect == ">") 1 else -1
  verdict <- verdict_of(sign * (interval - rule$value))
  answer_of(paste(rule$expect, rule$value),
            sprintf("%s [%s, %s]", short(mean(x)), short(interval[["low"]]),
                    short(interval[["high"]])),
            paste0(text, ", 95 % interval, n = ", length(x)), verdict)
}

#' Verdict from the limits of an interval whose positive side is what the seed says.
verdict_of <- function(limits) {
  if (all(limits > 0)) "reproduced" else if (all(limits < 0)) "contradicted" else "not reproduced"
}

#' Trials of one kind against trials of another: the difference of the means, paired where every
#' other factor has a partner, and Cliff's delta.
decide_compare <- function(rule, metrics, factors) {
  times <- if (is.null(rule$times)) 1 else rule$times
  text <- paste0(if (times != 1) paste(times, "times "), rule$metric, " of a ", rule$expect, " b")
  a <- select_values(rule, rule$a, metrics, factors)[, value := value * times]
  b <- select_values(rule, rule$b, metrics, factors)
  if (nrow(a) == 0L || nrow(b) == 0L) return(no_results(rule, text))
  pairs <- conditions(c(a$trial, b$trial), rule, factors)
  a$pair <- head(pairs, nrow(a))
  b$pair <- tail(pairs, nrow(b))
  paired <- !anyDuplicated(a$pair) && !anyDuplicated(b$pair) && setequal(a$pair, b$pair)
  interval <- if (paired) {
    bootstrap_interval(a$value - b$value[match(a$pair, b$pair)])
  } else {
    difference_interval(a$value, b$value)
  }
  if (anyNA(interval)) interval[] <- mean(a$value) - mean(b$value)
  sign <- if (rule$expect == ">") 1 else -1
  same <- max(abs(interval)) < 1e-12
  reason <- sprintf("Cliff's delta %s, n = %d and %d%s",
                    short(cliffs_delta(a$value, b$value)), nrow(a), nrow(b),
                    if (paired) ", paired" else "")
  answer_of(paste("a", rule$expect, "b"),
            sprintf("%s against %s", short(mean(a$value)), short(mean(b$value))),
            paste0(text, ", 95 % interval of the difference"),
            if (same) "not reproduced" else verdict_of(sign * interval), reason)
}

#' The difference of two means against a printed number.
decide_difference <- function(rule, metrics, factors) {
  text <- paste(rule$metric, "of a exceeds that of b by", rule$value)
  a <- select_values(rule, rule$a, metrics, factors)$value
  b <- select_values(rule, rule$b, metrics, factors)$value
  if (length(a) == 0L || length(b) == 0L) return(no_results(rule, text))
  ours <- mean(a) - mean(b)
  answer_of(as.character(rule$value), short(ours), text,
            if (gives_printed(ours, rule$value)) "reproduced" else "contradicted",
            sprintf("%s against %s, n = %d and %d", short(mean(a)), short(mean(b)), length(a),
                    length(b)))
}

#' Bootstrap interval of a difference of means.
difference_interval <- function(x, y, resamples = 1000L, seed = 20190520L) {
  keep_random_state({
    set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
    resampled <- function(v) mean(v[sample.int(length(v), replace = TRUE)])
    d <- vapply(seq_len(resamples), function(i) resampled(x) - resampled(y), 0)
  })
  stats::setNames(quantile(d, c(0.025, 0.975), names = FALSE), c("low", "high"))
}

#' Published round trips below the airtime of their own frames contradict the statement.
decide_floor <- function(rule, published) {
  rows <- published[source %in% unlist(rule$table)]
  table <- floor_table(rows, rule$overhead_bytes)
  low <- table[below == TRUE]
  answer_of(paste0(min(table$value), " to ", max(table$value), " ms"),
            sprintf("%d of %d means below their floor", nrow(low), nrow(table)),
            "round trip >= airtime of its frames at 72.2 Mb/s, no backoff, no processing",
            if (nrow(low)) "contradicted" else "not testable",
            if (nrow(low)) sprintf("largest gap: %s, %s ms against a floor of %s ms",
                                   low$row[which.max(low$floor - low$value)],
                                   short(low$value[which.max(low$floor - low$value)]),
                                   short(low$floor[which.max(low$floor - low$value)]))
            else "every mean is above its floor; needs the study of round trips")
}

#' Numbers of a seed against each other, within the rounding of what is printed.
decide_arithmetic <- function(rule, published) {
  left <- arithmetic_values(rule$left, published)
  right <- arithmetic_values(rule$right, published)
  equal <- all(mapply(gives_printed, right, left))
  holds <- if (rule$expect == "==") equal else !equal
  answer_of(if (is.null(rule$published)) toString(left) else rule$published,
            toString(tidy_number(signif(right, 4L))), "the seed's own numbers agree",
            if (holds) "reproduced" else "contradicted", "arithmetic on the seed's tables")
}

arithmetic_values <- function(side, published) {
  by <- if (is.null(side$divide_by)) 1 else side$divide_by
  from <- side$source
  which_column <- side$column
  vapply(unlist(side$rows), function(r) {
    v <- published[source == from & column == which_column & row == r, value]
    if (length(v) != 1L) {
      input_error("claims.yaml", paste0("no number for ", from, ", ", r, ", ", which_column),
                  "correct the rule")
    }
    as.numeric(v) / by
  }, 0, USE.NAMES = FALSE)
}

#' A claim per cell of KU Leuven's Fig. 25. What the study defines only by a Wireshark window
#' (throughput, round trip) can fail to be reproduced; a count can be contradicted.
fig25_claims <- function(folder, metrics, archives) {
  published <- read_published(folder, "kuleuven2019")
  all <- published[source == "Fig. 25"]
  there <- fig25_cells(metrics[study == "archives"], published, archives)
  at <- match(paste(all$row, all$column), paste(there$cell, there$column))
  found <- there[at]
  unseen <- is.na(found$ours)
  verdict <- data.table::fcase(unseen, "not testable", found$reproduced, "reproduced",
                               found$column %in% c("throughput_mean", "roundtrip_mean"),
                               "not reproduced", default = "contradicted")
  id <- gsub("[^a-z0-9]+", "-", tolower(paste("kuleuven", all$row, all$column)))
  other <- ifelse(unseen | found$reproduced | !nzchar(found$others), "",
                  paste0("also given by: ", found$others))
  why <- ifelse(is.na(at), "no capture of this cell here",
                "a device without a session of its own shows no crash")
  data.table::data.table(
    claim = id, seed = "kuleuven2019", section = "Fig. 25",
    statement = sprintf("%s: %s is %s %s", all$row, gsub("_", " ", all$column), all$value,
                        all$unit),
    published = all$value, ours = ifelse(unseen, "", short(found$ours)),
    rule = ifelse(is.na(at), "", paste(found$definition, "gives the printed digits")),
    verdict = verdict, reason = ifelse(unseen, why, other))
}
