# Do the logs of a closed loop become UFRN's values, and these its claims?

closed_loop <- function(role, lines, ...) {
  list(trial = list(parameters = list(role = role, protocol = "mqtt", ...)),
       board = data.table::as.data.table(
         jsonlite::fromJSON(paste0("[", paste(lines, collapse = ","), "]"))))
}

asks <- closed_loop("publish", sprintf(
  '{"t":%d,"ev":"acked","seq":%d,"bytes":%d,"rtt_us":%d,"call_us":100,"read_us":%d}',
  1:6, 1:6, rep(c(5L, 105L), each = 3L), c(300L, 400L, 500L, 1400L, 1500L, 2000L),
  rep(c(20L, 70L), each = 3L)), pace = "answer")

test_that("a device that asks has its values by payload", {
  m <- turn_metrics(asks)
  m <- setNames(m$value, m$metric)
  expect_equal(m[["turn_rtt_at_5_mean_ms"]], 0.4)
  expect_equal(m[["turn_rtt_at_5_sd_ms"]], 0.1)
  expect_equal(m[["turn_rtt_at_105_median_ms"]], 1.5)
  expect_equal(m[["turn_call_at_105_mean_ms"]], 0.1)
  expect_equal(m[["turn_read_growth_us_per_byte"]], 0.5)
  expect_equal(m[["turn_rtt_growth_us_per_byte"]], 11)
  expect_equal(m[["turn_rtt_largest_mean_ms"]], mean(c(1.4, 1.5, 2)))
  expect_equal(m[["turn_rtt_below_400us_pct"]], 100 / 6)
  expect_equal(m[["turn_rtt_below_2ms_pct"]], 500 / 6)
  expect_equal(turn_samples(asks)[sample == "turn_rtt_at_105_ms", value], c(1.4, 1.5, 2))
})

test_that("a device that answers has no round trip before its first answer", {
  echo <- closed_loop("echo", c(
    '{"t":1,"ev":"received","from":"c001","seq":0,"bytes":5,"read_us":20}',
    '{"t":2,"ev":"received","from":"c001","seq":1,"bytes":5,"read_us":30,"call_us":70,"rtt_us":900}'
  ))
  m <- turn_metrics(echo)
  expect_equal(m[metric == "turn_rtt_at_5_mean_ms", c(value, n)], c(0.9, 1))
  expect_equal(m[metric == "turn_read_at_5_mean_ms", c(value, n)], c(0.025, 2))
  expect_equal(turn_samples(echo)$value, 0.9)
})

test_that("another trial has none of it", {
  expect_null(turn_metrics(closed_loop("publish", '{"t":1,"ev":"acked","seq":1,"rtt_us":5}')))
})

published <- read_published(file.path(getOption("thinwire.workflow"), "..", "data", "published"),
                            "ufrn2018")

test_that("the tables have 84 cells, each with its place in our trials", {
  cells <- ufrn_cells(published)
  expect_equal(nrow(cells), 84L)
  expect_equal(cells[location == "Table II" & payload == 200, published], c(1.232, 0.107, 1.216))
  expect_equal(cells[location == "Table III", unique(payload)],
               c(5, 25, 50, 100, 200, 400, 800, 1200, 1440))
  expect_equal(cells[protocol == "mqtt", unique(quirks)], "byte_at_a_time_read")
})
