# Are malformed packets counted, and sound ones not?

device <- "10.0.0.2"
malformed_of <- function(...) {
  talk <- tcp_conversation()
  talk$open()
  talk$say("client", mqtt_connect())
  talk$say("server", mqtt_connack())
  talk$say("client", mqtt_publish("t", "x", qos = 1, id = 1))
  for (bytes in list(...)) talk$say("client", bytes)
  file <- write_pcap(talk$frames, talk$times)
  rows <- capture_metrics(reduce_capture(dissect(file), device, NULL, file))
  rows[metric == "malformed", value]
}
bytes <- function(...) as.raw(c(...))

test_that("packets of every kind with the flags of their type are sound", {
  expect_equal(malformed_of(mqtt_subscribe("t"), mqtt_publish("t", "x", qos = 2, id = 2),
                            bytes(0x62, 2, 0, 2), bytes(0xc0, 0), bytes(0xe0, 0)), 0)
})

test_that("a reserved type, wrong flags and QoS 3 are malformed", {
  expect_equal(malformed_of(bytes(0x00, 0)), 1)
  expect_equal(malformed_of(bytes(0xf0, 0)), 1)
  expect_equal(malformed_of(bytes(0x60, 2, 0, 2)), 1)
  expect_equal(malformed_of(bytes(0xc1, 0)), 1)
  expect_equal(malformed_of(bytes(0x36, 6, 0, 1, 0x74, 0, 3, 0x78)), 1)
})

test_that("two in one segment are one frame", {
  expect_equal(malformed_of(bytes(0xc1, 0, 0xc1, 0)), 1)
})

test_that("AUTH of MQTT 5 is no reserved type", {
  p <- data.table::data.table(mqtt_flags = c("0x10", "0xf0"), mqtt_level = c("5", ""))
  expect_equal(invalid_mqtt(p), c(FALSE, FALSE))
  expect_equal(invalid_mqtt(p[2L]), TRUE)
})

test_that("what tshark cannot read to its end is malformed, and an option of CoAP with length 15", {
  ask <- coap_message(0, 2, 1, path = "t", payload = "x")
  cut <- as.raw(c(0x40, 0x02, 0x00, 0x02, 0xb9, 0x74))
  frames <- lapply(list(ask, cut), udp, device, "10.0.0.1", 50000, 5683)
  file <- write_pcap(frames, c(1, 2))
  rows <- capture_metrics(reduce_capture(dissect(file), device, NULL, file))
  expect_equal(rows[metric == "malformed", value], 1)
})

test_that("a CoAP option that tshark does not know is not malformed, unlike one that is cut", {
  malformed_with <- function(...) {
    message <- c(as.raw(c(0x40, 0x02, 0, 1)), ...)
    packets <- dissect(write_pcap(list(udp(message, "10.0.0.2", "10.0.0.1", 50000, 5683)), 0))
    packets$malformed
  }
  echo <- as.raw(c(0xd2, 252 - 13, 1, 2)) # RFC 9175: number 252, of 2 bytes
  expect_false(malformed_with(echo))
  expect_false(malformed_with(echo, as.raw(c(0xd1, 292 - 252 - 13, 1)))) # and Request-Tag
  expect_true(malformed_with(as.raw(c(0x39, rep(0x61, 5)))))
  expect_true(malformed_with(echo, as.raw(c(0x05, 1))))
})
