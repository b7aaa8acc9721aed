# Does the model say what its trials say, how far it errs, and where it knows nothing?

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
  expect_equal(fitted$scale, "linear")
  row <- decide_design(data.table::data.table(payload = 40, interval = 60, load = "web-10",
                                              sleep = 1L), "web-10")
  expect_equal(sum(row * fitted$fits[["coap-con"]]$coef), 100 + 80 + 30 + 5)
  expect_lt(max(fitted$errors$error), 1e-9)
})

test_that("a quantity of ratios is fitted as such, and a mode without a load says nothing of it", {
  trials[, ack_ms := exp(1 + payload / 1000 + 2 * sleep)]
  fitted <- fit_quantity(trials, "ack_ms", "web-10")
  expect_equal(fitted$scale, "log")
  place <- which(colnames(decide_design(trials, "web-10")) == "web-10")
  expect_true(is.na(fitted$fits[["udp-plain"]]$coef[place]))
  expect_false(is.na(fitted$fits[["coap-con"]]$coef[place]))
})

test_that("the error of leaving out is that of the condition, not of one of its repetitions", {
  x <- decide_design(trials[mode == "udp-plain"], "web-10")
  y <- rep(10, nrow(x))
  y[1L] <- 20
  condition <- trials[mode == "udp-plain", condition]
  twice <- leave_out(rbind(x, x), c(y, y), c(condition, condition), identity)
  expect_equal(twice$error, leave_out(x, y, condition, identity)$error)
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
