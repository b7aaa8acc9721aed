# Does a trial with several devices become metrics over all of them, and samples of each?

#' A bundle of two devices over a cell. b1 delivers both messages, 2 and 4 ms late; of the three of
#' b2 only number 1 arrives, 10 ms late. Both clocks are 0 half a second after switching on.
two_devices <- function(folder, air = TRUE, groups = NULL) {
  write_bundle(folder)
  write <- function(lines, name) writeLines(lines, file.path(folder, name))
  trial <- jsonlite::fromJSON(file.path(folder, "trial.json"))
  trial$parameters[c("devices", "interval_ms")] <- list(2, 1000)
  trial$parameters$groups <- groups
  write(jsonlite::toJSON(trial, auto_unbox = TRUE), "trial.json")
  write(c('{"t":1,"ev":"up","ip":"10.77.1.1"}', '{"t":1000000,"ev":"sent","seq":1}',
          '{"t":1003000,"ev":"acked","seq":1,"rtt_us":3000}', '{"t":2000000,"ev":"sent","seq":2}'),
        "board.jsonl")
  write(c('{"t":0,"ev":"power_on","device":"b1","at_s":100,"clock_us":500000}',
          '{"t":0,"ev":"power_on","device":"b2","at_s":101,"clock_us":500000}',
          '{"device":"b2","t":1,"ev":"up","ip":"10.77.1.2"}',
          sprintf('{"device":"b2","t":%d000000,"ev":"sent","seq":%d}', 1:3, 1:3),
          '{"device":"b2","t":1005000,"ev":"acked","seq":1,"rtt_us":5000}'), "devices.jsonl")
  write(c('{"t":101.502,"server":"mosquitto","ev":"received","seq":1}',
          '{"t":102.504,"server":"mosquitto","ev":"received","seq":2}',
          '{"t":102.51,"server":"mosquitto","ev":"received","seq":1,"from":"b2"}'), "server.jsonl")
  station <- function(name, up, down) {
    list(name = name, up = list(airtime_s = up), down = list(airtime_s = down))
  }
  link <- list(duration_s = 10, medium = list(busy_s = 2, accesses = 50, collisions = 5),
               stations = list(station("board", 0.2, 0.1), station("b2", 0.05, 0.05),
                               station("server", 1, 1)))
  lab <- c(list(outcome = "ok", reason = "", capture = list(frames = 40, dropped = 0)),
           if (air) list(link = link))
  write(jsonlite::toJSON(lab, auto_unbox = TRUE), "lab.json")
  read_bundle(folder)
}

measured <- function(...) {
  rows <- trial_metrics(two_devices(file.path(tempfile(), "t1"), ...))
  stats::setNames(rows$value, rows$metric)
}

test_that("messages with the same number of two devices are two messages", {
  m <- measured()
  expect_equal(m[c("made", "sent", "delivered", "devices", "captured_frames")],
               c(made = 5, sent = 5, delivered = 3, devices = 2, captured_frames = 40))
  expect_equal(m[["device_delivered_of_made_least_pct"]], 100 / 3)
  expect_equal(m[["device_delivered_of_made_greatest_pct"]], 100)
})

test_that("a message that waited in the backlog is late by that, too", {
  folder <- file.path(tempfile(), "t1")
  two_devices(folder)
  log <- file.path(folder, "board.jsonl")
  lines <- sub('"t":2000000,"ev":"sent"', '"t":2003500,"ev":"sent"', readLines(log))
  writeLines(lines, log)
  x <- bundle_samples(read_bundle(folder))
  expect_equal(sort(x[sample == "delay_ms", value]), c(2, 4, 10), tolerance = 1e-6)
})

test_that("delays count from the moment by the device's clock at which it was due", {
  m <- measured()
  expect_equal(m[c("delay_mean_ms", "delay_median_ms", "delay_max_ms")],
               c(delay_mean_ms = 16 / 3, delay_median_ms = 4, delay_max_ms = 10), tolerance = 1e-6)
  expect_equal(m[["device_delay_median_least_ms"]], 3, tolerance = 1e-6)
  expect_equal(m[["first_delivery_max_s"]], 1.51, tolerance = 1e-9)
  expect_equal(m[["rtt_mean_ms"]], 4)
})

