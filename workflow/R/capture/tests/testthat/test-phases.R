# Does each byte belong to the phase of its message: from the message's first segment on?

device <- "10.0.0.2"
other <- "10.0.0.1"
measured <- function(talk, order = seq_along(talk$frames), who = device, ...) {
  measured_frames(talk$frames[order], talk$times, who, ...)
}
measured_frames <- function(frames, times = seq_along(frames), who = device, ...) {
  rows <- suppressMessages(analyze_capture(write_pcap(frames, times), who, ...))
  setNames(rows$value, rows$metric)
}
accounted <- function(m) {
  phases <- m[c("connect_bytes", "exchange_bytes", "disconnect_bytes")]
  expect_equal(sum(phases), m[["captured_bytes"]] - m[["ledger_other_bytes"]])
}
in_segments <- function(talk, bytes, from = "client", size = 500) {
  for (at in seq(1, length(bytes), size)) {
    talk$say(from, bytes[at:min(at + size - 1, length(bytes))])
  }
}
websocket_frame <- function(n) {
  c(as.raw(c(0x82, 0x80 + 126)), be16(n), as.raw(c(0, 0, 0, 0)), as.raw(rep(7, n)))
}
upgrade <- c("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n",
             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n")
switching <- c("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n",
               "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n")
post <- function(n) sprintf("POST /p HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s", n, strrep("x", n))
done <- text_raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
#' Opens a session; the bytes of one message with 3000 bytes of payload.
protocols <- list(
  mqtt = list(port = 1883, open = function(talk) {
    talk$say("client", mqtt_connect())
    talk$say("server", mqtt_connack())
  }, message = function() mqtt_publish("t", strrep("x", 3000))),
  http = list(port = 80, open = function(talk) NULL, message = function() text_raw(post(3000))),
  amqp = list(port = 5672, open = function(talk) {
    talk$say("client", c(text_raw("AMQP"), as.raw(c(0, 0, 9, 1))))
  }, message = function() amqp_publish(strrep("x", 3000))),
  websocket = list(port = 80, open = function(talk) {
    talk$say("client", text_raw(paste(upgrade, collapse = "")))
    talk$say("server", text_raw(paste(switching, collapse = "")))
  }, message = function() websocket_frame(3000)))

test_that("a message of several segments costs what its payload has and more, in any protocol", {
  for (name in names(protocols)) {
    protocol <- protocols[[name]]
    talk <- tcp_conversation(sport = protocol$port)
    talk$open()
    protocol$open(talk)
    before <- sum(lengths(talk$frames))
    for (i in 1:3) {
      in_segments(talk, protocol$message())
      if (name == "http") talk$say("server", done)
    }
    within <- sum(lengths(talk$frames)) - before
    talk$close()
    m <- measured(talk)
    expect_equal(m[["messages"]], 3, info = name)
    expect_equal(m[["connect_bytes"]], before, info = name)
    expect_equal(m[["exchange_bytes"]], within, info = name)
    expect_gt(m[["exchange_bytes_per_message"]], 3000)
    expect_gt(m[["exchange_bytes_per_message_ci95_low"]], 3000)
    accounted(m)
  }
})

test_that("likewise towards the device", {
  talk <- tcp_conversation()
  talk$open()
  talk$say("client", mqtt_connect())
  talk$say("server", mqtt_connack())
  before <- sum(lengths(talk$frames))
  for (i in 1:3) in_segments(talk, mqtt_publish("t", strrep("x", 2000)), "server")
  m <- measured(talk)
  expect_equal(m[["connect_bytes"]], before)
  expect_gt(m[["exchange_bytes_per_message_ci95_low"]], 2000)
  accounted(m)
})

test_that("a message of several fragments begins with the first of them", {
  big <- function(i) {
    fragments4(udp(coap_message(1, 2, i, as.raw(i), "t", strrep("x", 2500)), device, other, 40000,
                   5683), 1200)
  }
  frames <- unlist(lapply(1:3, big), recursive = FALSE)
  m <- measured_frames(frames)
  expect_equal(m[["connect_bytes"]], 0)
  expect_gt(m[["exchange_bytes_per_message_ci95_low"]], 2500)
  accounted(m)
})

test_that("a frame that carries a message is of no connection's end", {
  talk <- tcp_conversation(sport = 80)
  talk$open()
  before <- sum(lengths(talk$frames))
  talk$add("client", text_raw(post(5)), 0x19) # its FIN shares the segment of the request
  talk$add("server", done, 0x19)
  within <- sum(lengths(talk$frames)) - before
  talk$add("client", raw(), 0x10)
  m <- measured(talk)
  expect_equal(m[["exchange_bytes"]], within)
  accounted(m)
})

test_that("MQTT-SN's DISCONNECT for a sleep ends no connection that goes on", {
  sn <- function(...) {
    body <- as.raw(c(...))
    c(as.raw(length(body) + 1), body)
  }
  publish <- function(i) sn(0x0c, 0x22, 0, 1, 0, i, rep(7, 40))
  said <- list(sn(4, 4, 1, 0, 60, 98), publish(1), sn(0x18, 0, 60), sn(4, 0, 1, 0, 60, 98),
               publish(2), sn(0x18))
  frames <- lapply(said, udp, device, other, 40000, 1883)
  m <- measured_frames(frames, ports = c(mqttsn = 1883L))
  expect_equal(m[["messages"]], 2)
  expect_equal(m[["connect_bytes"]], length(frames[[1L]]))
  expect_equal(m[["disconnect_bytes"]], length(frames[[6L]]))
  accounted(m)
})
