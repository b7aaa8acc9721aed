# The summary by study, verdict and reason, and the tables of exactness and libraries.

claims <- data.table::data.table(
  source = c("ufes2018", "ufes2018", "ufes2018", "ufrn2018", "tasmota2024"),
  kind = claim_kinds[c(1L, 1L, 1L, 3L, 1L)],
  counts_as = c("reproduced", "outside what the lab can decide", "outside what the lab can decide",
                "contradicted", "reproduced"),
  counted = c("once", "once", "repeated", "once", "once"),
  reason = c("", "the trials lack loss (frames can be lost), meter (a meter); there: reproduced",
             "", "arithmetic on the source's own numbers", ""))

test_that("the summary counts each claim of the five studies once, by study, kind and verdict", {
  table <- summary_table(claims)
  expect_true(any(grepl("^UFES & experiment & 2 & 1 & -- & -- & -- & 1 & -- & -- ", table)))
  expect_true(any(grepl("^UFRN & consistency & 1 & -- & 1 & ", table)))
  expect_true(any(grepl("^all &  & 3 & 1 & 1 & -- & -- & 1 & ", table)))
  expect_false(any(grepl("Tasmota", table, fixed = TRUE)))
})

test_that("a reason names what the trials lack, without its explanation and the outcome", {
  reasons <- reason_kind(claims)
  expect_equal(reasons[2L], "the trials do not have: loss, meter")
  expect_equal(reasons[1L], "the interval of the runs")
  kinds <- data.table::data.table(kind = claim_kinds[1L], reason = c(
    "the lab's error for rates is up to a factor of 14 (4 held-out conditions)",
    "20 messages a client, not 100", "measured at commit 49bd2b3c of 2026-11-26, data/measured/x",
    "a distance; as it is: reproduced; measured at abc"))
  expect_equal(reason_kind(kinds), c("the lab's error for rates covers the difference",
                                     "fewer messages a client than in the study",
                                     "the interval of the runs", "a distance"))
})

test_that("of many reasons the commonest are named, long ones cut between words", {
  text <- reasons_text(c("one two three", "b", "c"), c(5L, 3L, 2L), 1L, 9L)
  expect_equal(text, "one two ... (5); others (5)")
})

test_that("the error that the paper states is that of held-out times alone", {
  pairs <- data.table::data.table(
    class = c(rep("times of 5 to 250 ms", 3L), "bytes"), counts = c(TRUE, TRUE, TRUE, TRUE),
    state = c("held out", "held out", "fitted", "held out"), error = c(0.3, -0.4, 9, 9))
  numbers <- fidelity_numbers(pairs)
  expect_true("\\newcommand{\\twFidelityHeldRms}{35}" %in% numbers)
  expect_true("\\newcommand{\\twFidelityHeldWorst}{40}" %in% numbers)
  expect_true("\\newcommand{\\twFidelityHeldConditions}{2}" %in% numbers)
})

test_that("every condition of the table of libraries has kept trials of a library and an engine", {
  folder <- file.path(Sys.getenv("THINWIRE_TOP"), "data", "measured")
  for (i in seq_len(nrow(library_conditions))) {
    rows <- library_rows(folder, library_conditions[i])
    expect_equal(nrow(rows), 2L, info = library_conditions$title[i])
    expect_true(rows$who[1L] %in% library_names && rows$who[2L] == "our engine")
    expect_true(all(rows$n > 1L))
  }
})

test_that("the league's numbers are those of its clients before the usual server", {
  file <- withr::local_tempfile(lines = c(
    "protocol,client,server,case,delivered,back_after_outage_s",
    "MQTT,a,mosquitto,undisturbed,40,", "MQTT,a,mosquitto,server-away,40,1.5",
    "MQTT,b,mosquitto,server-away,20,", "MQTT,a,aedes,server-away,1,9"))
  numbers <- league_kept_numbers(file)
  for (line in c("Clients}{2}", "AwayClients}{2}", "AwayAll}{1}", "AwayLeast}{20}",
                 "BackMost}{1.5}")) {
    expect_true(any(endsWith(numbers, paste0("twLeagueKept", line))), info = line)
  }
})
