# Is each phase of a wake-up the mean over the trials with the level that decides it?

#' A trial in the long form of the tables: its factors, and the time and charges of its phases.
trial_of <- function(study, trial, factors, ...) {
  ms <- c(...)
  rows <- function(what, value) {
    data.table::data.table(study = study, trial = trial,
                           metric = sprintf("wake_%s_%s", names(ms), what), value = value)
  }
  list(factors = data.table::data.table(study = study, trial = trial, factor = names(factors),
                                        value = unname(factors)),
       metrics = rbind(rows("mean_ms", ms), rows("charge_least_uc", 50 * ms),
                       rows("charge_greatest_uc", 100 * ms)))
}

trials <- list(
  trial_of("wake", "a", c(mode = "mqtt-qos1", join = "cached", payload_bytes = "30"),
           start = 2, scan = 120, join = 4, session = 3, wind_down = 100),
  trial_of("wake", "b", c(mode = "mqtt-qos1", join = "scan", wifi_security = "wpa2-psk",
                          address_assignment = "dhcp", payload_bytes = "30"),
           start = 4, scan = 1600, join = 12, address = 8, session = 3, wind_down = 100),
  trial_of("wake", "c", c(mode = "mqtt-qos1", join = "cached", wifi_security = "wpa2-psk",
                          security = "chain", resume = "1", payload_bytes = "30"),
           start = 2, scan = 122, join = 14, tls = 21, wind_down = 100),
  trial_of("wake-modes", "d", c(mode = "coap-con", join = "cached", wifi_security = "wpa2-psk",
                                payload_bytes = "30"),
           start = 2, scan = 121, join = 13, answer = 2, wind_down = 100),
  trial_of("other", "e", c(mode = "mqtt-qos1", join = "cached"), start = 99, scan = 9999))
factors <- data.table::rbindlist(lapply(trials, `[[`, "factors"))
metrics <- data.table::rbindlist(lapply(trials, `[[`, "metrics"))

test_that("a phase before the protocol is the mean over its level", {
  steps <- data.table::rbindlist(lapply(decide_wakes(factors, metrics)$steps, as.data.frame))
  of <- function(name, of_level) steps[phase == name & level == of_level, ms]
  expect_equal(of("start", ""), 2.5)
  expect_equal(of("scan", "cached"), 121)
  expect_equal(of("scan", "scan"), 1600)
  expect_equal(of("join", "open"), 4)
  expect_equal(of("join", "wpa2-psk"), 13)
  expect_equal(of("address", "dhcp"), 8)
  expect_equal(nrow(steps), 6)
  expect_equal(steps$least_uc, 50 * steps$ms)
})

test_that("a mode has its own phases, and TLS those of its session", {
  modes <- decide_wakes(factors, metrics)$modes
  names <- vapply(modes, function(m) paste(m$mode, m$security, m$session), "")
  expect_setequal(names, c("mqtt-qos1 chain kept", "coap-con none "))
  coap <- modes[[which(names == "coap-con none ")]]
  expect_equal(vapply(coap$phases, `[[`, "", "phase"), c("answer", "wind_down"))
  expect_equal(coap$phases[[1L]]$greatest_uc, 200)
})

test_that("without a wake-up there is nothing to say", {
  expect_null(decide_wakes(factors[study == "other"], metrics[study == "other"]))
})
