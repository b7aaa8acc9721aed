# Does the analysis find what UFRN timed, and judge its tables by it?

folder <- file.path(getOption("thinwire.workflow"), "..", "data", "published")
published <- read_published(folder, "ufrn2018")

#' Results as [library_exchanges()] keeps them, of a board on which the published medians are
#' `constant` us and `cycles` cycles an instruction of what was timed; `frames` us of it, and the
#' step of WebSocket at 1440 bytes, came in before the loop.
measured <- function(cycles = 1.6, yield = 12, constant = 80, frames = 50, round_trip = 3000) {
  x <- ufrn_cells(published)[what == "median"]
  x[, yields := ifelse(protocol == "mqtt", 0, ifelse(role == "publish", 1, 2 + (payload > 125)))]
  x[, before := frames + ifelse(protocol == "websocket" & payload == 1440, 60, 0)]
  x[, work := 2 * (1000 * published - constant - yield * yields) / cycles]
  x[, loop := work - before + 38 * yields]
  # The topic of the device that asks has five bytes more.
  read <- x[protocol == "mqtt" & role == "echo"]
  a_byte <- stats::cov(read$loop, read$payload) / stats::var(read$payload)
  x[protocol == "mqtt" & role == "publish", loop := loop + 5 * a_byte]
  x[, `:=`(trial = paste0("t", .I), image = ufrn_timed_images[protocol])]
  values <- x[, .(trial, exchange_publish_rtt_median_us = round_trip,
                  exchange_publish_rtt_p01_us = round_trip, exchange_loop_median_us = loop,
                  exchange_loop_sd_us = 2, exchange_yield_median_us = 38 * yields,
                  exchange_yields_median = yields, exchange_frames_median_us = before)]
  metrics <- data.table::melt(values, "trial", variable.name = "metric")
  metrics[, `:=`(study = "ufrn-libraries", metric = as.character(metric), unit = "us", n = 1000)]
  names <- c("image", "protocol", "role", "payload")
  texts <- x[, c(list(trial = trial), lapply(.SD, as.character)), .SDcols = names]
  factors <- data.table::melt(texts, "trial", variable.name = "factor")
  factors[, factor := sub("payload", "payload_bytes", factor)]
  list(metrics = metrics, factors = cbind(study = "ufrn-libraries", factors))
}
claim <- list(id = "ufrn-what-was-timed", source = "ufrn2018", section = "", statement = "",
              published = "1", rule = list(type = "timed"))
decided <- function(kept) decide_timed(claim, published, kept$metrics, kept$factors)
cells_of <- function(kept) ufrn_cell_claims(folder, kept$metrics, kept$factors)

test_that("the free numbers are found, and the step at 1400 bytes only with what came in before", {
  kept <- measured()
  x <- ufrn_timed(published, kept$metrics, kept$factors)
  expect_equal(nrow(x), 28L)
  fits <- ufrn_timed_fits(x)
  best <- fits[name == "C: pass before to callback"]
  expect_equal(unlist(best[, .(cycles, yield_us, constant_us, near)]),
               c(cycles = 1.6, yield_us = 12, constant_us = 80, near = 28), tolerance = 1e-3)
  expect_equal(best$step_1400, 48, tolerance = 1e-3)
  expect_lt(fits[name == "B and a constant", step_1400], 5)
  expect_lt(fits[name == "B: top of loop() to callback", near], 27L)
  expect_equal(fits[name == "published", c(step_126, step_1400)], c(29, 48))
})

test_that("cycles an instruction stay within their bounds", {
  kept <- measured(cycles = 3)
  x <- ufrn_timed(published, kept$metrics, kept$factors)
  fits <- ufrn_timed_fits(x)
  expect_true(all(fits$cycles >= 1.4 & fits$cycles <= 2, na.rm = TRUE))
})

test_that("round trips are contradicted where none can be so short and another time fits", {
  row <- decided(measured())
  expect_equal(row$verdict, "contradicted")
  expect_equal(as.numeric(row$ours), 3000 * 0.7 / 1216, tolerance = 1e-3)
  expect_match(row$reason, "28 of 28 medians are within 10 %")
  expect_equal(decided(measured(round_trip = 1500))$verdict, "not reproduced") # 0.86 of 1.216 ms
  expect_equal(decided(measured(cycles = 3))$verdict, "not reproduced") # nothing fits
  kept <- measured()
  expect_equal(decided(lapply(kept, head, 0L))$verdict, "not testable")
})

test_that("what is kept of the study's libraries gives all medians as a time within the device", {
  kept <- read_measured(file.path(folder, "..", "measured"), character())
  row <- decided(kept)
  expect_equal(row$verdict, "contradicted")
  expect_match(row$reason, "^28 of 28 medians")
  expect_gt(as.numeric(row$ours), 1.5)
  x <- ufrn_timed(published, kept$metrics, kept$factors,
                  c(mqtt = "pubsubclient-2.7-core", websocket = "websockets-2.1.0-core"))
  expect_equal(ufrn_timed_fits(x)[name == "C: pass before to callback", near], 28L)
  expect_gt(min(x$publish_rtt), 500)
})

test_that("a cell is judged by the fitted time, a standard deviation by no trial", {
  cells <- cells_of(measured())
  expect_equal(nrow(cells), 84L)
  of <- function(id) cells[claim == paste0("ufrn-table-", id)]
  expect_equal(of("iii-1440-median")$verdict, "decided by an assumption")
  expect_match(of("iii-1440-median")$reason, "as it is: reproduced$")
  expect_match(of("iv-200-mean")$reason, "as it is: not reproduced$") # 0.260 beside 0.182
  expect_equal(of("i-5-sd")[, c(verdict, needs)], c("outside what the lab can decide", "chip"))
  none <- cells_of(lapply(measured(), head, 0L))
  expect_true(all(none$verdict == "not testable"))
})

test_that("an exchange has its medians, and a trial without a library is refused", {
  line <- paste0('{"t":1,"ev":"acked","seq":1,"bytes":5,"publish_rtt_us":%d,"loop_us":%d,',
                 '"yields":1,"yield_us":38,"frames_us":%d}')
  file <- tempfile()
  writeLines(sprintf(line, c(600L, 640L), c(70L, 74L), c(54L, 50L)), file)
  bundle <- list(folder = "f", board = read_jsonl(file),
                 trial = list(parameters = list(role = "publish")))
  m <- library_exchanges(bundle)
  expect_equal(m[metric == "exchange_loop_median_us", c(value, n)], c(72, 2))
  expect_equal(m[metric == "exchange_frames_median_us", value], 52)
  expect_equal(m[metric == "exchange_yields_median", value], 1)
  bundle$board <- bundle$board[0L]
  expect_error(library_exchanges(bundle), "no exchange of a library")
})
