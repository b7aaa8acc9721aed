# Are recorded captures compared with the trials of their cells, and their differences measured
# correctly?

cells <- data.table::data.table(
  trial = c("a", "b", "c"), row = c("MQTT QoS 1", "CoAP", "HTTP"), clients = c(10L, 1L, 1L),
  cell = "", variant = "as designed")
sample_of <- function(trial, sample, value) {
  data.table::data.table(study = "x", trial = trial, sample = sample, value = value)
}
recorded <- rbind(
  sample_of("mqtt_qos1_pub10", "device_ack_rtt_ms", c(10, 20, 30, 40)),
  sample_of("mqtt_qos1_pub10", "conversation_ms", 5000),
  sample_of("coap_1clients", "request_ack_ms", c(100, 101, 102, 103, 104)),
  sample_of("coap_1clients", "response_ms", 105),
  sample_of("http_10clients", "conversation_ms", c(50, 60)))
lab <- rbind(
  sample_of("a", "device_ack_rtt_ms", c(10, 20, 30, 300)),
  sample_of("b", "request_ack_ms", c(100, 101, 102, 103, 200)),
  sample_of("c", "conversation_ms", c(1, 2)))
study_with <- function(table) {
  file <- tempfile(fileext = ".csv.gz")
  data.table::fwrite(table, file)
  list(tables = list(recorded_times = file))
}

test_that("what was recorded and run is compared; what lacks a twin is left out", {
  rows <- kuleuven_recording(study_with(recorded), "recorded_times", "sample")
  expect_equal(unique(rows$clients), c(10L, 1L))
  expect_equal(unique(rows$row), c("MQTT QoS 1", "CoAP", "HTTP"))
  times <- twin_times(twin_samples(rows, lab, cells))
  expect_equal(times$row, c("MQTT QoS 1", "CoAP"))
  expect_equal(times$quantity, c("TCP ACK", "ACK"))
  expect_equal(times$n, c(4L, 5L))
  expect_equal(times$median, c(25, 102))
  expect_equal(times$low, c(17.5, 101))
  expect_equal(times$high_lab, c(97.5, 103))
  expect_equal(times$off, c(0, 0))
  expect_equal(times$distance, c(0.25, 0.2))
})

test_that("the table marks what meets the goal, the text counts it", {
  x <- data.table::data.table(
    row = c("CoAP", "CoAP"), clients = 1L, quantity = c("ACK", "response"), n = 100L, low = 1,
    median = 100, high = 120, n_lab = 100L, low_lab = 1, median_lab = c(104, 110), high_lab = 130,
    off = c(0.04, -0.1), distance = c(0.11, 0.1), least = 90, most = 115)
  lines <- twin_time_table(x)
  expect_match(grep("ACK", lines, value = TRUE), "\\textbf{4} & 0.11", fixed = TRUE)
  expect_match(grep("response", lines, value = TRUE), "& -10 & \\textbf{0.10}", fixed = TRUE)
  numbers <- twin_numbers(x)
  expect_true("\\newcommand{\\twTwinsTimes}{2}" %in% numbers)
  expect_true("\\newcommand{\\twTwinsMedians}{1}" %in% numbers)
  expect_true("\\newcommand{\\twTwinsMissed}{1}" %in% numbers)
  expect_true("\\newcommand{\\twTwinsUnsure}{1}" %in% numbers)
  expect_true("\\newcommand{\\twTwinsDistances}{1}" %in% numbers)
})

test_that("the median of 100 lies between the 40th and the 61st", {
  expect_equal(median_interval(100:1), list(least = 40L, most = 61L))
})

