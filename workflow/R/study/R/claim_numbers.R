# Claims that need no run of ours: a source's numbers against each other or against physics, and new
# measurements of an author's captures.

#' Decide an expression of values.
#'
#' `rule$holds` is an expression in R over the names of `values`; `printed(x, text)` asks whether x
#' gives the digits that the text shows, cut or rounded. `rule$ours` is an expression, too: what is
#' shown as ours.
#'
#' @param claim entry of [read_claims()]. @param values named list of vectors.
#' @return list(`holds`, `ours`).
evaluate_rule <- function(claim, values) {
  space <- list2env(values, parent = list2env(
    list(printed = function(x, text) all(mapply(gives_printed, x, text))), parent = baseenv()))
  run <- function(text) {
    tryCatch(eval(parse(text = text), space), error = function(e) {
      input_error(claim$file, paste0("'", text, "' cannot be evaluated (", conditionMessage(e),
                                        ")"), "correct the rule", key = claim$id)
    })
  }
  ours <- run(claim$rule$ours)
  list(holds = isTRUE(run(claim$rule$holds)),
       ours = toString(if (is.numeric(ours)) short(ours) else ours))
}

#' A source's own numbers, or words, against each other.
#'
#' Each value is `[location, column, row, ...]`.
decide_numbers <- function(claim, published) {
  values <- lapply(claim$rule$values, function(v) {
    texts <- vapply(unlist(v[-(1:2)]), function(r) {
      x <- published[location == v[[1L]] & column == v[[2L]] & row == r, value]
      if (length(x) != 1L) {
        input_error(claim$file, paste("no number for", toString(c(v[[1L]], v[[2L]], r))),
                    "correct the rule", key = claim$id)
      }
      x
    }, "", USE.NAMES = FALSE)
    utils::type.convert(texts, as.is = TRUE)
  })
  found <- evaluate_rule(claim, values)
  claim_row(claim, claim_kinds[3L], text_or_empty(claim$published), found$ours,
            text_or_empty(claim$unit), rule = claim$rule$holds,
            verdict = if (found$holds) "reproduced" else "contradicted",
            reason = "arithmetic on the source's own numbers")
}

#' Metrics of recorded captures against each other or against numbers. Each value is `[metric,
#' capture, ...]`.
decide_captures <- function(claim, metrics) {
  mine <- metrics[study == "recordings"]
  wanted <- claim$rule$values
  values <- lapply(wanted, function(v) {
    vapply(unlist(v[-1L]), metric_value, 0, metrics = mine, m = v[[1L]], USE.NAMES = FALSE)
  })
  trials <- unique(unlist(lapply(wanted, `[`, -1L)))
  if (anyNA(unlist(values))) {
    missing <- setdiff(trials, mine$trial)
    return(claim_row(claim, claim_kinds[2L], text_or_empty(claim$published),
                     rule = claim$rule$holds, verdict = "not testable", study = "recordings",
                     reason = paste("not at hand:", toString(c(missing, "the metric")[1L])),
                     trials = trials))
  }
  found <- evaluate_rule(claim, values)
  claim_row(claim, claim_kinds[2L], text_or_empty(claim$published), found$ours,
            text_or_empty(claim$unit), rule = claim$rule$holds,
            verdict = if (found$holds) "reproduced" else "contradicted", study = "recordings",
            trials = trials)
}

#' Published round trips below the airtime of their own frames contradict the statement.
decide_floor <- function(claim, published) {
  rows <- published[location %in% unlist(claim$rule$table)]
  table <- floor_table(rows, claim$rule$overhead_bytes)
  low <- table[below == TRUE]
  worst <- low[which.max(floor - value)]
  claim_row(claim, claim_kinds[3L], paste0(min(table$value), " to ", max(table$value)),
            sprintf("%d of %d means below their floor", nrow(low), nrow(table)), "ms",
            rule = "round trip >= airtime of its frames at 72.2 Mb/s, no backoff, no processing",
            verdict = if (nrow(low)) "contradicted" else "not testable",
            reason = if (nrow(low)) {
              sprintf("largest gap: %s, %s ms against a floor of %s ms", worst$row,
                      short(worst$value), short(worst$floor))
            } else {
              "every mean is above its floor; needs the study of round trips"
            })
}

#' A claim per cell of KU Leuven's Fig. 25. What the study defines only by a Wireshark window
#' (throughput, round trip) can fail to be reproduced; a count can be contradicted.
fig25_claims <- function(folder, metrics, recordings) {
  published <- read_published(folder, "kuleuven2019")
  all <- published[location == "Fig. 25"]
  there <- fig25_cells(metrics[study == "recordings"], published, recordings)
  at <- match(paste(all$row, all$column), paste(there$cell, there$column))
  found <- there[at]
  unseen <- is.na(found$ours)
  verdict <- data.table::fcase(unseen, "not testable", found$reproduced, "reproduced",
                               found$column %in% c("throughput_mean", "roundtrip_mean"),
                               "not reproduced", default = "contradicted")
  other <- ifelse(unseen | found$reproduced | !nzchar(found$others), "",
                  paste0("also given by: ", found$others))
  why <- ifelse(is.na(at), "no capture of this cell here",
                "a device without a session of its own shows no crash")
  data.table::data.table(
    claim = gsub("[^a-z0-9]+", "-", tolower(paste("kuleuven", all$row, all$column))),
    source = "kuleuven2019", section = "Fig. 25", kind = claim_kinds[2L],
    statement = sprintf("%s: %s is %s %s", all$row, gsub("_", " ", all$column), all$value,
                        all$unit),
    published = all$value, ours = ifelse(unseen, "", short(found$ours)), unit = all$unit,
    rule = ifelse(is.na(at), "", paste(found$definition, "gives the printed digits")),
    verdict = verdict, reason = ifelse(unseen, why, other), study = "recordings",
    trials = ifelse(is.na(at), recordings$trial[match(all$row, recordings$cell)], found$trial)
  )
}

#' A claim per row of KU Leuven's Fig. 44, the packets of the conversations of one capture.
fig44_claims <- function(folder, metrics) {
  rows <- read_published(folder, "kuleuven2019")[location == "Fig. 44"]
  ends <- strsplit(rows$row, " - ", fixed = TRUE)
  name <- vapply(ends, function(e) conversation_name(e[1L], e[2L]), "")
  mine <- metrics[study == "recordings"]
  ours <- vapply(paste("conversation_packets", name), metric_value, 0, metrics = mine,
                 t = "mqtt_qos1_pub10", USE.NAMES = FALSE)
  data.table::data.table(
    claim = sprintf("kuleuven-fig44-%d", seq_len(nrow(rows))), source = "kuleuven2019",
    section = "Fig. 44", kind = claim_kinds[2L],
    statement = sprintf("The conversation %s has %s packets.", rows$row, rows$value),
    published = rows$value, ours = short(ours), unit = rows$unit,
    rule = "packets of the conversation in the capture, equal",
    verdict = data.table::fcase(is.na(ours), "not testable", ours == as.numeric(rows$value),
                                "reproduced", default = "contradicted"),
    reason = ifelse(is.na(ours), "the capture is not at hand", ""), study = "recordings",
    trials = "mqtt_qos1_pub10"
  )
}
