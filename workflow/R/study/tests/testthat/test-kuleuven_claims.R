# Are the 105 cells of KU Leuven's table decided by the runs of the cell that they name?

cell_verdicts <- function(values, metric, column, clients = "10", sent = "100", qos = "0") {
  trials <- sprintf("t%d", seq_along(values))
  design <- c(protocol = "mqtt", qos = qos, clients = clients, broker_nagle = "1",
              broker_in_flight = "1", start_spread_ms = "0", modem_sleep = "1",
              quirks = "first_message_per_segment",
              messages = sent, repetition = "")
  factors <- data.table::CJ(trial = trials, factor = names(design))
  factors[, `:=`(study = "kuleuven", value = design[factor])]
  factors[factor == "repetition", value := sub("t", "", trial)]
  metrics <- data.table::data.table(study = "kuleuven", trial = trials, metric = metric,
                                    value = values, unit = "", n = 1)
  folder <- file.path(getOption("thinwire.workflow"), "..", "data", "published")
  all <- kuleuven_cell_claims(folder, metrics, factors)
  expect_equal(nrow(all), 105L)
  all[claim == paste0("kuleuven-lab-mqtt-qos-0-10-clients-", column)]
}

test_that("a cell is decided by a factor of two, from five runs of its own design", {
  loss <- function(x, ...) { # published: 80.2
    cell_verdicts(x, "messages_behind_first_pct", "device-loss", ...)$verdict
  }
  near <- c(70, 71, 72, 71, 70)
  expect_equal(loss(near), "reproduced")
  expect_equal(loss(near / 4), "contradicted")
  expect_equal(loss(near[1:4]), "too few runs")
  expect_equal(loss(near, clients = "1"), "not testable")
  expect_equal(loss(near, qos = "1"), "not testable")
})

test_that("a published zero asks for the equivalence margin", {
  loss <- function(x) cell_verdicts(x, "network_loss_pct", "network-loss")$verdict
  expect_equal(loss(rep(0, 5)), "reproduced")
  expect_equal(loss(rep(3, 5)), "contradicted")
})

test_that("a count of a shorter session, and an average over it, are of another condition", {
  again <- function(...) cell_verdicts(rep(0, 5), "retransmissions", "retransmissions", ...)
  expect_equal(again()$verdict, "reproduced")
  expect_equal(again(sent = "5")$reason, "5 messages a client, not 100; there: reproduced")
  graph <- function(...) {
    cell_verdicts(rep(660, 5), "stream_misread_5s_bytes", "throughput-mean", ...)$verdict
  }
  expect_equal(graph(), "reproduced")
  expect_equal(graph(sent = "5"), "another condition")
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
