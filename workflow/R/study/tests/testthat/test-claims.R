# Do the rules of data/published/claims decide as docs/claims.md says?

withr::local_options(thinwire.discrepancy = lab_error()) # a lab without error

#' Results of a study: kinds a and b at three levels, five repetitions.
sample_study <- function(a, b, metric = "rtt_median_ms") {
  trials <- data.table::CJ(kind = c("a", "b"), level = 1:3, repetition = 1:5)
  trials[, trial := sprintf("%s_%d_r%d", kind, level, repetition)]
  trials[, value := ifelse(kind == "a", a, b) + level + repetition / 100]
  long <- data.table::melt(trials[, .(trial, kind, level = as.character(level),
                                      repetition = as.character(repetition))], id.vars = "trial",
                           variable.name = "factor", variable.factor = FALSE)
  list(metrics = data.table::data.table(study = "s", trials[, .(trial, value)], metric = metric,
                                        unit = "", n = 1),
       factors = cbind(study = "s", long))
}

claim_of <- function(..., metric = "rtt_median_ms", published = "") {
  list(id = "x", source = "ufes2018", section = "1", statement = "S.", published = published,
       file = "claims/x.yaml",
       rule = list(study = "s", metric = metric, a = list(kind = "a"), b = list(kind = "b"), ...))
}

decide <- function(claim, results) decide_claim(claim, "", results$metrics, results$factors)

test_that("a run is a repetition: conditions are averaged, and are no sample", {
  s <- sample_study(10, 0)
  runs <- select_runs(list(study = "s", metric = "rtt_median_ms"), list(kind = "a"), s$metrics,
                      s$factors)
  expect_equal(runs$value, 12 + 1:5 / 100)
  # a repetition that lacks a condition is left out
  fewer <- s$metrics[trial != "a_2_r5"]
  runs <- select_runs(list(study = "s", metric = "rtt_median_ms"), list(kind = "a"), fewer,
                      s$factors)
  expect_equal(runs$repetition, as.character(1:4))
})

test_that("an empty level also selects the trials that do not state the factor", {
  s <- sample_study(10, 0)
  stated <- s$factors[factor == "level" & value == "1"][, factor := "security"]
  values <- c("none", "")[1L + (stated$trial %in% stated[value == "1"]$trial[1:5])]
  factors <- rbind(s$factors, stated[, value := values])
  trials <- function(level) {
    runs <- select_runs(list(study = "s", metric = "rtt_median_ms"), list(security = level),
                        s$metrics, factors)
    sort(unlist(strsplit(runs$trials, " ")))
  }
  expect_equal(trials("none"), sort(stated[value == "none", trial]))
  unstated <- setdiff(s$metrics$trial, stated$trial)
  expect_equal(trials(""), sort(c(unstated, stated[value == "", trial])))
  other <- claim_of(type = "bound", expect = "<", value = 1)
  other$rule$study <- "elsewhere"
  other$rule$a <- list(security = "")
  expect_match(decide(other, s)$reason, "where security unstated$")
})

test_that("a comparison is reproduced one way, contradicted the other, and needs five runs", {
  row <- decide(claim_of(type = "compare", expect = ">"), sample_study(10, 0))
  expect_equal(row$verdict, "reproduced")
  expect_equal(row$n, "5 and 5")
  expect_match(row$trials, "a_1_r1.* b_3_r5")
  expect_lt(abs(as.numeric(row$low) - 10), 0.1)
  expect_equal(decide(claim_of(type = "compare", expect = "<"), sample_study(10, 0))$verdict,
               "contradicted")
  few <- sample_study(10, 0)
  few$metrics <- few$metrics[!grepl("r5", trial)]
  expect_equal(decide(claim_of(type = "compare", expect = ">"), few)$verdict, "too few runs")
})

test_that("a difference below the equivalence margin is none", {
  # half a millisecond of device time: 0.4 ms is no result, however certain
  expect_equal(decide(claim_of(type = "compare", expect = ">"), sample_study(1.4, 1))$verdict,
               "not reproduced")
  expect_error(decide(claim_of(type = "compare", expect = ">", metric = "m"),
                      sample_study(1, 2, "m")), "equivalence_margins.yaml: m: has no equivalence",
               class = "thinwire_input_error")
})

test_that("two things are alike where their difference is within the margin", {
  verdict <- function(a) {
    decide(claim_of(type = "compare", expect = "=="), sample_study(a, 10))$verdict
  }
  expect_equal(verdict(10.2), "reproduced") # within half a millisecond
  expect_equal(verdict(9.8), "reproduced")
  expect_equal(verdict(10.5), "not reproduced") # the interval reaches beyond it
  expect_equal(verdict(12), "contradicted")
  expect_equal(verdict(8), "contradicted")
})

test_that("a statement with a factor is reproduced in direction where only the order is right", {
  verdict <- function(a) {
    decide(claim_of(type = "compare", expect = "<", times = 10), sample_study(a, 100))$verdict
  }
  expect_equal(verdict(0), "reproduced")
  expect_equal(verdict(50), "reproduced in direction")
  expect_equal(verdict(200), "contradicted")
})

