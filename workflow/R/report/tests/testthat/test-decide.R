# Does the model reproduce its trials, state its error, and refuse what it cannot predict?

trials <- data.table::CJ(mode = c("coap-con", "udp-plain"), payload = c(10, 1000),
                         interval = c(0.1, 1, 60), sleep = 0:1)
trials[, load := "idle"]
trials <- rbind(trials, data.table::data.table(mode = "coap-con", payload = 10, interval = 1,
                                               sleep = 0L, load = "web-10"))
trials[, condition := paste(payload, interval, load, sleep)]
true_bytes <- function(t) 100 + 2 * t$payload + 30 * (t$load == "web-10") + 5 * t$sleep

test_that("a linear quantity is found again, with no error of leaving out", {
  trials[, bytes := true_bytes(trials)]
  fitted <- fit_quantity(trials, "bytes", "web-10")
  fit <- fitted[["coap-con"]]
  expect_equal(fit$scale, "linear")
  row <- decide_design(data.table::data.table(payload = 40, interval = 60, load = "web-10",
                                              sleep = 1L), "web-10")
  expect_equal(sum(row * fit$coef, na.rm = TRUE), 100 + 80 + 30 + 5)
  expect_lt(max(fit$errors$error), 1e-9)
  expect_equal(c(fit$payload, fit$interval), c(10, 1000, 0.1, 60))
})

test_that("a quantity of ratios is fitted as such, and a mode without a load says nothing of it", {
  trials[, ack_ms := exp(1 + payload / 1000 + 2 * sleep)]
  fitted <- fit_quantity(trials, "ack_ms", "web-10")
  expect_equal(fitted[["coap-con"]]$scale, "log")
  place <- which(colnames(decide_design(trials, "web-10")) == "web-10")
  expect_true(is.na(fitted[["udp-plain"]]$coef[place]))
  expect_false(is.na(fitted[["coap-con"]]$coef[place]))
})

test_that("each mode has the scale in which it errs least", {
  trials[, ack_ms := data.table::fifelse(mode == "coap-con", exp(1 + payload / 1000 + 2 * sleep),
                                         5 + payload / 100)]
  fitted <- fit_quantity(trials, "ack_ms", "web-10")
  expect_equal(fitted[["coap-con"]]$scale, "log")
  expect_equal(fitted[["udp-plain"]]$scale, "linear")
})

test_that("one large payload does not decide what a small one takes", {
  far <- trials[mode == "udp-plain"][rep(seq_len(.N), 2L)]
  far[, bytes := true_bytes(far)]
  large <- data.table::copy(far[1:2])[, `:=`(payload = 15360, condition = "large",
                                             bytes = 1.2 * (100 + 2 * 15360))]
  fit <- fit_quantity(rbind(far, large), "bytes", "web-10")[["udp-plain"]]
  expect_equal(fit$scale, "relative")
  row <- decide_design(data.table::data.table(payload = 40, interval = 1, load = "idle",
                                              sleep = 0L), "web-10")
  expect_equal(sum(row * fit$coef, na.rm = TRUE), 180, tolerance = 0.05)
})

test_that("no fit falls with the payload", {
  trials[, ack_ms := 50 - payload / 100 + sleep]
  fit <- fit_quantity(trials, "ack_ms", "web-10")[["coap-con"]]
  place <- which(colnames(decide_design(trials, "web-10")) == "kilobytes")
  expect_equal(fit$coef[place], 0)
  expect_true(all(fit$cov[place, ] == 0))
})

test_that("a scale that goes below the floor between its payloads is none", {
  one <- trials[mode == "udp-plain"]
  one[, bytes := 54 + payload + 5 * sleep]
  floor <- list(`udp-plain` = decide_floors("udp"))
  expect_equal(fit_quantity(one, "bytes", "web-10", floor)[["udp-plain"]]$scale, "linear")
  one[, bytes := (1 + sleep) * exp(log(60) + (payload - 10) / 990 * log(1100 / 60))] # a curve
  expect_equal(fit_quantity(one, "bytes", "web-10")[["udp-plain"]]$scale, "log")
  expect_false(identical(fit_quantity(one, "bytes", "web-10", floor)[["udp-plain"]]$scale, "log"))
  one[, bytes := payload] # without its headers
  expect_length(fit_quantity(one, "bytes", "web-10", floor), 0L)
})

