# Does the paper state how many trials failed, and which captures were not available?

outcomes <- function(ok) {
  data.table::data.table(study = rep(c("matrix", "modem-sleep"), c(3L, 2L)), trial = letters[1:5],
                         ok = ok)
}

test_that("trials that all went well are counted", {
  lines <- trial_numbers(outcomes(TRUE))
  expect_true("\\newcommand{\\twTrialsAll}{5}" %in% lines)
  expect_true("\\newcommand{\\twTrialsWrong}{none}" %in% lines)
  expect_true("\\newcommand{\\twMatrixTrialPhrase}{3 trials}" %in% lines)
  expect_false(any(grepl("TrialsWrongBy", lines)))
})

test_that("trials that went wrong are counted by study", {
  lines <- trial_numbers(outcomes(c(TRUE, FALSE, FALSE, TRUE, FALSE)))
  expect_true("\\newcommand{\\twTrialsWrong}{3}" %in% lines)
  expect_true(paste0("\\newcommand{\\twTrialsWrongBy}{2 of the 3 of the study matrix, ",
                     "1 of the 2 of the study modem-sleep}") %in% lines)
  phrase <- "1 of 2 trials (the others went wrong)"
  expect_true(paste0("\\newcommand{\\twModemSleepTrialPhrase}{", phrase, "}") %in% lines)
})

test_that("captures that are not at hand are named by their cells", {
  recordings <- data.table::data.table(trial = c("a", "b", "c"), cell = c("A, 1", "B, 1", "C, 1"))
  expect_equal(capture_numbers(recordings, recordings$trial),
               "\\newcommand{\\twCapturesListed}{3}")
  expect_equal(capture_numbers(recordings, "b")[2L],
               "\\newcommand{\\twCapturesMissing}{A, 1; C, 1}")
})
