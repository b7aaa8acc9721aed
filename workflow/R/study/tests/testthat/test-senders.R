# Is it known from the payloads whose messages come first in a segment?

device <- "10.0.0.2"

#' Two segments of KU Leuven's form to the device: client 3's message leads both, client 0's one of
#' its two follows, and a message on another topic stands before all.
segments <- function(text = "MQTT client #%d send message %d") {
  say <- function(client, number) {
    payload <- c(charToRaw(sprintf(text, client, number)), as.raw(0))
    mqtt_packet(0x30, c(mqtt_string("/control"), payload))
  }
  talk <- tcp_conversation(client = device, server = "10.0.0.1", sport = 1883)
  talk$open()
  talk$say("server", c(mqtt_publish("/connections", "MQTT client #0 connected"), say(3L, 0L),
                       say(0L, 0L)))
  talk$say("server", c(say(3L, 1L), say(0L, 1L), say(7L, 1L)))
  talk$say("server", say(0L, 2L))
  dissect(write_pcap(talk$frames, talk$times), schema = body_schema())
}

test_that("payloads tell each client's messages, and the first of a segment counts", {
  p <- segments()
  x <- client_segments(measure_context(p, device, "/control"), p)
  expect_equal(x$sender, c("0", "3", "7"))
  expect_equal(x$messages, c(3L, 2L, 1L))
  expect_equal(x$first, c(100 / 3, 100, 0))
  m <- client_segment_metrics(x)
  expect_equal(stats::setNames(m$value, m$metric),
               c(client_first_of_segment_least_pct = 0,
                 client_first_of_segment_median_pct = 100 / 3,
                 client_first_of_segment_greatest_pct = 100, clients_never_first = 1))
  expect_equal(client_segment_samples(x)$value, x$first)
})

test_that("a table of packets keeps the payloads in its file", {
  p <- segments()
  file <- tempfile(fileext = ".csv.gz")
  write_packets(p, file)
  again <- read_packets(file)
  expect_equal(client_segments(measure_context(again, device, "/control"), again),
               client_segments(measure_context(p, device, "/control"), p))
})

test_that("the script that measures a recorded capture writes metrics, samples and curves", {
  folder <- tempfile()
  dir.create(folder)
  file <- function(name) file.path(folder, name)
  write_packets(segments(), file("packets.csv.gz"))
  script <- file.path(Sys.getenv("THINWIRE_TOP"), "workflow", "scripts", "recording.R")
  words <- c(script, "--name", "three", "--packets", file("packets.csv.gz"), "--device", device,
             "--topic", "/control", "--metrics", file("metrics.csv"), "--samples",
             file("samples.csv.gz"), "--graphs", file("graphs.csv.gz"))
  expect_equal(run_program("Rscript", words, stderr = FALSE), 0L)
  metrics <- read_table(file("metrics.csv"), c("trial", "metric", "value"))
  expect_equal(metrics[metric == "clients_never_first", value], 1)
  samples <- read_table(file("samples.csv.gz"), c("trial", "sample", "value"))
  expect_equal(samples[sample == "client_first_of_segment_pct", .N], 3L)
  graphs <- read_table(file("graphs.csv.gz"), c("trial", "graph", "time_s", "value"))
  expect_setequal(graphs$graph, c("traffic", "round trip", "throughput"))
})

test_that("payloads that do not state their sender say nothing about clients", {
  p <- segments("%d says %d")
  expect_null(client_segments(measure_context(p, device, "/control"), p))
  expect_null(client_segment_metrics(NULL))
  expect_null(client_segment_samples(NULL))
})

test_that("a sender is read from KU Leuven's form and from both of the laboratory's", {
  hex <- function(text) paste(as.character(charToRaw(text)), collapse = ":")
  expect_equal(payload_senders(c(paste0(hex("MQTT client #10 send message 30"), ":00"),
                                 hex("load-7 12 1500000 ..."), hex("load-7:12..."),
                                 hex("some sensor data"), NA)),
               c("10", "load-7", "load-7", NA, NA))
})

test_that("KU Leuven's QoS 0 with ten clients: six of them never come first in a segment", {
  p <- dissect(recorded("mqtt_qos0_pub10"), schema = body_schema())
  x <- client_segments(measure_context(p, recorded_device, "/control"), p)
  expect_equal(x$messages, rep(100L, 10L))
  # 198 segments less the one whose first message is on /connections
  expect_equal(x$first, c(68, 47, 0, 31, 53, 0, 0, 0, 0, 0))
})
