# Is a capture drawn as it was measured, a page each, the same bytes each time?

examined <- function(file, device = "10.0.0.2") {
  samples <- tempfile(fileext = ".csv")
  options <- analyze_options(c("--capture", file, "--device", device, "--samples", samples))
  held <- NULL
  draw <- function(results, file) {
    held <<- results[[1]]
    held$samples <<- tempfile(fileext = ".csv")
    file.copy(results[[1]]$samples, held$samples)
  }
  suppressMessages(measure_captures(options, draw))
  held
}

#' A device that publishes `n` messages at QoS 1, the second of them twice.
publisher <- function(n, acked = TRUE) {
  talk <- tcp_conversation()
  talk$open()
  for (i in seq_len(n)) {
    talk$now <- 1000 + i
    talk$say("client", mqtt_publish("t", "hello", qos = 1, id = i), ack = FALSE)
    if (i == 2) talk$say("client", mqtt_publish("t", "hello", qos = 1, id = i, dup = TRUE))
    if (acked) talk$say("server", mqtt_puback(i), ack = FALSE)
  }
  write_pcap(talk$frames, talk$times)
}

test_that("the panels show every message, round trip and byte", {
  result <- examined(publisher(12))
  panels <- capture_panels(result)
  bars <- panels$messages$data
  expect_equal(sum(bars$N), 12)
  expect_equal(bars[part == "repeated", sum(N)], 1)
  expect_equal(nrow(panels$trips$data), 12)
  metric <- function(name) result$metrics$value[result$metrics$metric == name]
  expect_equal(stats::median(panels$trips$data$value), metric("request_ack_median_ms"),
               tolerance = 1e-6)
  expect_equal(sum(panels$bytes$data$bytes) * 12, metric("captured_bytes"))
})

test_that("of many times every k-th is drawn, and the axis says so", {
  old <- most_points
  environment(panel_trips)$most_points <- 5L
  on.exit(environment(panel_trips)$most_points <- old)
  trips <- capture_panels(examined(publisher(12)))$trips
  expect_equal(nrow(trips$data), 4)
  expect_equal(trips$labels$y, "time of a message, ms (one in 3)")
})

test_that("intervals are round numbers, 60 to 150 of them", {
  expect_equal(vapply(c(0, 0.3, 7, 90, 100, 3600, 86400), nice_width, 0),
               c(1, 0.002, 0.05, 1, 1, 50, 1000))
})

test_that("captures are pages of a PDF or one PNG, the same bytes twice", {
  one <- examined(publisher(5))
  silent <- examined(publisher(5, acked = FALSE))
  pages <- function(file) {
    length(grepRaw("/Type */Page[^s]", readBin(file, "raw", file.size(file)), all = TRUE))
  }
  files <- tempfile(fileext = c(".pdf", ".pdf", ".png", ".png"))
  for (file in files[1:2]) plot_captures(list(one, silent), file)
  for (file in files[3:4]) plot_captures(list(one), file)
  sums <- unname(tools::md5sum(files))
  expect_identical(sums[c(1, 3)], sums[c(2, 4)])
  expect_equal(pages(files[1]), 2)
  expect_identical(readBin(files[3], "raw", 4), as.raw(c(0x89, 0x50, 0x4e, 0x47)))
})

test_that("an axis of counts has whole ticks, and the legend the colour of the one protocol", {
  expect_equal(whole_breaks(c(0, 1.05)), 0:1)
  expect_true(all(whole_breaks(c(0, 7)) %% 1 == 0))
  key <- function(...) {
    guide <- scale_parts(c("a", "b"), ...)$guide
    known <- if (is.null(guide$params)) guide else guide$params # ggplot2 before 3.5
    known$override.aes$fill
  }
  expect_equal(key(protocol = c("CoAP", "CoAP")), protocol_colours()[["CoAP"]])
  expect_equal(key(protocol = c("CoAP", "MQTT")), "#333333")
  expect_equal(key(), "#333333")
})
