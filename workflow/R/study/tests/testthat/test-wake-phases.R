# Are the phases of a waking those of the log and of the cell, with their frames and charges?

AP <- "02:00:00:00:00:aa"
MAC <- "02:00:00:00:00:01"

#' A log of two starts, the second from deep sleep; `more` events of each, named by their times, ms.
log_of <- function(...) {
  more <- c(...)
  times <- c(boot = 0, more, sleeping = 300)
  one <- data.table::data.table(t = 1e3 * times, ev = names(times), reason = NA_character_)
  two <- data.table::copy(one)[, t := t + 1e7]
  one[ev == "boot", reason := "power_on"]
  two[ev == "boot", reason := "deep_sleep"]
  rbind(one, two)
}

joins <- data.frame(began_s = c(5.002, 15.002), scanned_s = c(5.122, 15.122),
                    associated_s = c(5.127, 15.127), joined_s = c(5.135, 15.135))

phases_of <- function(...) wake_phase_times(log_of(...), joins)

test_that("log and cell meet where the radio has joined, and the first start is no waking", {
  x <- phases_of(linked = 135, leased = 143, up = 144, connected = 147, sent = 147.5, acked = 148)
  expect_equal(x$phase, c("start", "scan", "join", "address", "session", "message", "answer",
                          "wind_down"))
  expect_equal(unique(x$waking), 1L)
  expect_equal(x$begin[1], 15)
  expect_equal(1e3 * (x$end - x$begin), c(2, 120, 13, 8, 4, 0.5, 0.5, 152))
})

test_that("a device that asks for nothing has neither address nor name nor time", {
  x <- phases_of(up = 135, secured = 400, connected = 410, sent = 411, acked = 412)
  expect_equal(x$phase[4:5], c("tls", "session"))
  expect_false(any(c("address", "name", "time") %in% x$phase))
})

test_that("the start that ends the run is no waking", {
  board <- log_of(up = 135)
  expect_null(wake_phase_times(board[-.N], joins))
})

test_that("a device that lost its cell meanwhile has no phases", {
  expect_null(wake_phase_times(log_of(up = 135), rbind(joins, joins[2, ])))
  expect_null(wake_phase_times(log_of(up = 135), NULL))
})

frames <- data.table::data.table(
  time = c(15.001, 15.003, 15.0035, 15.1223, 15.1224, 15.1225, 15.2),
  transmitter = c(AP, MAC, "", AP, "", MAC, AP),
  receiver = c(AP, AP, MAC, MAC, AP, AP, "02:00:00:00:00:09"),
  modulation = "ofdm", bytes = c(100, 60, 14, 60, 14, 200, 100),
  airtime_us = c(50, 40, 10, 40, 10, 60, 50))

test_that("an acknowledgement is of the station that its frame was for", {
  mine <- station_frames(frames, MAC)
  expect_equal(mine$time, frames$time[2:6])
  expect_equal(mine$sent, c(TRUE, FALSE, FALSE, TRUE, TRUE))
})

test_that("a phase's charge is that of its own frames and of listening the rest of the time", {
  x <- wake_phase_costs(phases_of(up = 135, connected = 137, sent = 138, acked = 139),
                        station_frames(frames, MAC))
  start <- x[phase == "start"]
  expect_equal(start$frames, 0L)
  expect_equal(c(start$least_uc, start$greatest_uc), 2 * c(15, 16))
  scan <- x[phase == "scan"]
  expect_equal(c(scan$frames, scan$bytes), c(2, 74))
  expect_equal(scan$least_uc, 0.04 * 140 + (120 - 0.04) * 56)
  expect_equal(scan$greatest_uc, 0.04 * 145 + (120 - 0.04) * 70)
  join <- x[phase == "join"]
  expect_equal(c(join$frames, join$bytes), c(3, 274))
  expect_equal(join$least_uc, 0.07 * 140 + (13 - 0.07) * 56)
})

test_that("the phases of a waking add up to the whole", {
  station <- list(mac = MAC, joins = joins)
  bundle <- list(board = log_of(up = 135, connected = 137, sent = 138, acked = 139),
                 trial = list(parameters = list(deep_sleep = TRUE)))
  x <- wake_phase_metrics(bundle, frames, station)
  of <- function(pattern) x[grepl(pattern, metric), sum(value)]
  expect_equal(of("^wake_mean_ms$"), 300)
  for (what in c("mean_ms", "bytes", "frames", "charge_least_uc", "charge_greatest_uc")) {
    parts <- sprintf("^wake_(start|scan|join|session|message|answer|wind_down)_%s$", what)
    expect_equal(of(parts), of(sprintf("^wake_%s$", what)), info = what)
  }
  bundle$trial$parameters$deep_sleep <- FALSE
  expect_null(wake_phase_metrics(bundle, frames, station))
})

# A physical board has neither times of the cell nor a capture of the whole air.
test_that("a physical board's phases are those of its log", {
  board <- log_of(joining = 2, linked = 135, leased = 143, up = 144, connected = 147, sent = 147.5,
                  acked = 148)
  x <- wake_logged_times(board)
  expect_equal(x$phase, c("start", "scan_join", "address", "session", "message", "answer",
                          "wind_down"))
  expect_equal(unique(x$waking), 1L)
  expect_equal(1e3 * (x$end - x$begin), c(2, 133, 8, 4, 0.5, 0.5, 152))
  bundle <- list(board = board, trial = list(parameters = list(deep_sleep = TRUE)))
  metrics <- wake_logged_metrics(bundle)
  expect_equal(metrics[metric == "wake_mean_ms", value], 300)
  expect_equal(metrics[metric == "wake_scan_join_mean_ms", value], 133)
  expect_equal(metrics[metric != "wake_mean_ms", sum(value)], 300)
})

test_that("the lab's device does not say when its radio is turned on", {
  board <- log_of(up = 135, connected = 137)
  expect_null(wake_logged_times(board))
  bundle <- list(board = board, trial = list(parameters = list(deep_sleep = TRUE)))
  expect_null(wake_logged_metrics(bundle))
  bundle$trial$parameters$deep_sleep <- FALSE
  bundle$board <- log_of(joining = 2, up = 135)
  expect_null(wake_logged_metrics(bundle))
})

test_that("the air of a physical board is not the laboratory's", {
  trial <- function(testbed, link) {
    in_cell(list(trial = list(testbed = testbed, parameters = list(link = link))))
  }
  expect_true(trial("virtual", "air"))
  expect_false(trial("virtual", "netem"))
  expect_false(trial("hardware", "air"))
})
