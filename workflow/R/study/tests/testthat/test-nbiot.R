# Do the rules of the NB-IoT claims decide as they say, and are the curves read as they should be?

#' Runs of five seeds in which everything the study says is true.
nbiot_example <- function() {
  x <- data.table::CJ(stack = names(nbiot_stacks), payload_bytes = c(25, 400),
                      load = c(0.5, 1, 1.5, 2, 3, 4, 6), seed = 1:5, sorted = FALSE)
  rank <- c("coap-non" = 4.6, "coap-con" = 3.6, mqtt = 1.5)[x$stack] -
    ifelse(x$payload_bytes == 400, 0.4, 0)
  over <- pmax(x$load - rank, 0)
  x[, `:=`(variant = "base", not_served_pct = pmin(100, 0.2 + 12 * over),
           device_throughput_bps = payload_bytes * 20 * (rank / 5) / (1 + load / rank),
           cell_throughput_bps = 8 * payload_bytes * (load - over^1.5),
           lowest_path_gain_db = -150 + load - rank,
           retransmissions_per_report = 0.01 * load, downlink_use_pct = load / rank,
           uplink_use_pct = load / rank, energy_mj = 200 / rank)]
  x[stack == "coap-con", lowest_path_gain_db := lowest_path_gain_db - 4]
  x[stack == "coap-non" & payload_bytes == 400 & load == 2, not_served_pct := 1.5]
  x[stack == "mqtt" & load == 1.5, not_served_pct := 2]
  x[stack == "mqtt" & load == 2, not_served_pct := 5]
  x[stack == "mqtt" & load > 2, not_served_pct := 10 + 5 * load]
  x[]
}

#' Sites farther apart leave more devices of MQTT unserved.
distances <- data.table::CJ(variant = c("base", "site-distance-3500", "site-distance-5000"),
                            stack = names(nbiot_stacks), load = 1:4)
distances[, not_served_pct := c(0.1, 5, 30)[match(variant, unique(variant))]]

decided <- function(runs) nbiot_claims(list(runs = runs, sensitivity = distances))

verdicts <- function(runs) {
  claims <- decided(runs)
  stats::setNames(claims$verdict, sub("ericsson-", "", claims$claim))
}

test_that("a curve crosses a level between the loads around it", {
  expect_equal(crossing_load(c(1, 2, 4), c(0, 0, 10), 5), 3)
  expect_equal(crossing_load(c(4, 1, 2), c(10, 0, 0), 5), 3)
  expect_equal(crossing_load(c(1, 2), c(7, 9), 5), 1)
  expect_true(is.na(crossing_load(c(1, 2), c(0, 1), 5)))
  expect_equal(load_text(c(NA, 2.34), 8), c("> 8", "2.3"))
})

test_that("what the study says is reproduced where it is true", {
  found <- verdicts(nbiot_example())
  expect_equal(unname(found[c("load", "throughput", "throughput-size", "saturation",
                              "availability-low",
                              "availability-best", "coverage", "coverage-confirm",
                              "coverage-load", "energy", "confirm-cheap")]),
               rep("reproduced", 11))
})

test_that("a statement that no seed supports is contradicted, one that some do not reproduced", {
  runs <- nbiot_example()
  runs[stack == "mqtt", device_throughput_bps := 1e6]
  expect_equal(verdicts(runs)[["throughput"]], "contradicted")
  some <- nbiot_example()
  some[stack == "mqtt" & seed %in% 2:3, device_throughput_bps := 1e6]
  expect_equal(verdicts(some)[["throughput"]], "not reproduced")
  expect_equal(verdicts(nbiot_example()[seed < 5])[["throughput"]], "too few runs")
})

test_that("stacks that serve the same device tie, which is no contradiction", {
  runs <- nbiot_example()
  runs[, lowest_path_gain_db := -150]
  expect_equal(unname(verdicts(runs)[c("coverage", "coverage-confirm", "coverage-load")]),
               rep("not reproduced", 3))
})

test_that("what a distance that nobody gives decides is said to be so, with where it turns", {
  runs <- nbiot_example()
  runs[stack == "mqtt", not_served_pct := 0.1]
  claims <- decided(runs)
  found <- claims[claim == "ericsson-availability-mqtt"]
  expect_equal(found$verdict, "decided by an assumption")
  expect_match(found$reason, "99.9, 95, 70 % with 1732, 3500, 5000 m, so it turns between 3500 and")
  expect_match(found$reason, "as it is: contradicted")
})

test_that("a seed that never met the highest load does not decide where the peak is", {
  runs <- nbiot_example()[!(seed == 3 & load == 6)]
  more <- data.table::copy(runs)[, seed := seed + 5L]
  runs <- rbind(runs, more)
  runs[stack == "coap-non", cell_throughput_bps := load]
  expect_equal(verdicts(runs)[["saturation-non"]], "reproduced")
})
