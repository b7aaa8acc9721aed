# Do the rules of the NB-IoT claims decide as they say, and are the curves read as they should be?

#' Runs of three seeds in which everything the study says is true.
nbiot_example <- function() {
  x <- data.table::CJ(stack = names(nbiot_stacks), payload_bytes = c(25, 400),
                      load = c(0.5, 1, 1.5, 2, 3, 4, 6), seed = 1:3, sorted = FALSE)
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

verdicts <- function(runs) {
  claims <- nbiot_claims(list(runs = runs))
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
  expect_equal(unname(found[c("throughput", "throughput-size", "saturation", "availability-low",
                              "availability-mqtt", "availability-mqtt-beyond",
                              "availability-coap", "availability-best", "coverage",
                              "coverage-confirm", "coverage-load", "energy", "confirm-cheap")]),
               rep("reproduced", 13))
})

test_that("a statement that no seed supports is contradicted, one that some do not reproduced", {
  runs <- nbiot_example()
  runs[stack == "mqtt", device_throughput_bps := 1e6]
  expect_equal(verdicts(runs)[["throughput"]], "contradicted")
  some <- nbiot_example()
  some[stack == "mqtt" & seed == 2, device_throughput_bps := 1e6]
  expect_equal(verdicts(some)[["throughput"]], "not reproduced")
})

test_that("service that is too good is told from 95 %", {
  runs <- nbiot_example()
  runs[stack == "mqtt", not_served_pct := 0.1]
  found <- verdicts(runs)
  expect_equal(unname(found[c("availability-mqtt", "availability-mqtt-beyond")]),
               rep("contradicted", 2))
})

test_that("a seed that never met the highest load does not decide where the peak is", {
  runs <- nbiot_example()[!(seed == 3 & load == 6)]
  runs[stack == "coap-non", cell_throughput_bps := load]
  expect_equal(verdicts(runs)[["saturation-non"]], "reproduced")
})
