# Does the report of UFRN state which hypothesis fits its tables?

test_that("a hypothesis that is the published values but for a line fits, another does not", {
  cells <- ufrn_cells(read_published(file.path(getOption("thinwire.workflow"), "..", "data",
                                               "published"), "ufrn2018"))
  both <- data.table::copy(cells)
  for (name in names(ufrn_hypotheses)) both[, (name) := published / 10 + 0.001]
  both[, "round trip" := 0.4 + payload / 2000]
  both[, "handing over" := published * 1.5]
  fits <- ufrn_fits(both)
  expect_equal(fits$name, c("published", names(ufrn_hypotheses)))
  f <- function(hypothesis, column) fits[[column]][fits$name == hypothesis]
  expect_equal(f("published", "near"), 84L)
  expect_equal(f("published", "Table II"), 5.17, tolerance = 1e-3)
  expect_equal(f("handing over", "near"), 84L)
  expect_equal(f("reading what is there", "near"), 0L)
  expect_equal(f("reading what is there", "explained"), 100)
  expect_lt(f("round trip", "explained"), 50)
  expect_equal(f("round trip", "Table IV"), 0.5)
  expect_true(all(grepl("&", ufrn_fits_table(fits)[7:11])))
})

test_that("what is summed is summed, and MQTT is read as the hypothesis says", {
  cells <- data.table::data.table(location = "Table II", protocol = "mqtt", role = "echo",
                                  quirks = "byte_at_a_time_read", row = "", payload = 5,
                                  what = c("mean", "sd"), published = c(0.2, 0.03))
  ours <- data.table::CJ(protocol = "mqtt", role = "echo", quirks = c("", "byte_at_a_time_read"),
                         payload = 5, quantity = c("call", "read", "rtt"), what = c("mean", "sd"))
  ours[, value := c(call = 3, read = 4, rtt = 9)[quantity] + 10 * nzchar(quirks)]
  both <- ufrn_both(cells, ours)
  expect_equal(both[["reading and answering"]], c(27, sqrt(13^2 + 14^2)))
  expect_equal(both[["the same, MQTT at once"]], c(4, 4))
  expect_equal(both[["round trip"]], c(19, 19))
})

test_that("the text says of how many runs and exchanges a cell is", {
  cells <- ufrn_cells(read_published(file.path(getOption("thinwire.workflow"), "..", "data",
                                               "published"), "ufrn2018"))
  both <- data.table::copy(cells)
  for (name in names(ufrn_hypotheses)) both[, (name) := published]
  ours <- data.table::data.table(
    protocol = c("mqtt", "mqtt", "websocket"), quirks = c("byte_at_a_time_read", "", ""),
    quantity = "rtt", what = "median", n = c(150, 30, 270), trials = c(5L, 1L, 6L))
  said <- ufrn_numbers(cells, both, ufrn_fits(both), ours)
  expect_true(latex_macro("twUfrnLeastRuns", 5L) %in% said)
  expect_true(latex_macro("twUfrnLeastExchanges", 150) %in% said)
  expect_true(latex_macro("twUfrnMostExchanges", 270) %in% said)
})
