# Does the report of KU Leuven's study distinguish cells and mechanisms, and compare the right
# values?

design <- function(name, ...) {
  values <- c(..., repetition = "1", outcome = "ok")
  data.table::data.table(study = "kuleuven", trial = name, factor = names(values),
                         value = unname(values))
}
mqtt <- function(name, clients = "10", nagle = "1", spread = "0", sleep = "1",
                 quirks = "first_message_per_segment") {
  design(name, protocol = "mqtt", mode = "mqtt-qos0", qos = "0", clients = clients,
         broker_nagle = nagle, broker_in_flight = "1", start_spread_ms = spread,
         modem_sleep = sleep, quirks = quirks)
}
factors <- rbind(
  mqtt("a"), mqtt("b"), mqtt("c", nagle = "0"), mqtt("d", spread = "1000"),
  mqtt("e", sleep = "0"), mqtt("f", quirks = ""),
  mqtt("g", quirks = "first_message_per_segment,window_each_40_ms"), mqtt("h", clients = "1"),
  design("i", protocol = "coap", mode = "coap-con", clients = "1", start_spread_ms = "0",
         modem_sleep = "1"))
values <- c(made = 50, messages = 50, frames_with_messages = 10, messages_behind_first_pct = 80,
            processed_of_reached_pct = 20, device_ack_rtt_mean_ms = 230, retransmissions = 3,
            network_loss_pct = 0, device_loss_pct = 1, throughput_mean_bytes_per_10ms = 60,
            request_ack_mean_ms = 90, conversation_mean_ms = 111, device_crashes = 0,
            bytes_per_message = 70, packets_per_message = 2)
metrics <- data.table::CJ(study = "kuleuven", trial = letters[1:9], metric = names(values),
                          sorted = FALSE)
metrics[, value := values[metric]]
metrics[trial == "b" & metric == "retransmissions", value := 5]
metrics[trial == "c" & metric == "messages_behind_first_pct", value := 0]

test_that("a trial is a cell of the table, or that with one mechanism changed", {
  cells <- kuleuven_cells(factors)
  expect_equal(cells$variant, c(
    "as designed", "as designed", "no Nagle at the broker", "clients start spread over a second",
    "no modem sleep", "device reads the whole segment", "window opens each 40 ms, too",
    "as designed", "as designed"))
  expect_equal(cells$cell[c(1, 8, 9)],
               c("MQTT QoS 0, 10 clients", "MQTT QoS 0, 1 client", "CoAP, 1 client"))
})

test_that("mechanisms are compared where the loss is, repetitions pooled", {
  x <- kuleuven_mechanisms(metrics, kuleuven_cells(factors))
  expect_equal(x$variant[1L], "as designed")
  expect_equal(x$trials, c(2L, 1L, 1L, 1L, 1L, 1L))
  expect_equal(x$repeated[1L], "4.0")
  expect_equal(x[variant == "no Nagle at the broker", behind], "0")
  expect_match(kuleuven_mechanism_table(x), "as designed & 2 & 50 & 10 & 80 & 20 & 230 & 4.0 ",
               fixed = TRUE, all = FALSE)
})

test_that("a row holds published, recorded and lab values by the column's own definition", {
  published <- data.table::data.table(
    row = "CoAP, 1 client", column = kuleuven_columns,
    value = c("0", "0", "0", "140", "89", "0", "0"))
  grid <- kuleuven_grid()
  all <- published[rep(seq_len(7L), nrow(grid))]
  all[, row := rep(sprintf("%s, %d client%s", grid$row, grid$clients,
                           ifelse(grid$clients > 1L, "s", "")), each = 7L)]
  file <- tempfile(fileext = ".csv")
  data.table::fwrite(data.table::data.table(
    trial = c("coap_1clients", "mqtt_qos0_pub10", "http_10clients"),
    metric = c("request_ack_mean_ms", "messages_behind_first_pct", "conversation_mean_ms"),
    value = c(88.7, 80.2, 199)), file)
  recorded <- kuleuven_recording(list(tables = list(recordings = file)), "recordings", "metric")
  expect_equal(recorded$clients, c(1L, 10L, 10L))
  lines <- kuleuven_table(all, recorded, kuleuven_lab(metrics, kuleuven_cells(factors)))
  expect_match(grep("^CoAP, 1 client ", lines, value = TRUE), "89 / 89 / 90", fixed = TRUE)
  expect_match(grep("^MQTT QoS 0, 10 ", lines, value = TRUE), "80 / 80", fixed = TRUE)
  expect_match(grep("^HTTP, 10 ", lines, value = TRUE), "199 / --", fixed = TRUE)
})

