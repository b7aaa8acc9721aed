# Are recorded captures compared with the trials of their cells, is it known what was fitted, and
# does what was not fitted give the model's discrepancy?

sample_of <- function(study, trial, sample, value) {
  data.table::data.table(study = study, trial = trial, sample = sample, value = value)
}
metric_of <- function(study, trial, metric, value) {
  data.table::data.table(study = study, trial = trial, metric = metric, value = value)
}
trial_of <- function(trial, ...) {
  given <- c(..., start_spread_ms = "0", modem_sleep = "1")
  data.table::data.table(study = "twins", trial = trial, factor = names(given),
                         value = unname(given))
}
tables <- list(
  factors = rbind(
    trial_of("a", protocol = "mqtt", qos = "1", clients = "10", broker_nagle = "1",
             broker_in_flight = "1", quirks = "first_message_per_segment"),
    trial_of("b", protocol = "coap", clients = "10"), trial_of("c", protocol = "http",
                                                               clients = "1")),
  samples = rbind(
    sample_of("recordings", "mqtt_qos1_pub10", "device_ack_rtt_ms", c(10, 20, 30, 40)),
    sample_of("recordings", "mqtt_qos1_pub10", "conversation_ms", 5000),
    sample_of("recordings", "coap_10clients", "request_ack_ms", c(100, 101, 102, 103, 104)),
    sample_of("recordings", "coap_10clients", "response_ms", c(105, 106)),
    sample_of("recordings", "http_10clients", "conversation_ms", c(50, 60)),
    sample_of("twins", "a", "device_ack_rtt_ms", c(10, 20, 30, 300)),
    sample_of("twins", "b", "request_ack_ms", c(100, 101, 102, 103, 200)),
    sample_of("twins", "b", "response_ms", c(206, 216)),
    sample_of("twins", "c", "conversation_ms", c(1, 2))),
  metrics = rbind(
    metric_of("recordings", c("mqtt_qos1_pub10", "coap_10clients", "http_10clients"),
              "bytes_per_message", c(200, 100, 900)),
    metric_of("twins", c("a", "b", "c"), "bytes_per_message", c(220, 100, 900)),
    metric_of("recordings", "coap_10clients", "device_loss_pct", 1.5),
    metric_of("twins", "b", "device_loss_pct", 0)))
pairs <- fidelity_pairs(tables)

test_that("what was recorded and run is compared; what lacks a twin is left out", {
  expect_equal(unique(pairs$condition), c("MQTT QoS 1, 10 clients", "CoAP, 10 clients"))
  expect_equal(pairs$metric, c("device_ack_rtt_ms", "bytes_per_message", "request_ack_ms",
                               "response_ms", "bytes_per_message", "device_loss_pct"))
  expect_equal(pairs$class[c(1L, 2L, 6L)], c("times of 5 to 250 ms", "bytes", "losses"))
  expect_equal(pairs$recorded, c(25, 200, 102, 105.5, 100, 1.5))
  expect_equal(pairs$ours, c(25, 220, 102, 211, 100, 0))
  expect_equal(pairs$error, c(0, 0.1, 0, 1, 0, -1.5))
  expect_equal(pairs$distance[c(1L, 3L)], c(0.25, 0.2))
  expect_equal(pairs$n[1L], 4L)
  expect_equal(pairs$n_ours[3L], 5L)
})

test_that("each condition says what was fitted on it", {
  expect_equal(pairs$state[c(1L, 3L)], c("partly fitted", "held out"))
  expect_equal(pairs$numbers[c(1L, 3L)], c("broker_in_flight", ""))
  of <- fit_state(c("coap_1clients", "mqtt_qos0_pub10", "mqtt_qos2_pub10", "http_10clients"))
  expect_equal(of$state, c("fitted", "partly fitted", "held out", "held out"))
  expect_equal(of$numbers[1:2], c("sleep_wake_pct, payload_bytes, separate_ms, think_time",
                                  "after_publish_ms"))
})

test_that("two times of one exchange count once for their condition", {
  expect_equal(pairs[class == "times of 5 to 250 ms", counts], c(TRUE, TRUE, FALSE))
})

