# Is a message of MQTT 5 measured by its own topic and payload, whatever its properties?

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

test_that("all of them are the workload, and properties are header", {
  talk <- mqtt5_talk()
  talk$say("client", mqtt5_publish("a/long/topic", "one"))
  for (i in 1:4) talk$say("client", mqtt5_publish("", "two"))
  file <- write_pcap(talk$frames, talk$times)
  rows <- capture_metrics(reduce_capture(dissect(file), device, NULL, file))
  m <- setNames(rows$value, rows$metric)
  expect_equal(m[["messages"]], 5)
  expect_equal(m[["ledger_payload_bytes"]], 15)
  expect_equal(m[["ledger_header_bytes"]], 20 + 4 * 8)
})