test_that("Fig. 17 has the published times and a run's own, of 100 clients as designed alone", {
  cells <- data.table::data.table(
    trial = c("a", "b", "c", "d"), row = paste("MQTT QoS", c(1, 1, 2, 1)),
    clients = c(100L, 100L, 100L, 10L), variant = c(rep("as designed", 4L)))
  rows <- data.table::CJ(trial = letters[1:4], metric = c("made", "delivered", "delivery_span_s"),
                         sorted = FALSE)
  rows[, value := c(300, 300, 8, 300, 300, 9, 300, 290, 20, 30, 30, 99)]
  printed <- data.table::data.table(row = sprintf("MQTT QoS %d, 100 clients", 0:2),
                                    value = c("100", "120", "190"))
  spans <- kuleuven_spans(printed, rows, cells)
  expect_equal(spans[kind == "published", value], c(100, 120, 190))
  expect_equal(spans[kind == "lab", value], c(8, 9, 20))
  numbers <- kuleuven_span_numbers(spans)
  expect_true("\\newcommand{\\twKuleuvenSpanMade}{300}" %in% numbers)
  expect_true("\\newcommand{\\twKuleuvenSpanQoSOne}{8.0 to 9.0\\,s ($n=2$)}" %in% numbers)
  drawn <- ggplot2::layer_data(kuleuven_span_figure(spans)$plot, 1L)
  expect_equal(sort(drawn$y), c(10, 12, 19, 1e3 * 8.5 / 300, 1e3 * 20 / 300))
  expect_equal(nrow(kuleuven_spans(printed, rows[metric == "made"], cells)), 3L)
})

test_that("the figure shows each published value beside the mean and range of the lab's trials", {
  printed <- data.table::data.table(row = "CoAP, 1 client", column = kuleuven_columns,
                                    value = as.character(1:7))
  cells <- data.table::data.table(trial = c("a", "b"), row = "CoAP", clients = 1L,
                                  variant = "as designed")
  ours <- data.table::data.table(trial = c("a", "b"), metric = "device_loss_pct", value = c(2, 6))
  data <- kuleuven_points(printed, kuleuven_ranges(ours, cells))
  expect_equal(data[kind == "published"][order(item), value], c(2, 3, 4, 5))
  expect_equal(as.list(data[kind == "lab", .(value, least, most)]),
               list(value = 4, least = 2, most = 6))
})

test_that("what each client got is that of the cells as designed, means over the runs", {
  cells <- data.table::data.table(
    trial = letters[1:4], row = c("MQTT QoS 0", "MQTT QoS 0", "MQTT QoS 0", "HTTP"),
    clients = c(10L, 10L, 10L, 1L),
    variant = c("as designed", "as designed", "no modem sleep", "as designed"))
  shares <- data.table::data.table(trial = rep(letters[1:4], each = 3L),
                                   metric = rep(sprintf("client_delivered_of_made_%s_pct",
                                                        c("least", "median", "greatest")), 4L),
                                   value = c(0, 10, 90, 2, 30, 100, 7, 7, 7, 8, 8, 8))
  x <- kuleuven_client_spreads(shares, cells)
  expect_equal(as.list(x[, .(row, clients, runs, share_least, share_median, share_greatest)]),
               list(row = "MQTT QoS 0", clients = 10L, runs = 2L, share_least = 1,
                    share_median = 20, share_greatest = 95))
  expect_true(all(is.na(x$rtt_median)))
  lines <- kuleuven_client_table(x)
  expect_true("MQTT QoS 0, 10 clients & 2 & 1 & 20 & 95 & -- & -- & -- \\\\" %in% lines)
  expect_identical(unname(kuleuven_client_numbers(x))[2L],
                   "\\newcommand{\\twKuleuvenShareMedian}{20\\,\\%}")
  none <- kuleuven_client_table(kuleuven_client_spreads(shares, cells[clients == 1L]))
  expect_length(grep("&", none), 1L) # its head
})

test_that("each curve of a capture has a panel, which names the figures of the source", {
  file <- tempfile(fileext = ".csv")
  data.table::fwrite(data.table::data.table(
    trial = c(rep("mqtt_qos0_pub10", 3L), "coap_1clients"),
    graph = c("traffic", "round trip", "throughput", "traffic"), time_s = 0:3, value = 1:4), file)
  graphs <- kuleuven_recording(list(name = "k", tables = list(graphs = file)), "graphs",
                               c("graph", "time_s"))
  panels <- levels(ggplot2::ggplot_build(kuleuven_graph_figure(graphs)$plot)$plot$data$panel)
  expect_equal(panels, c("MQTT QoS 0, 10 (Figs 29-31)\nframes a second",
                         "MQTT QoS 0, 10 (Figs 29-31)\nround trip, ms",
                         "MQTT QoS 0, 10 (Figs 29-31)\nthroughput, bit/s",
                         "CoAP, 1\nframes a second"))
})