test_that("without captures there is no pair", {
  own <- list(factors = tables$factors, samples = tables$samples[study == "twins"],
              metrics = tables$metrics[study == "twins"])
  expect_equal(nrow(fidelity_pairs(own)), 0L)
})

test_that("the discrepancy is that of the conditions that were held out", {
  row <- function(class, scale, state, recorded, ours, counts = TRUE) {
    data.table::data.table(class, scale, state, recorded, ours, counts, error = ours - recorded)
  }
  x <- rbind(row("bytes", "ratio", "held out", 100, 110), row("bytes", "ratio", "held out", 50, 45),
             row("bytes", "ratio", "held out", 50, 500, FALSE),
             row("bytes", "ratio", "partly fitted", 50, 500),
             row("shares", "points", "held out", 1, 0))
  out <- model_discrepancy(x, level = 0.95)
  s <- sqrt((log(1.1)^2 + log(0.9)^2) / 2)
  expect_equal(out$class, c("bytes", "shares"))
  expect_equal(out$n, 2:1)
  expect_equal(out$rms, c(s, 1))
  expect_equal(out$worst, c(1 / 0.9, 1))
  expect_equal(out$reach, c(exp(4.302653 * s), 12.7062), tolerance = 1e-6)
  expect_true(all(out$rms_least < out$rms & out$rms < out$rms_most))
})

test_that("the reach holds the next condition as often as its level says", {
  keep_random_state({
    set.seed(20190520L, kind = "Mersenne-Twister", normal.kind = "Inversion")
    inside <- vapply(1:4000, function(i) {
      x <- data.table::data.table(class = "bytes", scale = "points", state = "held out",
                                  recorded = 0, ours = 0, error = stats::rnorm(4L), counts = TRUE)
      abs(stats::rnorm(1L)) <= model_discrepancy(x, level = 0.9)$reach
    }, NA)
  })
  expect_equal(mean(inside), 0.9, tolerance = 0.02)
})

test_that("the median of 100 lies between the 40th and the 61st", {
  expect_equal(median_interval(100:1), list(least = 40L, most = 61L))
})

test_that("the interval of a ratio of medians holds the true ratio", {
  keep_random_state({
    set.seed(20190520L, kind = "Mersenne-Twister", normal.kind = "Inversion")
    held <- vapply(1:500, function(i) {
      x <- ratio_interval(stats::rexp(100L), 1.3 * stats::rexp(60L))
      x$off_least <= 0.3 && x$off_most >= 0.3
    }, NA)
  })
  expect_gte(mean(held), 0.95)
})

kept <- read_table(file.path(Sys.getenv("THINWIRE_TOP"), recorded_fidelity))

test_that("the kept table is consistent with what was fitted and with its own numbers", {
  expect_equal(kept[, .(state, numbers = data.table::fifelse(is.na(numbers), "", numbers))],
               fit_state(kept$capture))
  ratio <- kept$scale == "ratio"
  expect_equal(kept$error, ifelse(ratio, kept$ours / kept$recorded - 1, kept$ours - kept$recorded),
               tolerance = 1e-8)
  expect_setequal(kept[state == "held out" & counts, unique(class)], model_discrepancy(kept)$class)
  expect_setequal(kept[state == "held out", unique(capture)],
                  c("mqtt_qos0_pub100", "mqtt_qos2_pub10", "coap_10clients", "http_10clients"))
})

test_that("the kept table's recorded values are those of the captures", {
  for (name in c("coap_1clients", "mqtt_qos2_pub1")) {
    own <- kept[capture == name & startsWith(class, "times")]
    p <- dissect_recorded(name)
    topic <- listed_recordings()[trial == name, topic]
    capture <- reduce_capture(p, recorded_device, topic, name)
    samples <- capture_samples(capture)
    for (i in seq_len(nrow(own))) {
      values <- samples[sample == own$metric[i], value]
      expect_equal(median(values), own$recorded[i], tolerance = 1e-8, info = own$metric[i])
      expect_equal(length(values), own$n[i])
    }
  }
})
