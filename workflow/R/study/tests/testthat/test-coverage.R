# Do the features of a trial tell different behaviour apart, and nothing else?

device <- "10.0.0.2"

#' The context of a session that publishes `n` messages, `dup` of which are repetitions.
session_context <- function(n, dup = 0L, delay = 0.002) {
  talk <- tcp_conversation(delay = delay)
  talk$open()
  talk$say("client", mqtt_connect())
  talk$say("server", mqtt_connack())
  for (i in seq_len(n)) {
    talk$say("client", mqtt_publish("t", "hello", qos = 1, id = i, dup = i <= dup))
    talk$say("server", mqtt_puback(i))
  }
  folder <- tempfile()
  dir.create(folder)
  file.copy(write_pcap(talk$frames, talk$times), file.path(folder, "wire.pcapng.gz"))
  oracle_context(list(folder = folder, device = device,
                      trial = list(parameters = list(protocol = "mqtt"))))
}

test_that("a repetition is a feature, and times and a few messages more are none", {
  usual <- message_features(session_context(9))
  expect_setequal(message_features(session_context(11, delay = 0.05)), usual)
  expect_true("device PUBLISH DUP 2" %in% message_features(session_context(9, dup = 2L)))
  expect_false(any(grepl("DUP", usual)))
  expect_true(all(c("begin > device CONNECT", "device PUBLISH > server PUBACK",
                    "server PUBACK > end", "connections 1") %in% usual))
})

test_that("packets are counted by name and side up to a moment", {
  ctx <- session_context(4)
  counts <- packet_counts(ctx)
  expect_equal(counts[packet == "PUBLISH" & from == "device", count], 4)
  expect_equal(counts[packet == "PUBACK" & from == "server", count], 4)
  third <- ctx$messages[type == "PUBLISH", time][3L] + ctx$begin
  expect_equal(packet_counts(ctx, third)[packet == "PUBLISH", count], 3)
})

test_that("a bundle has the features of its logs and oracles", {
  folder <- tempfile()
  write_bundle(folder)
  wanted <- data.table::data.table(metric = c("sent", "acknowledged_lost", "device_resets"),
                                   operator = "=", limit = c(20, 1, 0), unit = "")
  found <- examine_hunted(wanted, folder)
  expect_equal(found$rows$holds, c(TRUE, FALSE, TRUE))
  expect_equal(found$rows$value[2L], 0)
  expect_true(all(c("outcome ok", "board sent", "server received", "device_resets 0") %in%
                    found$features))
})

test_that("magnitudes are powers of two", {
  expect_equal(magnitude(c(0, 0.2, 1, 3, 4, 1000, -5)), c(0, 1, 1, 2, 4, 512, -4))
})
