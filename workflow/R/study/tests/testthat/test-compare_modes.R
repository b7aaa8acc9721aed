# Are two modes of a study compared condition by condition, and are other studies' words refused?

# Five runs of each mode at two payloads. MQTT takes 100 bytes and 3 ms more; its runs scatter.
write_modes <- function(folder) {
  rows <- data.table::CJ(mode = c("coap-con", "mqtt-qos1"), payload_bytes = c(10, 100), run = 1:5)
  rows[, trial := paste0(mode, "_payload", payload_bytes, "_r", run)]
  more <- rows$mode == "mqtt-qos1"
  factors <- rows[, .(study = "s", trial, factor = rep(c("mode", "payload_bytes", "qos", "link",
                                                         "repetition"), each = .N),
                      value = c(mode, payload_bytes, ifelse(more, 1, ""), rep("air", .N), run))]
  metric <- function(name, value, unit) {
    rows[, .(study = "s", trial, metric = name, value = value, unit = unit, n = 10)]
  }
  metrics <- rbind(metric("outcome_ok", 1, ""),
                   metric("bytes_per_message", 90 + rows$payload_bytes + 100 * more, "bytes"),
                   metric("rtt_median_ms", 5 + 3 * more + rows$run / 100, "ms"),
                   metric("exchange_bytes_per_message", 200 + rows$run, "bytes"),
                   metric("con_attempts_max", 1, "attempts"))
  samples <- rows[, .(study = "s", trial, sample = "rtt_ms", value = 5 + 3 * more)]
  tables <- list(metrics = metrics, factors = factors, samples = samples)
  files <- file.path(folder, paste0(names(tables), ".csv"))
  Map(data.table::fwrite, tables, files)
  read_results(files)
}

folder <- tempfile("modes")
dir.create(folder)
results <- write_modes(folder)

test_that("each condition has its rows, and the margin decides", {
  found <- compare_modes(results, c("coap-con", "mqtt-qos1"))
  expect_setequal(found$rows$condition, c("payload_bytes=10", "payload_bytes=100"))
  bytes <- found$rows[metric == "bytes_per_message" & condition == "payload_bytes=100"]
  expect_equal(c(bytes$a, bytes$b, bytes$runs_a, bytes$margin), c(190, 290, 5, 1))
  expect_equal(bytes$verdict, "differs")
  expect_equal(found$rows[metric == "rtt_median_ms", distance], c(1, 1))
})

test_that("a metric without a margin is undecided where its interval holds zero", {
  found <- compare_modes(results, c("coap-con", "mqtt-qos1"))
  expect_setequal(found$rows[metric == "exchange_bytes_per_message", verdict], "undecided")
})

test_that("all metrics with a margin are compared only if asked for", {
  modes <- c("coap-con", "mqtt-qos1")
  expect_false("con_attempts_max" %in% compare_modes(results, modes)$rows$metric)
  expect_true("con_attempts_max" %in% compare_modes(results, modes, everything = TRUE)$rows$metric)
})

test_that("a point chooses its trials, and a level or mode without trials is an input error", {
  found <- compare_modes(results, c("coap-con", "mqtt-qos1"), "payload_bytes=10")
  expect_equal(unique(found$rows[metric == "bytes_per_message", a]), 100)
  expect_error(compare_modes(results, c("coap-con", "mqtt-qos1"), "payload_bytes=11"),
               "no trial of study s; it has 10, 100", class = "thinwire_input_error")
  expect_error(compare_modes(results, c("coap-con", "udp-ack")),
               "--modes: udp-ack: has no trial in study s", class = "thinwire_input_error")
})