test_that("the shares of awake radios are means over the captures with one client", {
  share <- function(trial, after, otherwise) {
    data.table::data.table(trial = trial, value = c(after, otherwise, 25, 75), n = 4L,
                           metric = paste0("radio_awake_", c("after_group", "otherwise",
                                                             "if_lingering", "after_copy"), "_pct"))
  }
  study <- study_with(rbind(share("coap_1clients", 50, 10), share("mqtt_qos1_pub1", 30, 0),
                            share("coap_10clients", 99, 99)))
  numbers <- awake_numbers(kuleuven_recording(study, "recorded_times", c("metric", "n")))
  expect_equal(numbers, c("\\newcommand{\\twTwinsAwakeGroup}{40}",
                          "\\newcommand{\\twTwinsAwakeElse}{5}",
                          "\\newcommand{\\twTwinsLingerDue}{8}",
                          "\\newcommand{\\twTwinsLingerAwake}{2}",
                          "\\newcommand{\\twTwinsCopyDue}{8}",
                          "\\newcommand{\\twTwinsCopyAwake}{6}"))
})

test_that("costs are per message, and messages per segment", {
  cost <- function(bytes, again) {
    data.table::data.table(row = "MQTT QoS 0", clients = 10L, metric = c(
      "bytes_per_message", "packets_per_message", "messages", "frames_with_messages",
      "retransmissions", "radio_current_least_ma", "radio_current_greatest_ma"),
      value = c(bytes, 0.43, 1000, 200, again, 20, 24.5))
  }
  lines <- twin_cost_table(cost(67.4, 2), cost(68, 30))
  expect_match(grep("^MQTT", lines, value = TRUE),
               "67 / 68 & 0.43 / 0.43 & 5.00 / 5.00 & 0.2 / 3.0 & 20.0 to 24.5", fixed = TRUE)
})

test_that("clients are compared by rank, and those that lose all are counted", {
  name <- "client_first_of_segment_pct"
  designed <- data.table::data.table(trial = c("a", "b"), row = "MQTT QoS 0", clients = 3L,
                                     cell = "", variant = "as designed")
  rows <- kuleuven_recording(study_with(rbind(sample_of("mqtt_qos0_pub3", name, c(0, 60, 0)),
                                              sample_of("mqtt_qos1_pub3", name, c(90, 91, 92)))),
                             "recorded_times", "sample")
  runs <- rbind(sample_of("a", name, c(0, 100, 20)), sample_of("b", name, c(80, 0, 0)))
  x <- twin_clients(rows, runs, designed)
  expect_equal(unique(x$row), "MQTT QoS 0") # QoS 1 was not run
  expect_equal(x[source == "recorded", value], c(60, 0, 0))
  expect_equal(x[source == "lab", value], c(90, 10, 0)) # means over the runs, by rank
  expect_match(twin_client_table(x), "MQTT QoS 0, 3 & 0 / 0 & 0 / 10 & 60 / 90 & 2 / 1",
               fixed = TRUE, all = FALSE)
  expect_equal(nrow(twin_clients(NULL, runs, designed)), 0L)
  expect_s3_class(twin_client_figure(x)$plot, "ggplot")
  x[, clients := 10L]
  expect_identical(unname(twin_client_numbers(x))[1L], "\\newcommand{\\twTwinsNeverRecorded}{2}")
})

test_that("without captures the report says so, and has time lines and what was fitted", {
  lines <- tempfile(fileext = ".csv.gz")
  data.table::fwrite(data.table::data.table(study = "twins", trial = "a", time_s = c(0, 0.1),
                                            way = c("to", "from"), bytes = 60L), lines)
  design <- c(protocol = "coap", mode = "coap-con", clients = "1", start_spread_ms = "0",
              modem_sleep = "1", separate_ms = "6", repetition = "1", outcome = "ok")
  factors <- data.table::data.table(study = "twins", trial = "a", factor = names(design),
                                    value = unname(design))
  metrics <- data.table::data.table(study = "twins", trial = "a", metric = "messages", value = 100)
  out <- make_report("twins", list(name = "twins", metrics = metrics, samples = lab,
                                   factors = factors, tables = list(timelines = lines),
                                   figures = list()))
  expect_equal(names(out$figures), "timelines")
  expect_match(out$tables$times, "no recorded capture")
  expect_true(any(grepl("separate\\_ms & 6 &", out$tables$fits, fixed = TRUE)))
  expect_equal(out$numbers, "\\newcommand{\\twTwinsTrials}{1}")
})
