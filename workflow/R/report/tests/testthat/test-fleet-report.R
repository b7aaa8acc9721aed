# Does the report of several devices pool repetitions, and draw what arrived?

fleet_trial <- function(name, mode, devices, values, repetition = 1) {
  protocol <- if (startsWith(mode, "mqtt")) "mqtt" else "coap"
  key <- c(if (protocol == "mqtt") c(qos = "0") else c(confirmable = "1"))
  given <- c(mode = mode, protocol = protocol, key, devices = devices, interval_ms = "100",
             repetition = repetition)
  list(factors = data.table::data.table(study = "fleet", trial = name, factor = names(given),
                                        value = unname(given)),
       metrics = data.table::data.table(study = "fleet", trial = name, metric = names(values),
                                        value = unname(values)))
}
arrived <- function(delivered, median, ...) {
  c(made = 100, delivered = delivered, delay_median_ms = median, delay_p95_ms = 2 * median,
    first_delivery_max_s = 1.2, fairness_delivered = 0.9, devices_airtime_pct = 5,
    medium_busy_pct = 10, collisions_of_accesses_pct = 3, silent_devices = 0, ...)
}
trials <- list(
  fleet_trial("a", "mqtt-qos0", "2", arrived(100, 3)),
  fleet_trial("b", "mqtt-qos0", "10", arrived(90, 20)),
  fleet_trial("c", "mqtt-qos0", "10", arrived(70, 40), repetition = 2),
  fleet_trial("d", "coap-con", "2", c(made = 100, delivered = 0, silent_devices = 2))
)
metrics <- data.table::rbindlist(lapply(trials, `[[`, "metrics"))
factors <- data.table::rbindlist(lapply(trials, `[[`, "factors"))

test_that("repetitions are pooled by mode and number of devices", {
  x <- summarise_fleet(metrics, factors)
  many <- x[mode == "MQTT QoS 0" & devices == 10]
  expect_equal(many[, .(trials, made, delivered, delivery_pct, delay_median, delay_p95)],
               data.table::data.table(trials = 2L, made = 200, delivered = 160, delivery_pct = 80,
                                      delay_median = 30, delay_p95 = 60))
  expect_equal(unname(c(many$delivery_low, many$delivery_high)), 100 * wilson_interval(160, 200))
  expect_true(is.na(x[devices == 2 & protocol == "CoAP", delay_median]))
})

test_that("figures and table have every mode, also one of which nothing arrived", {
  report <- report_fleet(list(metrics = metrics, factors = factors))
  points <- function(name) {
    nrow(ggplot2::ggplot_build(report$figures[[name]]$plot)$data[[2L]])
  }
  expect_equal(points("density"), 2 * 2) # nothing of CoAP was late, since nothing came
  expect_equal(points("delivery"), 3)
  expect_equal(sum(grepl("CoAP", report$tables$table)), 1)
  expect_equal(nrow(report$data$density), 3)
})

test_that("a factor that the report does not show is refused", {
  other <- data.table::copy(factors)[trial == "c" & factor == "interval_ms", value := "400"]
  expect_error(summarise_fleet(metrics, other), "interval_ms")
})

cells <- function(devices, delivery_pct, delay_p95, mode = "MQTT QoS 0") {
  data.table::data.table(mode = mode, protocol = "MQTT", devices = devices, interval_ms = 100,
                         delivery_pct = delivery_pct, delay_p95 = delay_p95)
}

test_that("the densest cell is the last before one in which messages are late or lost", {
  x <- densest_cells(rbind(cells(c(2, 10, 40), 100, c(5, 100, 101)),
                           cells(c(2, 10, 40), c(100, 98, 100), 20, "MQTT QoS 1"),
                           cells(c(2, 10), 100, 20, "MQTT QoS 2")))
  expect_equal(x$borne, c(10, 2, 10))
  expect_equal(x$next_up, c(40, 10, NA))
  expect_equal(x[1:2, .(late, lost)], data.table::data.table(late = c(TRUE, FALSE),
                                                            lost = c(FALSE, TRUE)))
})

test_that("a mode of which nothing arrived bears no cell", {
  x <- densest_cells(summarise_fleet(metrics, factors))
  expect_equal(x[protocol == "CoAP", .(borne, next_up, lost)],
               data.table::data.table(borne = 0, next_up = 2, lost = TRUE))
  expect_match(densest_table(x), "lost", all = FALSE)
})
