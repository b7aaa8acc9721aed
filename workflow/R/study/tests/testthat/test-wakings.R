# Are the wake-ups of a device in deep sleep measured from its log?

waking_log <- function() {
  data.table::data.table(
    t = c(1, 3.4e6, 3.5e6, 3.6e6, 10e6, 10.01e6, 10.03e6, 10.13e6, 20e6, 23e6, 23.1e6),
    ev = c("boot", "secured", "acked", "sleeping", "boot", "secured", "acked", "sleeping", "boot",
           "secured", "acked"),
    reason = c("power_on", NA, NA, NA, "deep_sleep", NA, NA, NA, "deep_sleep", NA, NA),
    resumed = c(NA, 0, NA, NA, NA, 1, NA, NA, NA, 0, NA))
}

test_that("awakenings are those starts that deep sleep ended", {
  wakings <- waking_table(waking_log())
  expect_equal(wakings$ack, c(30, 3100))
  expect_equal(wakings$awake, c(130, NA)) # the log ends before the second sleeps
  expect_equal(wakings$resumed, c(TRUE, FALSE))
})

test_that("a device that does not sleep deeply has no awakenings to measure", {
  bundle <- list(board = waking_log(), trial = list(parameters = list(deep_sleep = FALSE)))
  expect_null(waking_metrics(bundle))
  bundle$trial$parameters$deep_sleep <- TRUE
  found <- waking_metrics(bundle)
  expect_equal(found[metric == "waking_ack_mean_ms", value], 1565)
  expect_equal(found[metric == "waking_resumed_pct", value], 50)
  bundle$board <- bundle$board[1:4]
  expect_null(waking_metrics(bundle))
})
