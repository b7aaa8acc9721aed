# Is a message of MQTT 5 measured by its own topic and payload, are its properties an account of the
# ledger, and are reason codes counted by name?

device <- "10.0.0.2"
mqtt5_packet <- function(first, ...) {
  mqtt_packet(first, as.raw(unlist(lapply(list(...), as.integer))))
}
mqtt5_publish <- function(topic, payload) {
  mqtt5_packet(0x30, mqtt_string(topic), 3, 0x23, 0, 1, text_raw(payload)) # topic alias 1
}
mqtt5_talk <- function() {
  talk <- tcp_conversation()
  talk$open()
  talk$say("client", mqtt5_packet(0x10, mqtt_string("MQTT"), 5, 2, 0, 60, 0, mqtt_string("b1")))
  talk$say("server", mqtt5_packet(0x20, 0, 0, 3, 0x22, 0, 10)) # topic alias maximum 10
  talk
}

test_that("a message with an alias alone has the topic of its alias", {
  talk <- mqtt5_talk()
  talk$say("client", mqtt5_publish("a/long/topic", "one"))
  talk$say("client", c(mqtt5_publish("", "two"), mqtt5_publish("", "three")))
  m <- messages(dissect(write_pcap(talk$frames, talk$times)))[type == "PUBLISH"]
  expect_equal(m$topic, rep("a/long/topic", 3L))
  expect_equal(m$payload_bytes, c(3, 3, 5))
})

mqtt5_metrics <- function(talk) {
  file <- write_pcap(talk$frames, talk$times)
  rows <- capture_metrics(reduce_capture(dissect(file), device, NULL, file))
  setNames(rows$value, rows$metric)
}
closes <- function(m) expect_equal(sum(m[startsWith(names(m), "ledger_")]), m[["captured_bytes"]])

test_that("all of them are the workload, and properties are an account of their own", {
  talk <- mqtt5_talk()
  talk$say("client", mqtt5_publish("a/long/topic", "one"))
  for (i in 1:4) talk$say("client", mqtt5_publish("", "two"))
  m <- mqtt5_metrics(talk)
  expect_equal(m[["messages"]], 5)
  expect_equal(m[["ledger_payload_bytes"]], 15)
  expect_equal(m[["ledger_properties_bytes"]], 5 * 4)
  expect_equal(m[["ledger_header_bytes"]], 16 + 4 * 4)
  expect_equal(m[["header_bytes_per_message"]], (16 + 4 * 4 + 5 * 4) / 5)
  expect_equal(m[["property_bytes_per_message"]], 4)
  closes(m)
})

test_that("a capture of MQTT 3.1.1 has no account of properties and no reason codes", {
  talk <- tcp_conversation()
  talk$open()
  talk$say("client", mqtt_connect())
  talk$say("server", mqtt_connack())
  talk$say("client", mqtt_publish("t", "one"))
  m <- mqtt5_metrics(talk)
  expect_false(any(grepl("propert|reason", names(m))))
  closes(m)
})

test_that("properties of a will are not those of the message behind it in a segment", {
  talk <- tcp_conversation()
  talk$open()
  connect <- mqtt5_packet(0x10, mqtt_string("MQTT"), 5, 0x06, 0, 60, 0, mqtt_string("b1"),
                          5, 0x18, 0, 0, 0, 1, mqtt_string("w"), mqtt_string("gone"))
  talk$say("client", c(connect, mqtt5_publish("t", "four")))
  m <- messages(dissect(write_pcap(talk$frames, talk$times)))
  expect_equal(m[type == "PUBLISH", .(payload_bytes, property_bytes)],
               data.table::data.table(payload_bytes = 4, property_bytes = 4))
})

test_that("reason codes are counted by the standard's names, failures among them", {
  talk <- mqtt5_talk()
  publish <- function(id) mqtt5_packet(0x32, mqtt_string("t"), 0, id, 0, text_raw("x"))
  for (id in 1:4) talk$say("client", publish(id))
  talk$say("server", mqtt5_packet(0x40, 0, 1)) # success, left out
  talk$say("server", c(mqtt5_packet(0x40, 0, 2, 0x10), mqtt5_packet(0x40, 0, 3, 0x97)))
  talk$say("server", mqtt5_packet(0x40, 0, 4, 0xf0, 0))
  talk$say("client", mqtt5_packet(0x82, 0, 5, 0, mqtt_string("a"), 0, mqtt_string("b"), 0))
  talk$say("server", mqtt5_packet(0x90, 0, 5, 0, 0x01, 0x87))
  talk$say("server", mqtt5_packet(0xe0, 0x8e, 0))
  m <- mqtt5_metrics(talk)
  found <- m[grepl("^reason_.*_codes$", names(m))]
  expect_equal(found, c(reason_0xf0_codes = 1, reason_no_matching_subscribers_codes = 1,
                        reason_not_authorized_codes = 1, reason_quota_exceeded_codes = 1,
                        reason_session_taken_over_codes = 1))
  expect_equal(m[["reason_failures"]], 4)
  closes(m)
})

test_that("the device's log and the analysis use the same names", {
  code <- readLines(file.path(Sys.getenv("THINWIRE_TOP"), "firmware", "core", "protocols", "mqtt5",
                              "mqtt5_reasons.c"))
  rows <- regmatches(code, regexec('^ +[{]0x([0-9A-F]{2}), .*, "([a-z0-9_]+)"[}]', code))
  rows <- do.call(rbind, rows[lengths(rows) == 3L])
  value <- strtoi(rows[, 2], 16L)
  more <- value > 2L
  expect_gt(sum(more), 35L)
  expect_equal(unname(reason_names[as.character(value[more])]), rows[more, 3])
})
