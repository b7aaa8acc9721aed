# Do kept results decide the claims of a study that a build has not run, and no others?

withr::local_options(thinwire.discrepancy = lab_error()) # a lab without error

keep <- function(study, value = 100) {
  folder <- tempfile()
  dir.create(file.path(folder, study), recursive = TRUE)
  trials <- sprintf("t%d", 1:5)
  data.table::fwrite(data.table::data.table(study = study, trial = trials,
                                            metric = "delivered_of_made_pct", value = value,
                                            unit = "%", n = 5000),
                     file.path(folder, study, "metrics.csv"))
  factors <- data.table::CJ(trial = trials, factor = c("repetition", "measured_at", "outcome"))
  factors[, value := data.table::fcase(factor == "repetition", substr(trial, 2L, 2L),
                                       factor == "outcome", "ok",
                                       default = "commit abc of 2026-01-01")]
  data.table::fwrite(cbind(study = study, factors), file.path(folder, study, "factors.csv"))
  folder
}
claim <- list(id = "x", source = "s", section = "", statement = "", file = "f",
              rule = list(type = "bound", study = "kept", metric = "delivered_of_made_pct",
                          a = list(outcome = "ok"), expect = "==", value = 100))

test_that("a claim about a study that was not run is decided by what is kept, and says so", {
  kept <- read_measured(keep("kept"), character())
  row <- decide_claim(claim, "", kept$metrics, kept$factors)
  expect_equal(row$verdict, "reproduced")
  row <- note_measured(row, kept)
  expect_match(row$reason, "measured at commit abc of 2026-01-01, data/measured/kept$")
})

test_that("what a build has run itself counts, and a claim without results names no measurement", {
  kept <- read_measured(keep("kept"), "kept")
  expect_equal(nrow(kept$metrics), 0L)
  row <- decide_claim(claim, "", kept$metrics, kept$factors)
  expect_equal(row$verdict, "not testable")
  expect_no_match(note_measured(row, kept)$reason, "measured at")
  expect_equal(nrow(read_measured(tempfile(), character())$metrics), 0L)
})
