# Does an expectation hold where it should, does the worst seed decide, and are units compared?

wanted <- function(metric, operator, limit, unit = "") {
  data.table::data.table(metric = metric, operator = operator, limit = limit, unit = unit)
}
tried <- function(value, seed = 1, unit = "ms") {
  list(bundle = list(folder = paste0("f", seed), trial = list(repetition = seed),
                     lab = list(outcome = "ok", reason = "")),
       metrics = metric_row("m", value, unit, 1))
}
holds <- function(value, ...) check_one(tried(value), wanted("m", ...))$holds

test_that("each operator holds on its side of the limit", {
  for (case in list(list("<=", c(TRUE, TRUE, FALSE)), list(">=", c(FALSE, TRUE, TRUE)),
                    list("<", c(TRUE, FALSE, FALSE)), list(">", c(FALSE, FALSE, TRUE)),
                    list("=", c(FALSE, TRUE, FALSE)))) {
    expect_equal(vapply(c(9, 10, 11), holds, NA, case[[1L]], 10), case[[2L]])
  }
})

test_that("a limit in seconds is compared with a value in milliseconds", {
  expect_true(holds(1500, "<=", 1.5, "s"))
  expect_false(holds(1501, "<=", 1.5, "s"))
  expect_error(holds(1, "<=", 1, "bytes"), "does not fit the unit ms")
})

test_that("the seed farthest on the bad side decides", {
  margin <- function(operator, limit, values) {
    vapply(values, function(v) check_one(tried(v), wanted("m", operator, limit))$margin, 0)
  }
  expect_equal(which.min(margin("<=", 10, c(3, 12, 11))), 2L)
  expect_equal(which.min(margin(">=", 10, c(30, 12, 11))), 3L)
  expect_equal(which.min(margin("=", 0, c(0, 2, -3))), 3L)
})

folder_of <- function(...) {
  folder <- tempfile()
  write_bundle(folder, ...)
  folder
}

test_that("expectations of two bundles name the deciding one", {
  folders <- c(folder_of(n = 20), folder_of(n = 10))
  rows <- check_expectations(rbind(wanted("delivered_of_sent_pct", ">=", 93, "%"),
                                   wanted("duplicates", "=", 0)), folders)
  expect_equal(rows$expectation, c(1, 1, 2, 2))
  expect_equal(rows$value, c(95, 90, 1, 1))
  expect_equal(rows$holds, c(TRUE, FALSE, FALSE, FALSE))
  expect_equal(rows$worst, c(FALSE, TRUE, TRUE, FALSE))
})

test_that("what was not measured does not hold, and says why", {
  failed <- check_expectations(wanted("delivered_of_sent_pct", ">=", 0, "%"),
                               folder_of(outcome = "failed"))
  expect_false(failed$holds)
  expect_match(failed$reason, "the trial's outcome is failed")
  sound <- folder_of()
  reason <- function(metric) check_expectations(wanted(metric, ">=", 0), sound)$reason
  expect_match(reason("back_after_outage_s"), "no interruption")
  expect_match(reason("board_stack_free_min_bytes"), "log has no line 'stat'")
  expect_match(reason("charge_per_message_uc"), "no 802.11 cell")
  expect_match(reason("waking_ack_mean_ms"), "no data for it")
  expect_true(check_expectations(wanted("memory_free_min_bytes", "=", 40000, "bytes"), sound)$holds)
})

test_that("oracles and metrics share one dissection, and the metrics are the same", {
  folder <- folder_of()
  space <- environment(measure_tried)
  calls <- 0L
  assign("dissect", function(...) {
    calls <<- calls + 1L
    get("dissect", parent.env(space))(...)
  }, space)
  on.exit(rm("dissect", envir = space))
  both <- measure_tried(folder, oracles = TRUE)
  expect_equal(calls, 1L)
  alone <- measure_tried(folder)
  expect_equal(calls, 2L)
  expect_identical(both$capture, alone$capture)
  known <- alone$metrics$metric
  expect_identical(both$metrics[metric %in% known], alone$metrics)
})
