# Does the table of limits show what arrived, and the room left in a frame?

trial <- function(name, ...) {
  values <- c(payload_bytes = "1440", ...)
  values <- values[!duplicated(names(values), fromLast = TRUE)]
  data.table::data.table(study = "limits", trial = name, factor = names(values),
                         value = unname(values))
}
factors <- rbind(trial("a", protocol = "mqtt"), trial("b", protocol = "coap", block_bytes = "512"),
                 trial("c", protocol = "coap", block_bytes = "0"))
values <- c(made = 21, sent = 20, delivered = 19, messages = 60, packets_per_message = 2,
            largest_packet_bytes = 1486)
metrics <- data.table::CJ(study = "limits", trial = c("a", "b", "c"), metric = names(values))
metrics[, value := values[metric]]

test_that("a datagram has what the frame leaves it; streams and blocks have no limit there", {
  x <- summarise_limits(metrics, factors)
  expect_equal(x$protocol, c("MQTT", "CoAP", "CoAP, blocks of 512"))
  expect_equal(x$room, c(NA, 14, NA))
})

test_that("each payload is a row of its own, the smaller ones first", {
  large <- data.table::copy(factors[trial == "b"])[factor == "payload_bytes", value := "15360"]
  x <- summarise_limits(metrics, rbind(factors[trial != "b"], large))
  expect_equal(x$protocol, c("MQTT", "CoAP", "CoAP, blocks of 512"))
  expect_equal(x$payload, c(1440, 1440, 15360))
})

test_that("packets are counted per message of the workload, not per block", {
  x <- summarise_limits(metrics, factors)
  expect_equal(x$packets, rep(6, 3))
})
