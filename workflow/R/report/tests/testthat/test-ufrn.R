# Does the report of UFRN show what was measured beside its tables?

published <- read_published(file.path(getOption("thinwire.workflow"), "..", "data", "published"),
                            "ufrn2018")

test_that("our engine's quantities stand beside the cells, MQTT read byte by byte", {
  cells <- data.table::data.table(location = "Table II", protocol = "mqtt", role = "echo",
                                  quirks = "byte_at_a_time_read", row = "", payload = 5,
                                  what = c("mean", "sd"), published = c(0.2, 0.03))
  ours <- data.table::CJ(protocol = "mqtt", role = "echo", quirks = c("", "byte_at_a_time_read"),
                         payload = 5, quantity = c("call", "read", "rtt"), what = c("mean", "sd"))
  ours[, value := c(call = 3, read = 4, rtt = 9)[quantity] + 10 * nzchar(quirks)]
  both <- ufrn_both(cells, ours)
  expect_equal(both[["handing over"]], c(13, 13))
  expect_equal(both[["reading what is there"]], c(14, 14))
  expect_equal(both[["round trip"]], c(19, 19))
})

test_that("the text says of how many runs and exchanges a cell is", {
  cells <- ufrn_cells(published)
  ours <- data.table::data.table(
    protocol = c("mqtt", "mqtt", "websocket"), quirks = c("byte_at_a_time_read", "", ""),
    quantity = "rtt", what = "median", n = c(150, 30, 270), trials = c(5L, 1L, 6L))
  said <- ufrn_numbers(cells, ours)
  expect_true(latex_macro("twUfrnLeastRuns", 5L) %in% said)
  expect_true(latex_macro("twUfrnLeastExchanges", 150) %in% said)
  expect_true(latex_macro("twUfrnMostExchanges", 270) %in% said)
})

#' The 28 medians as the kept tables give them, where C with 1.6 cycles and 80 us gives each.
timed <- ufrn_cells(published)[what == "median"]
timed[, `:=`(published = 1000 * published, publish_rtt = 3000, publish_rtt_p01 = 2900, yields = 0,
             yield = 0, frames = 50, n = 1000)]
timed[, loop := 2 * (published - 80) / 1.6 - 50]

test_that("the table of hypotheses and the numbers name what fits", {
  rows <- ufrn_fits_table(timed)
  expect_true(any(grepl("^C: pass before to callback & 3 & 1[.]60 & .* & 80 & 28 & 0 &", rows)))
  expect_true(any(grepl("^A: .* & 0 & -- & -- & 0 & 0 & ", rows)))
  expect_length(grep("& [01][.][0-9]{3} & 3[.]000 &", ufrn_timed_table(timed)), 28L)
  said <- ufrn_timed_numbers(timed)
  expect_true(latex_macro("twUfrnTimedNear", 28L) %in% said)
  expect_true(latex_macro("twUfrnTimedCycles", "1.60") %in% said)
  expect_true(latex_macro("twUfrnTimedLeastRoundTrip", "3.00") %in% said)
})

test_that("the figure has a panel for each table and a line for each time", {
  drawn <- ggplot2::ggplot_build(figure_ufrn_timed(timed))$data[[2L]]
  expect_equal(length(unique(drawn$PANEL)), 4L)
  expect_equal(length(unique(drawn$shape)), 4L)
})
