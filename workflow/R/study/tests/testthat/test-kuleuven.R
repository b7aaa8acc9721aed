# Do the definitions find KU Leuven's own published numbers in KU Leuven's own captures?

test_that("MQTT QoS 0 with ten clients: 1000 messages in 198 frames are 80.2 % lost", {
  m <- recorded_metrics("mqtt_qos0_pub10", "/control")
  expect_equal(m[["messages"]], 1000)
  expect_equal(m[["frames_with_messages"]], 198)
  expect_equal(m[["messages_behind_first_pct"]], 80.2)
})

test_that("the topic with most messages is the workload's when none is named", {
  # without a topic the ten messages on /connections count, too
  expect_equal(recorded_metrics("mqtt_qos0_pub10")[["messages"]], 1010)
})

test_that("MQTT QoS 1 with ten clients: 3.74 % lost, one crash, 15 s offline", {
  m <- recorded_metrics("mqtt_qos1_pub10", "/control")
  expect_equal(round(m[["messages_behind_first_pct"]], 2), 3.74)
  expect_equal(m[["device_crashes"]], 1)
  expect_equal(round(m[["device_offline_s"]]), 15)
})

test_that("the throughput column is the plateau of Wireshark's graph, read on the left axis", {
  published <- read_published(published_folder(), "kuleuven2019")
  recordings <- listed_recordings()
  # what the graphs show: window of the moving average, its plateau (bit/s), the height printed
  expected <- list(mqtt_qos0_pub1 = c(5, 344, 31), mqtt_qos0_pub10 = c(5, 3440, 669),
                   mqtt_qos0_pub100 = c(5, 35171, 1030), mqtt_qos1_pub1 = c(5, 360, 29),
                   mqtt_qos1_pub10 = c(1, 3600, 270), mqtt_qos2_pub1 = c(1, 392, 16))
  for (name in names(expected)) {
    shown <- recordings[trial == name, cell]
    read_off <- function(what) as.numeric(published[row == shown & column == what, value])
    window <- read_off("moving_average")
    expect_equal(window, expected[[name]][1L], info = name)
    ctx <- measure_context(dissect_recorded(name), recorded_device, "/control", name)
    rows <- stream_metrics(ctx)
    m <- stats::setNames(rows$value, sub(sprintf("_%gs", window), "", rows$metric))
    expect_equal(round(m[["stream_throughput_median_bps"]]), expected[[name]][2L], info = name)
    expect_equal(round(m[["stream_misread_bytes"]]), expected[[name]][3L], info = name)
    # the right axis of the printed graph ends where this average does, within what can be read
    expect_lt(abs(m[["stream_throughput_max_bps"]] / read_off("throughput_max") - 1), 0.02)
  }
})

test_that("the conversations of a capture are those of Fig. 44, packet for packet", {
  found <- conversation_packets(dissect_recorded("mqtt_qos1_pub10"))
  published <- read_published(published_folder(), "kuleuven2019")[location == "Fig. 44"]
  ends <- strsplit(published$row, " - ", fixed = TRUE)
  name <- vapply(ends, function(e) conversation_name(e[1L], e[2L]), "")
  at <- match(paste("conversation_packets", name), found$metric)
  expect_equal(found$value[at], as.numeric(published$value))
})

test_that("CoAP with one client: 100 requests, 89 ms from request to acknowledgement", {
  m <- recorded_metrics("coap_1clients")
  expect_equal(m[["messages"]], 100)
  expect_equal(round(m[["request_ack_mean_ms"]]), 89)
  expect_equal(m[["retransmissions"]], 0)
})

test_that("CoAP with ten clients: 1306 ms are 13 ports that came again", {
  rows <- recording_metrics(dissect_recorded("coap_10clients"), recorded_device, NULL,
                            "coap_10clients")
  m <- setNames(rows$value, rows$metric)
  expect_equal(round(m[["conversation_mean_ms"]]), 1306)
  expect_equal(m[["conversations_of_several"]], 13)
  expect_equal(round(m[["conversation_single_mean_ms"]]), 166)
})

test_that("HTTP with one client: conversations of 128 ms", {
  m <- recorded_metrics("http_1client")
  expect_equal(m[["messages"]], 100)
  expect_equal(floor(m[["conversation_mean_ms"]]), 128)
})

test_that("the device announces an MSS of 1440 and a window of 5744 bytes", {
  for (name in c("http_1client", "mqtt_qos0_pub1", "mqtt_qos0_pub10", "mqtt_qos1_pub10")) {
    m <- recorded_metrics(name)
    expect_equal(m[["device_mss_bytes"]], 1440, info = name)
    expect_equal(m[["device_window_bytes"]], 5744, info = name)
  }
})

test_that("counts are those of tshark's own statistics", {
  for (name in c("mqtt_qos0_pub1", "mqtt_qos0_pub10", "mqtt_qos1_pub10", "mqtt_qos2_pub1",
                 "coap_1clients", "http_1client")) {
    counts <- compare_counts(recorded(name), recorded_device)
    expect_gte(nrow(counts), 5L)
    expect_equal(counts$thinwire, counts$tshark, info = name)
  }
})

test_that("every captured byte is in one account of the ledger", {
  for (name in c("mqtt_qos0_pub1", "mqtt_qos0_pub10", "mqtt_qos1_pub10", "mqtt_qos2_pub1",
                 "coap_1clients", "http_1client")) {
    m <- recorded_metrics(name)
    expect_equal(sum(m[startsWith(names(m), "ledger_")]), m[["captured_bytes"]], info = name)
    p <- dissect_recorded(name)
    expect_equal(sum(p$len), m[["captured_bytes"]], info = name)
  }
})