test_that("the floors are those of the headers, and of a frame at the highest rate", {
  expect_equal(floor_at(decide_floors("tcp")$bytes, 40), 94)
  expect_equal(floor_at(decide_floors("udp")$bytes, 40), 82)
  # 54 bytes of IP and TCP headers and payload, 38 of the MAC's, 4 of its check sequence
  airtime <- floor_at(decide_floors("tcp")$airtime_us, 40)
  expect_lte(airtime, ppdu_airtime_us("ht", 65, 40 + 40 + 38 + 4))
  expect_gt(airtime, ppdu_airtime_us("ht", 65, 40 + 40 + 38 + 4) - 8)
})

test_that("the RAM is the highest of the trials up to a payload", {
  own <- data.table::data.table(payload = c(1000, 10, 10, 100), heap = c(900, 500, 600, 550),
                                stack = c(80, 100, 90, 120))
  expect_equal(memory_by_payload(own, 1000)$payload, c(10, 100, 1000))
  expect_equal(memory_by_payload(own, 1000)$ram, 1000 + c(600 + 100, 600 + 120, 900 + 120))
})

test_that("the error of leaving out is that of the condition, not of one of its repetitions", {
  x <- decide_design(trials[mode == "udp-plain"], "web-10")
  y <- rep(10, nrow(x))
  y[1L] <- 20
  condition <- trials[mode == "udp-plain", condition]
  linear <- decide_scales$linear
  twice <- leave_out(rbind(x, x), c(y, y), c(condition, condition), linear)
  expect_equal(twice$error, leave_out(x, y, condition, linear)$error)
  expect_gt(twice[condition == trials$condition[1L], error], 0.3)
})

test_that("what the fit's interval covers is R's own", {
  one <- trials[mode == "coap-con"]
  set.seed(1)
  one[, y := true_bytes(one) + stats::rnorm(.N)]
  x <- decide_design(one, "web-10")
  fit <- fit_terms(x, one$y)
  model <- stats::lm(y ~ 0 + x, list(y = one$y, x = x))
  expect_equal(fit$coef, unname(stats::coef(model)))
  expect_equal(fit$cov, unname(stats::vcov(model)))
  weights <- 1 / one$y^2
  fit <- fit_terms(x, one$y, weights)
  model <- stats::lm(y ~ 0 + x, list(y = one$y, x = x), weights = weights)
  expect_equal(fit$coef, unname(stats::coef(model)))
  expect_equal(fit$cov, unname(stats::vcov(model)))
})

test_that("only trials that differ in what the reader asks for are compared", {
  folder <- file.path(tempfile(), "t1")
  write_bundle(folder) # for what a trial has beside its parameters
  stored <- trial_factors(read_bundle(folder))
  common <- replace(setNames(stored$value, stored$factor),
                    c("role", "link", "wifi_standard", "background_profile", "modem_sleep"),
                    c("publish", "air", "n", "none", "0"))
  trial <- function(name, ...) {
    values <- replace(common, ...names(), c(...))
    data.table::data.table(study = "s", trial = name, factor = names(values), value = values)
  }
  factors <- rbind(trial("a", modem_sleep = "1"), trial("b", server_link = "station"),
                   trial("c", wifi_standard = "g"), trial("d", link = "netem"),
                   trial("e", nagle = "1"), trial("f", background_profile = "web",
                                                  background_load_mbps = "10"),
                   trial("g", board = "zephyr"))
  expect_equal(wide_factors(factors)[decide_comparable(wide_factors(factors)), trial],
               c("a", "f"))
})

test_that("a mode's guarantee follows from its parameters", {
  promised <- function(mode) {
    name <- strsplit(mode, " ")[[1L]]
    guarantees[guarantee_of(protocol_table()[[name[1L]]]$modes[[name[2L]]])]
  }
  expect_equal(vapply(c("mqtt qos0", "mqtt qos1", "mqtt qos2", "mqttsn qos-1", "coap non",
                        "coap con", "http each", "amqp plain"), promised, "", USE.NAMES = FALSE),
               c("at-most-once", "at-least-once", "exactly-once", "at-most-once", "at-most-once",
                 "at-least-once", "at-least-once", "at-most-once"))
})