test_that("fairness is Jain's index, of messages and of the air", {
  expect_equal(jain_index(c(1, 1, 1, 1)), 1)
  expect_equal(jain_index(c(8, 0, 0, 0)), 0.25)
  expect_true(is.na(jain_index(c(0, 0))))
  m <- measured()
  expect_equal(m[["fairness_delivered"]], 9 / (2 * 5))
  expect_equal(m[["fairness_airtime"]], 0.4^2 / (2 * (0.3^2 + 0.1^2)))
})

test_that("the servers' station takes no share of the devices' air", {
  m <- measured()
  expect_equal(m[c("devices_airtime_pct", "device_airtime_least_pct", "medium_busy_pct",
                   "collisions_of_accesses_pct")],
               c(devices_airtime_pct = 4, device_airtime_least_pct = 1, medium_busy_pct = 20,
                 collisions_of_accesses_pct = 10))
  over_netem <- measured(air = FALSE)
  expect_false(any(grepl("airtime|medium", names(over_netem))))
  expect_equal(over_netem[["delivered"]], 3)
})

test_that("the samples have a value of each device, in their order", {
  bundle <- two_devices(file.path(tempfile(), "t1"))
  x <- bundle_samples(bundle)
  of <- function(name) x[sample == name, value]
  expect_equal(of("device_delivered_of_made_pct"), c(100, 100 / 3))
  expect_equal(of("device_delay_median_ms"), c(3, 10), tolerance = 1e-6)
  expect_equal(of("device_airtime_pct"), c(3, 1))
  expect_equal(sort(of("delay_ms")), c(2, 4, 10), tolerance = 1e-6)
})

test_that("a device of which nothing arrived is counted", {
  folder <- file.path(tempfile(), "t1")
  two_devices(folder)
  log <- file.path(folder, "server.jsonl")
  writeLines(grep("b2", readLines(log), invert = TRUE, value = TRUE), log)
  rows <- trial_metrics(read_bundle(folder))
  m <- stats::setNames(rows$value, rows$metric)
  expect_equal(m[c("silent_devices", "fairness_delivered", "device_delivered_of_made_least_pct")],
               c(silent_devices = 1, fairness_delivered = 0.5,
                 device_delivered_of_made_least_pct = 0))
})

test_that("a trial of one device has none of these", {
  folder <- file.path(tempfile(), "t1")
  write_bundle(folder)
  bundle <- read_bundle(folder)
  expect_null(bundle$devices)
  expect_false(any(grepl("^fairness|^delay_|^devices", trial_metrics(bundle)$metric)))
})

one_each <- data.frame(devices = c(1, 1), interval_ms = c(NA, 500))

test_that("each group has its deliveries, delays and share of the air", {
  m <- measured(groups = one_each)
  expect_equal(m[c("groups", "group1_devices", "group1_made", "group1_delivered",
                   "group2_made", "group2_delivered", "group1_airtime_pct", "group2_airtime_pct")],
               c(groups = 2, group1_devices = 1, group1_made = 2, group1_delivered = 2,
                 group2_made = 3, group2_delivered = 1, group1_airtime_pct = 3,
                 group2_airtime_pct = 1))
  expect_equal(m[["group2_delivered_of_made_pct"]], 100 / 3)
  expect_equal(m[["group1_delay_median_ms"]], 3, tolerance = 1e-6)
  expect_equal(m[["group2_first_delivery_max_s"]], 1.51, tolerance = 1e-9)
  expect_equal(m[["fairness_delivered_of_made"]], (1 + 1 / 3)^2 / (2 * (1 + 1 / 9)))
})

test_that("a device's messages are due at the interval of its group", {
  bundle <- two_devices(file.path(tempfile(), "t1"), groups = one_each)
  expect_equal(device_intervals(bundle), c(1000, 500))
  log <- file.path(bundle$folder, "server.jsonl")
  late <- '{"t":104.51,"server":"mosquitto","ev":"received","seq":3,"from":"b2"}'
  writeLines(c(readLines(log), late), log)
  x <- bundle_samples(read_bundle(bundle$folder))
  # Number 3 was due one second after number 1, and was handed over two seconds after it.
  expect_equal(max(x[sample == "delay_ms", value]), 1010, tolerance = 1e-6)
})

test_that("a trial without groups has no metrics of groups", {
  expect_false(any(grepl("^group", names(measured()))))
})

test_that("metrics of groups need no cell", {
  m <- measured(air = FALSE, groups = one_each)
  expect_equal(m[["group1_delivered"]], 2)
  expect_false(any(grepl("airtime", names(m))))
})
