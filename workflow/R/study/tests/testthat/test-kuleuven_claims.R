# Are the 105 cells of KU Leuven's table decided by the runs of the cell that they name?

withr::local_options(thinwire.discrepancy = lab_error()) # a lab without error

cell_verdicts <- function(values, metric, column, clients = "10", sent = "100", qos = "0",
                          of = 5000) {
  trials <- sprintf("t%d", seq_along(values))
  design <- c(protocol = "mqtt", qos = qos, clients = clients, broker_nagle = "1",
              broker_in_flight = "1", start_spread_ms = "0", modem_sleep = "1",
              quirks = "first_message_per_segment",
              messages = sent, repetition = "")
  factors <- data.table::CJ(trial = trials, factor = names(design))
  factors[, `:=`(study = "kuleuven", value = design[factor])]
  factors[factor == "repetition", value := sub("t", "", trial)]
  metrics <- data.table::data.table(study = "kuleuven", trial = trials, metric = metric,
                                    value = values, unit = "", n = of)
  folder <- file.path(getOption("thinwire.workflow"), "..", "data", "published")
  all <- kuleuven_cell_claims(folder, metrics, factors)
  expect_equal(nrow(all), 105L)
  all[claim == paste0("kuleuven-lab-mqtt-qos-0-10-clients-", column)]
}

test_that("a cell is decided by its interval, from five runs of its own design", {
  loss <- function(x, ...) { # published: 80.2
    cell_verdicts(x, "messages_behind_first_pct", "device-loss", ...)$verdict
  }
  near <- c(80, 80.1, 80.4, 80.2, 80.3)
  expect_equal(loss(near), "reproduced")
  expect_equal(loss(near / 4), "contradicted")
  expect_equal(loss(near[1:4]), "too few runs")
  expect_equal(loss(near, clients = "1"), "not testable")
  expect_equal(loss(near, qos = "1"), "not testable")
})

test_that("losses and repetitions need a cell that loses, crashes a device that can fail", {
  loss <- function(metric, column) cell_verdicts(rep(0, 5), metric, column)
  for (column in c("network-loss", "retransmissions", "device-crashes")) {
    metric <- c("network-loss" = "network_loss_pct", retransmissions = "retransmissions",
                "device-crashes" = "device_crashes")[[column]]
    expect_equal(loss(metric, column)$verdict, "outside what the lab can decide", info = column)
  }
  expect_match(loss("network_loss_pct", "network-loss")$reason, "^the trials lack loss")
})

test_that("a shorter session is another condition, whatever is measured", {
  graph <- function(...) {
    cell_verdicts(rep(660, 5), "stream_misread_5s_bytes", "throughput-mean", ...)
  }
  expect_equal(graph()$verdict, "reproduced")
  expect_equal(graph(sent = "5")$reason, "5 messages a client, not 100; there: reproduced")
  times <- function(...) {
    cell_verdicts(rep(235, 5), "device_ack_rtt_mean_ms", "roundtrip-mean", ...)$verdict
  }
  expect_equal(times(), "reproduced")
  expect_equal(times(sent = "5"), "another condition")
})

test_that("the throughput of MQTT is read off a graph, that of CoAP and HTTP is an assumption", {
  column <- function(row) data.table::data.table(column = "throughput_mean", row = row)
  expect_equal(kuleuven_assumption(column("MQTT QoS 1, 100 clients")), "")
  expect_match(kuleuven_assumption(column("CoAP, 1 client")), "what is averaged")
  expect_equal(kuleuven_assumption(data.table::data.table(column = "retransmissions",
                                                          row = "CoAP, 1 client")), "")
  windows <- moving_windows(read_published(published_folder(), "kuleuven2019"))
  mqtt <- sprintf("MQTT QoS %d, %s", rep(0:2, each = 3L),
                  c("1 client", "10 clients", "100 clients"))
  expect_equal(sort(names(windows)), sort(mqtt))
})
