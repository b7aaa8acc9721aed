# Is the reanalysis of recorded captures written to the paper as it was computed?

test_that("the report writes the tables and macros that the paper reads", {
  folder <- tempfile()
  rows <- recording_rows()
  results <- list(metrics = rows, factors = data.table::data.table(study = character()),
                  samples = data.table::data.table(study = character()),
                  outcomes = data.table::data.table(study = character(), trial = character(),
                                                    ok = logical()))
  claims <- decide_claims(published_folder(), rows,
                          data.table::data.table(study = character(), trial = character(),
                                                 factor = character(), value = character()),
                          listed_recordings())
  write_report(file.path(folder, "numbers.tex"), folder, claims, published_folder(), results)
  numbers <- readLines(file.path(folder, "numbers.tex"))
  expect_true("\\newcommand{\\twKuCells}{14}" %in% numbers)
  expect_true("\\newcommand{\\twKuLedgersClosed}{2}" %in% numbers)
  expect_true("\\newcommand{\\twCapturesListed}{15}" %in% numbers)
  expect_true("\\newcommand{\\twKuCoapOneclientsRequestAck}{89}" %in% numbers)
  table <- readLines(file.path(folder, "fig25.tex"))
  expect_equal(sum(grepl("CoAP, 1 client", table, fixed = TRUE)), 1L)
  expect_equal(sum(grepl("differs", table, fixed = TRUE)), 2L)
  expect_match(grep("CoAP, 1 client", table, value = TRUE), "pair{0}{--}", fixed = TRUE)
  expect_true("\\newcommand{\\twKuCellsUnseen}{2}" %in% numbers)
  open <- readLines(file.path(folder, "fig25_open.tex"))
  expect_equal(sum(grepl("\\\\\\\\$", open)), 1L + 3L)
  for (name in c("claims.tex", "floors.tex")) expect_true(file.exists(file.path(folder, name)))
})

test_that("a packets table survives its file, and gives the recorded round trips", {
  p <- dissect_recorded("coap_1clients")
  file <- tempfile(fileext = ".csv.gz")
  write_packets(p, file)
  again <- read_packets(file)
  expect_equal(again$src, p$src)
  expect_equal(again$time, p$time)
  times <- recorded_times(file, recorded_device)
  expect_length(times, 100L)
  expect_equal(round(mean(times), 2), 89.33)
  sleep <- data.table::data.table(modem_sleep = c(1, 1, 0, 0), round_trip_ms = c(10, 100, 1, 3))
  saturation <- data.table::data.table(n = c(1, 20), ratio = c(1.001, 0.98))
  lines <- cell_numbers(saturation, sleep, times)
  expect_true("\\newcommand{\\twCellWorst}{2.0}" %in% lines)
  expect_true("\\newcommand{\\twCellSleepMedian}{55}" %in% lines)
  expect_true("\\newcommand{\\twCellRecordedMean}{89}" %in% lines)
})