test_that("a bound needs the whole interval on its side, equality the whole within the margin", {
  verdict <- function(expect, value) {
    decide(claim_of(type = "bound", expect = expect, value = value), sample_study(10, 0))$verdict
  }
  expect_equal(verdict("<", 20), "reproduced")
  expect_equal(verdict("<", 5), "contradicted")
  expect_equal(verdict("<", 12.3), "not reproduced")
  expect_equal(verdict("==", 12), "reproduced")
  expect_equal(verdict("==", 15), "contradicted")
  other <- claim_of(type = "bound", expect = "<", value = 1)
  other$rule$study <- "elsewhere"
  expect_equal(decide(other, sample_study(1, 1))$verdict, "not testable")
  other$rule$a <- list(clients = c("10", "100"), messages = "100")
  expect_match(decide(other, sample_study(1, 1))$reason,
               "elsewhere' with .* where clients 10 or 100, messages 100$")
})

test_that("captures are read again: an expression over their metrics, or what is missing", {
  metrics <- data.table::data.table(study = "recordings", trial = c("t1", "t2"), metric = "m",
                                    value = c(1, 2), unit = "", n = 1)
  claim <- claim_of(type = "captures", holds = "all(diff(m) > 0)", ours = "m")
  claim$rule$values <- list(m = list("m", "t1", "t2"))
  expect_equal(decide_captures(claim, metrics)[, c(verdict, ours)], c("reproduced", "1, 2"))
  claim$rule$values <- list(m = list("m", "t1", "t9"))
  expect_match(decide_captures(claim, metrics)$reason, "not at hand: t9")
  claim$rule$values <- list(m = list("m", "t1"))
  claim$rule$holds <- "all(unknown > 0)"
  expect_error(decide_captures(claim, metrics), "x.yaml: x: 'all\\(unknown > 0\\)' cannot be",
               class = "thinwire_input_error")
})

test_that("an entry with a key too few or too many is named with file and key", {
  folder <- file.path(tempfile(), "claims")
  dir.create(folder, recursive = TRUE)
  refuse <- function(text, words) {
    writeLines(c("claims:", text), file.path(folder, "s.yaml"))
    expect_error(read_claims(dirname(folder)), words, class = "thinwire_input_error")
  }
  entry <- '  - {id: x, section: "1", statement: S, rule: {type: %s}}'
  refuse(sprintf(entry, "guess"), "s.yaml: x, rule.type: is no such rule")
  refuse(sprintf(entry, "none"), "s.yaml: x, rule.reason: is missing")
  refuse(sprintf(entry, "nbiot, value: 1"), "s.yaml: x, rule.value: is no key of this rule")
  refuse('  - {section: "1", statement: S, rule: {type: nbiot}}', "without id, id: is missing")
  refuse('  - {id: x, section: "1", statement: S, published: 1, at: 2, rule: {type: nbiot}}',
         "s.yaml: x, at: is no key of a claim")
})

test_that("an index's words stay words, and a capture without a cell has none", {
  index <- tempfile()
  on.exit(unlink(index))
  writeLines(c(
    "recordings:", "  samples:", "    source: sample", "    device: 192.0.2.1", "    captures:",
    "      one: {file: a/one.pcapng, topic: yes, cell: 0x1f}", "      two: {file: a/two.pcapng}"
  ), index)
  found <- read_recordings(index)
  expect_equal(found$trial, c("one", "two"))
  expect_equal(found$topic, c("yes", NA))
  expect_equal(found$cell, c("0x1f", NA))
})

recordings <- read_recordings(file.path(published_folder(), "..", "recordings.yaml"))
none <- sample_study(1, 1)
claims <- decide_claims(published_folder(), none$metrics[0L], none$factors[0L], recordings)

test_that("every claim can be decided, also without any results", {
  expect_equal(anyDuplicated(claims$claim), 0L)
  expect_true(all(claims$verdict %in% verdict_names))
  expect_true(all(claims$kind %in% claim_kinds))
  expect_true(all(nzchar(claims$statement)))
  # nothing was run and no capture is there: only the sources' own numbers decide
  undecided <- c("not testable", "outside what the lab can decide")
  expect_true(all(claims[kind != "consistency"]$verdict %in% undecided))
  expect_true(all(nzchar(claims[verdict == "not testable"]$reason)))
})

test_that("the sources' own numbers give what a reader can compute", {
  verdict <- function(id) claims[claim == id]$verdict
  expect_equal(verdict("aamec-cycle-1000"), "contradicted") # 40366 / 1000 is no 43
  expect_equal(verdict("aamec-cycle-100"), "reproduced")
  expect_equal(claims[claim == "aamec-reuse"]$ours, "93.88")
  expect_equal(verdict("ufrn-websocket-faster-passive"), "reproduced")
  expect_equal(verdict("ufrn-websocket-faster-active"), "contradicted")
  expect_equal(verdict("kuleuven-mqtt-faster-table"), "contradicted")
  expect_equal(verdict("kuleuven-raw-time"), "reproduced")
  expect_equal(verdict("ufes-equation"), "contradicted")
  expect_equal(verdict("tasmota-heap-sum"), "reproduced")
  expect_equal(claims[claim == "tasmota-heap-minimal", c(ours, verdict)],
               c("6.992", "contradicted"))
  expect_equal(verdict("mattsson-flights"), "reproduced")
  expect_match(claims[claim == "mattsson-flights-without"]$ours, "^720, 417, 327")
})

test_that("every metric that a claim about runs asks for has an equivalence margin with a reason", {
  rules <- lapply(read_claims(published_folder()), `[[`, "rule")
  wanted <- unique(unlist(lapply(rules, `[[`, "metric")))
  for (metric in wanted) {
    entry <- equivalence_margin(metric)
    expect_gt(entry$margin, 0, label = metric)
    expect_true(nzchar(entry$reason), info = metric)
  }
})
