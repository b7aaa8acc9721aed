# Does a result name the end at which its capture was made?

#' A session of three messages of QoS 1 over a network of 4 ms each way, seen at an end. Both ends
#' answer within 10 us.
session <- function(client_delay, server_delay, from = "client") {
  talk <- tcp_conversation()
  said <- function(who, payload, flags = 0x18) {
    talk$add(who, payload, flags)
    talk$now <- talk$now - 0.01 # the time that add() has added
  }
  turn <- function(who, payload, flags = 0x18) {
    talk$now <- talk$now + if (who == "client") client_delay else server_delay
    said(who, payload, flags)
  }
  turn("client", raw(), 0x02)
  turn("server", raw(), 0x12)
  turn("client", raw(), 0x10)
  to <- setdiff(c("client", "server"), from)
  for (i in 1:3) {
    talk$now <- talk$now + 1
    said(from, mqtt_publish("t", "hello", qos = 1, id = i))
    turn(to, mqtt_puback(i))
    turn(from, raw(), 0x10)
  }
  talk
}
vantage <- function(talk, device = "10.0.0.2") {
  found <- suppressMessages(examine_capture(write_pcap(talk$frames, talk$times), device))
  rows <- stats::setNames(found$metrics$value, found$metrics$metric)
  list(said = found$header$items[item == "vantage", value],
       chosen = found$header$items[item == "vantage", chosen],
       ack = rows[["request_ack_mean_ms"]])
}

test_that("a capture at the server has the server's own times, and says so", {
  seen <- vantage(session(client_delay = 0.008, server_delay = 0.00001))
  expect_match(seen$said, "^at the other end: times to an ACK or response are without the network")
  expect_match(seen$chosen, "the device 8 ms, the other end 0.01 ms", fixed = TRUE)
  expect_lt(seen$ack, 0.02)
})

test_that("a capture at the device has the round trip, and says so", {
  seen <- vantage(session(client_delay = 0.00001, server_delay = 0.008))
  expect_match(seen$said, "^at the device: times to an ACK or response are with the whole network")
  expect_gt(seen$ack, 7)
})

test_that("of messages to the device it is the other way round", {
  seen <- vantage(session(client_delay = 0.008, server_delay = 0.00001, from = "server"))
  expect_match(seen$said, "^at the other end: times to an ACK or response are with the whole")
  seen <- vantage(session(client_delay = 0.00001, server_delay = 0.008, from = "server"))
  expect_match(seen$said, "^at the device: times to an ACK or response are without the network")
})

test_that("neither a capture between the ends nor UDP is taken for one at an end", {
  expect_match(vantage(session(0.004, 0.003))$said, "^between the ends")
  frames <- lapply(1:3, function(i) {
    udp(coap_message(0, 2, i, as.raw(i), "t"), "10.0.0.2", "10.0.0.1", 40000, 5683)
  })
  found <- suppressMessages(examine_capture(write_pcap(frames, 1:3), "10.0.0.2"))
  expect_match(found$header$items[item == "vantage", value], "^not known")
})

test_that("the parts of a large capture decide together", {
  talk <- session(client_delay = 0.008, server_delay = 0.00001)
  file <- write_pcap(talk$frames, talk$times)
  parts <- suppressMessages(examine_capture(file, "10.0.0.2", part = 5, margin = 4))
  whole <- suppressMessages(examine_capture(file, "10.0.0.2"))
  expect_equal(parts$header$items[item == "vantage"], whole$header$items[item == "vantage"])
})
