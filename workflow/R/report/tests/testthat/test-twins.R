# Are recorded captures compared with the trials of their cells, and their differences measured
# correctly?

cells <- data.table::data.table(
  trial = c("a", "b", "c"), row = c("MQTT QoS 1", "CoAP", "HTTP"), clients = c(10L, 1L, 1L),
  cell = "", variant = "as designed")
sample_of <- function(trial, sample, value) {
  data.table::data.table(study = "x", trial = trial, sample = sample, value = value)
}
lab <- rbind(
  sample_of("a", "device_ack_rtt_ms", c(10, 20, 30, 300)),
  sample_of("b", "request_ack_ms", c(100, 101, 102, 103, 200)),
  sample_of("c", "conversation_ms", c(1, 2)))
study_with <- function(table) {
  file <- tempfile(fileext = ".csv.gz")
  data.table::fwrite(table, file)
  list(tables = list(recorded_times = file))
}

test_that("held-out and fitted conditions are in two tables, marked and counted apart", {
  row <- function(row, clients, state, numbers, off, distance) {
    data.table::data.table(
      row, clients, quantity = "ACK", n = 100L, low = 1, median = 100, high = 120, n_lab = 90L,
      low_lab = 1, median_lab = 100 * (1 + off), high_lab = 130, off, off_least = off - 0.02,
      off_most = off + 0.02, distance, state, numbers)
  }
  x <- rbind(row("CoAP", 1L, "fitted", "separate_ms", 0.04, 0.3),
             row("CoAP", 10L, "held out", "", -0.1, 0.2),
             row("HTTP", 10L, "held out", "", 0.4, 0.21),
             row("MQTT QoS 0", 10L, "partly fitted", "after_publish_ms", 0.02, 0.1))
  grid <- data.table::data.table(row = c("CoAP", "HTTP", "HTTP"), clients = c(10L, 10L, 100L))
  held <- twin_time_table(x, "held out", grid)
  expect_match(grep("^CoAP", held, value = TRUE), "\\textbf{-10} [-12, -8] & \\textbf{0.20}",
               fixed = TRUE)
  expect_match(grep("^HTTP, 10 ", held, value = TRUE), "& 40 [38, 42] & 0.21", fixed = TRUE)
  expect_match(grep("^HTTP, 100", held, value = TRUE), "no capture at hand", fixed = TRUE)
  expect_false(any(grepl("CoAP, 1 ", held, fixed = TRUE)))
  fitted <- twin_time_table(x, c("fitted", "partly fitted"))
  expect_match(grep("^MQTT", fitted, value = TRUE), "partly fitted: after\\_publish\\_ms",
               fixed = TRUE)
  expect_false(any(grepl("HTTP", fitted, fixed = TRUE)))
  numbers <- twin_numbers(x)
  has <- function(name, text) {
    expect_true(sprintf("\\newcommand{\\twTwins%s}{%s}", name, text) %in% numbers, info = name)
  }
  has("HeldTimes", "2")
  has("HeldMedians", "1")
  has("HeldDistances", "1")
  has("HeldMissed", "1")
  has("HeldUnsure", "0")
  has("HeldWorst", "40")
  has("PartlyTimes", "1")
  has("FittedDistances", "0")
})

test_that("the text of a panel stands where its curves do not", {
  curve <- function(cell, value, share) {
    data.table::data.table(cell, source = rep(c("recorded", "lab"), each = length(value)), value,
                           share)
  }
  corners <- twin_corners(rbind(curve("early", c(10, 150, 250), c(0.2, 0.9, 1)),
                                curve("late", c(10, 190, 250), c(0.1, 0.2, 1)),
                                curve("beyond", c(240, 250), c(0.5, 1))))
  expect_equal(corners[, .(cell, right, at)],
               data.table::data.table(cell = c("early", "late", "beyond"), right = c(1, 0, 0),
                                      at = c(300, 0, 0)))
  expect_true(all(corners[right == 0, level] > 0.9))
})

test_that("each fitted factor has words for the paper's table", {
  expect_setequal(names(fit_words), twin_fits$factor)
  expect_equal(fitted_words(c("", "mss, interval_ms")), c("", "segment size, interval"))
  table <- fidelity_table()
  expect_true(any(grepl("segment size", table, fixed = TRUE)))
  expect_false(any(grepl("NA", table, fixed = TRUE)))
})

test_that("each panel of the figure has its distance, its numbers of values and its state", {
  samples <- data.table::data.table(row = "CoAP", clients = 10L, quantity = "ACK",
                                    source = rep(c("recorded", "lab"), c(4L, 2L)),
                                    value = c(1, 2, 3, 4, 3, 4))
  times <- cbind(twin_times(samples), state = "held out", numbers = "")
  notes <- ggplot2::layer_data(twin_figure(samples, times)$plot, 2L)
  expect_equal(notes$label, "held out\nKS 0.50\nn 4, 2")
})

test_that("the table of discrepancies has its classes, in per cent and in points", {
  pairs <- data.table::data.table(
    class = c("packets", "packets", "shares"), condition = c("a", "b", "a"), state = "held out",
    scale = c("ratio", "ratio", "points"), recorded = c(2, 4, 10), ours = c(2.2, 4, 13),
    error = c(0.1, 0, 3), counts = TRUE)
  lines <- discrepancy_table(pairs)
  expect_match(grep("^packets", lines, value = TRUE), "& 2 & 7 [4, 53] & 10 & factor",
               fixed = TRUE)
  expect_match(grep("^shares", lines, value = TRUE), "points & 1 & 3.0 [", fixed = TRUE)
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
  for (name in c("held_out", "fitted", "discrepancy")) {
    expect_match(out$tables[[name]], "no recorded capture")
  }
  expect_true(any(grepl("separate\\_ms & 6 &", out$tables$fits, fixed = TRUE)))
  expect_equal(out$numbers, "\\newcommand{\\twTwinsTrials}{1}")
})
