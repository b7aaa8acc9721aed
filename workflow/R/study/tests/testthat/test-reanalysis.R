# Are the cells of KU Leuven's Fig. 25 compared as docs/metrics.md says, and written to the paper?

archives <- read_archives(file.path(published_folder(), "..", "archives.yaml"))
archive_rows <- data.table::rbindlist(lapply(c("mqtt_qos2_pub1", "coap_1clients"), function(name) {
  a <- archives[trial == name]
  archive_metrics(dissect(recorded(name)), a$device, a$topic, name)
}))
cells <- fig25_cells(archive_rows, read_published(published_folder(), "kuleuven2019"), archives)

test_that("every cell of a capture is compared, and the definition that gives it is named", {
  expect_equal(nrow(cells), 2L * 7L)
  coap <- cells[trial == "coap_1clients"]
  expect_equal(coap[column == "roundtrip_mean"]$definition, "request_ack_mean_ms")
  expect_equal(coap[reproduced == FALSE]$column, "throughput_mean")
  mqtt <- cells[trial == "mqtt_qos2_pub1"]
  expect_setequal(mqtt[reproduced == FALSE]$column,
                  c("retransmissions", "throughput_mean", "roundtrip_mean"))
  expect_match(mqtt[column == "retransmissions"]$others, "of_acknowledgements")
  expect_equal(nrow(fig25_cells(archive_rows[0L], read_published(published_folder(),
                                                                 "kuleuven2019"), archives)), 0L)
})

test_that("for each column the best of the further definitions is counted", {
  best <- best_alternatives(cells)
  expect_equal(best[column == "retransmissions"]$gives, 2L)
  expect_equal(best[column == "throughput_mean"]$gives, 0L)
  expect_gt(best[column == "throughput_mean"]$tried, 100L)
})

test_that("a segment's round trip ends with the first acknowledgement that covers it", {
  data <- data.table::data.table(time = c(1, 2, 3), tcp_seq = c(4294967290, 4, 104),
                                 tcp_len = c(10, 100, 50))
  acks <- data.table::data.table(time = c(2.5, 4), tcp_ack = c(104, 104))
  expect_equal(segment_times(data, acks), c(1.5, 0.5))
})

test_that("the report writes the tables and macros that the paper reads", {
  folder <- tempfile()
  results <- list(metrics = archive_rows, factors = data.table::data.table(study = character()),
                  samples = data.table::data.table(study = character()))
  claims <- decide_claims(published_folder(), archive_rows,
                          data.table::data.table(study = character(), trial = character(),
                                                 factor = character(), value = character()),
                          archives)
  write_report(file.path(folder, "numbers.tex"), folder, claims, published_folder(), results)
  numbers <- readLines(file.path(folder, "numbers.tex"))
  expect_true("\\newcommand{\\twKuCells}{14}" %in% numbers)
  expect_true("\\newcommand{\\twKuLedgersClosed}{2}" %in% numbers)
  expect_true("\\newcommand{\\twKuCoapOneclientsRequestAck}{89}" %in% numbers)
  table <- readLines(file.path(folder, "fig25.tex"))
  expect_equal(sum(grepl("CoAP, 1 client", table, fixed = TRUE)), 1L)
  expect_equal(sum(grepl("differs", table, fixed = TRUE)), 2L)
  open <- readLines(file.path(folder, "fig25_open.tex"))
  expect_equal(sum(grepl("\\\\\\\\$", open)), 1L + 4L)
  for (name in c("claims.tex", "floors.tex")) expect_true(file.exists(file.path(folder, name)))
})

test_that("a packets table survives its file, and gives the recorded round trips", {
  p <- dissect(recorded("coap_1clients"))
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
