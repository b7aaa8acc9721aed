# Are messages found in the bytes, whatever else is in their segment?

device <- "10.0.0.2"
metrics_of <- function(file, topic = NULL, ports = NULL) {
  rows <- capture_metrics(reduce_capture(dissect(file, ports), device, topic, file, ports))
  setNames(rows$value, rows$metric)
}
closes <- function(m) expect_equal(sum(m[startsWith(names(m), "ledger_")]), m[["captured_bytes"]])

test_that("PUBLISH packets that share a segment with a SUBSCRIBE keep their topics", {
  talk <- tcp_conversation()
  talk$open()
  talk$say("client", mqtt_connect())
  talk$say("server", mqtt_connack())
  talk$say("client", c(mqtt_subscribe(c("x", "yy")), mqtt_publish("t/1", "hello"),
                       mqtt_publish("t/22", "hi", qos = 1, id = 7)))
  m <- messages(dissect(write_pcap(talk$frames, talk$times)))
  expect_equal(m$type, c("CONNECT", "CONNACK", "SUBSCRIBE", "PUBLISH", "PUBLISH"))
  expect_equal(m$topic[4:5], c("t/1", "t/22"))
  expect_equal(m$payload_bytes[4:5], c(5, 2))
  expect_equal(m$id[5], "7")
  expect_equal(m$bytes[4:5], c(length(mqtt_publish("t/1", "hello")),
                               length(mqtt_publish("t/22", "hi", 1, 7))))
})

test_that("a PUBLISH cut over two segments counts once, with all its bytes", {
  talk <- tcp_conversation()
  talk$open()
  whole <- mqtt_publish("t", strrep("x", 300))
  talk$say("client", whole[1:100])
  talk$say("client", whole[101:length(whole)])
  talk$close()
  m <- metrics_of(write_pcap(talk$frames, talk$times))
  expect_equal(m[["messages"]], 1)
  expect_equal(m[["ledger_payload_bytes"]], 300)
  expect_equal(m[["ledger_header_bytes"]], length(whole) - 300)
  closes(m)
})

test_that("a retransmitted segment is a retransmission and no second message", {
  talk <- tcp_conversation(delay = 0.3)
  talk$open()
  talk$say("client", mqtt_publish("t", "one"), ack = FALSE)
  again <- talk$frames[[4]]
  talk$frames <- c(talk$frames, list(again))
  talk$times <- c(talk$times, talk$now)
  talk$now <- talk$now + 0.1
  talk$add("server", raw(), 0x10)
  m <- metrics_of(write_pcap(talk$frames, talk$times))
  expect_equal(m[["messages"]], 1)
  expect_equal(m[["retransmissions"]], 1)
  expect_equal(m[["ledger_retransmission_bytes"]], length(again))
  closes(m)
})

test_that("a late segment hides no message, and its bytes count once", {
  talk <- tcp_conversation()
  talk$open()
  data <- rep(mqtt_publish("t", strrep("x", 600)), 4)
  for (at in seq(1, length(data), 500)) {
    talk$say("client", data[at:min(at + 499, length(data))], ack = FALSE)
  }
  talk$times <- c(talk$times[-4], talk$now + 0.5) # the first segment is lost before the capture
  talk$frames <- c(talk$frames[-4], talk$frames[4])
  file <- write_pcap(talk$frames, talk$times)
  m <- metrics_of(file)
  expect_equal(m[["messages"]], 4)
  expect_equal(m[["ledger_payload_bytes"]], 2400)
  expect_equal(m[["ledger_header_bytes"]], length(data) - 2400)
  expect_equal(m[["retransmissions"]], 1)
  expect_equal(m[["ledger_retransmission_bytes"]], 0)
  closes(m)
  # a segment missing from the capture is not awaited
  talk <- tcp_conversation()
  talk$open()
  for (i in 1:6) talk$say("client", mqtt_publish("t", "hello"))
  m <- metrics_of(write_pcap(talk$frames[-6], talk$times[-6]))
  expect_gt(m[["unseen_segments"]], 0)
  expect_equal(m[["messages"]], 5)
})

test_that("QoS 1 round trips run from PUBLISH to PUBACK, also when identifiers are used again", {
  talk <- tcp_conversation(delay = 0.02)
  talk$open()
  for (i in 1:3) {
    talk$say("client", mqtt_publish("t", "x", qos = 1, id = 5), ack = FALSE)
    talk$say("server", mqtt_puback(5))
  }
  m <- metrics_of(write_pcap(talk$frames, talk$times))
  expect_equal(m[["request_ack_mean_ms"]], 20)
  expect_equal(m[["transmission_mean_ms"]], 10)
})

test_that("a message that nobody acknowledges is lost by the network", {
  talk <- tcp_conversation()
  talk$open()
  talk$say("client", mqtt_publish("t", "x"))
  talk$say("client", mqtt_publish("t", "y"), ack = FALSE)
  expect_equal(metrics_of(write_pcap(talk$frames, talk$times))[["network_loss_pct"]], 50)
})

coap_capture <- function(exchanges) {
  frames <- list()
  times <- numeric()
  for (e in exchanges) {
    frame <- if (e$to_device) {
      udp(e$bytes, "10.0.0.1", device, 40000, 5683)
    } else {
      udp(e$bytes, device, "10.0.0.1", 5683, 40000)
    }
    frames <- c(frames, list(frame))
    times <- c(times, e$at)
  }
  write_pcap(frames, times)
}

test_that("CoAP: a repeated CON is a retransmission, silence a loss, tokens make pairs", {
  token <- as.raw(c(1, 2))
  get <- function(id, token) coap_message(0, 1, id, token, "temp")
  file <- coap_capture(list(
    list(at = 1, to_device = TRUE, bytes = get(10, token)),
    list(at = 3, to_device = TRUE, bytes = get(10, token)),
    list(at = 3.05, to_device = FALSE, bytes = coap_message(2, 69, 10, token, payload = "21")),
    list(at = 5, to_device = TRUE, bytes = get(11, as.raw(9))),
    list(at = 6, to_device = TRUE, bytes = get(12, as.raw(8))),
    list(at = 6.01, to_device = FALSE, bytes = coap_message(2, 0, 12))
  ))
  m <- metrics_of(file)
  expect_equal(m[["messages"]], 3)
  expect_equal(m[["retransmissions"]], 1)
  expect_equal(m[["responses"]], 1)
  expect_equal(m[["device_loss_pct"]], 200)
  expect_equal(m[["network_loss_pct"]], 100 / 3)
  expect_equal(m[["request_ack_mean_ms"]], (2050 + 10) / 2)
  closes(m)
})

test_that("a workload over raw TCP and UDP is counted record by record", {
  record <- function(i) sprintf("b1 %d %d ....", i, 1000 * i)
  talk <- tcp_conversation(sport = 9000)
  talk$open()
  talk$say("client", text_raw(record(1)))
  talk$say("client", text_raw(paste0(record(2), record(3))))
  m <- metrics_of(write_pcap(talk$frames, talk$times))
  expect_equal(m[["messages"]], 3)
  expect_equal(m[["frames_with_messages"]], 2)
  closes(m)
  frames <- lapply(1:4, function(i) udp(text_raw(record(i)), device, "10.0.0.1", 5000, 9000))
  m <- metrics_of(write_pcap(frames, 1:4), ports = c(udp = 9000L))
  expect_equal(m[["messages"]], 4)
  expect_equal(m[["interarrival_mean_ms"]], 1000)
  closes(m)
})

test_that("records with the raw protocols' header are messages and acknowledgements", {
  data <- function(seq, text) c(as.raw(c(1, 1)), be16(nchar(text)), be32(seq), text_raw(text))
  ack <- function(seq) c(as.raw(c(2, 0, 0, 0)), be32(seq))
  talk <- tcp_conversation(sport = 7) # the port of Echo, whose dissector must not handle them
  talk$open()
  talk$say("client", c(data(1, "b1:1"), data(2, "b1:22")))
  talk$say("server", ack(1))
  m <- metrics_of(write_pcap(talk$frames, talk$times))
  expect_equal(m[["messages"]], 2)
  expect_equal(m[["ledger_payload_bytes"]], 9)
  expect_equal(m[["ledger_header_bytes"]], 16)
  closes(m)
  frames <- list(udp(data(1, "b1:1"), device, "10.0.0.1", 5000, 7),
                 udp(ack(1), "10.0.0.1", device, 7, 5000))
  m <- metrics_of(write_pcap(frames, 1:2))
  expect_equal(m[["messages"]], 1)
  expect_equal(m[["header_bytes_per_message"]], 8)
  closes(m)
})

test_that("MQTT-SN, WebSocket, AMQP and HTTP messages are found and their ledgers close", {
  sn <- function(...) as.raw(c(...))
  publish <- c(sn(7 + 3, 0x0c, 0x20, 0, 1, 0, 5), text_raw("abc"))
  frames <- list(udp(publish, device, "10.0.0.1", 5000, 10000),
                 udp(sn(7, 0x0d, 0, 1, 0, 5, 0), "10.0.0.1", device, 10000, 5000))
  m <- metrics_of(write_pcap(frames, c(1, 1.5)))
  expect_equal(m[["messages"]], 1)
  expect_equal(m[["ledger_payload_bytes"]], 3)
  expect_equal(m[["request_ack_mean_ms"]], 500)
  closes(m)

  talk <- tcp_conversation(sport = 80)
  talk$open()
  talk$say("client", text_raw("POST /t HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n1234"))
  talk$say("server", text_raw("HTTP/1.1 204 No Content\r\n\r\n"))
  m <- metrics_of(write_pcap(talk$frames, talk$times))
  expect_equal(m[["messages"]], 1)
  expect_equal(m[["ledger_payload_bytes"]], 4)
  closes(m)

  talk <- tcp_conversation(sport = 8080)
  talk$open()
  talk$say("client", text_raw(paste0(
    "GET /w HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n")))
  talk$say("server", text_raw(paste0(
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n",
    "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n")))
  say <- function() talk$say("client", c(as.raw(c(0x82, 0x85, 0, 0, 0, 0)), text_raw("b1 12")))
  say() # as many messages as requests: the opening of the connection does not count
  m <- metrics_of(write_pcap(talk$frames, talk$times))
  expect_equal(m[["ledger_payload_bytes"]], 5)
  expect_equal(m[["connecting_mean_ms"]], 50)
  say()
  m <- metrics_of(write_pcap(talk$frames, talk$times))
  expect_equal(m[["messages"]], 2)
  expect_equal(m[["ledger_payload_bytes"]], 10)
  expect_equal(m[["ledger_header_bytes"]], 12)
  closes(m)
  # a length over 125 stands in two further bytes (RFC 6455, 5.2)
  long <- c(as.raw(c(0x82, 0x80 + 126)), be16(300), as.raw(c(0, 0, 0, 0)),
            text_raw(strrep("b", 300)))
  talk$say("client", c(long, as.raw(c(0x89, 0x80, 0, 0, 0, 0)))) # and a ping in the same segment
  m <- metrics_of(write_pcap(talk$frames, talk$times))
  expect_equal(m[["ledger_payload_bytes"]], 310)
  closes(m)

  talk <- tcp_conversation(sport = 5672)
  talk$open()
  short <- function(x) c(as.raw(nchar(x)), text_raw(x))
  frame <- function(type, channel, body) {
    c(as.raw(type), be16(channel), be32(length(body)), body, as.raw(0xce))
  }
  talk$say("client", c(text_raw("AMQP"), as.raw(c(0, 0, 9, 1))))
  start <- c(be16(10), be16(10), as.raw(c(0, 9)), be32(0), be32(5), text_raw("PLAIN"), be32(5),
             text_raw("en_US"))
  talk$say("server", frame(1, 0, start))
  method <- frame(1, 1, c(be16(60), be16(40), be16(0), short(""), short("q"), as.raw(0)))
  header <- frame(2, 1, c(be16(60), be16(0), be32(0), be32(4), be16(0)))
  talk$say("client", c(method, header, frame(3, 1, text_raw("data"))))
  talk$say("server", frame(1, 1, c(be16(60), be16(80), be32(0), be32(1), as.raw(0))))
  m <- metrics_of(write_pcap(talk$frames, talk$times))
  expect_equal(m[["messages"]], 1)
  expect_equal(m[["ledger_payload_bytes"]], 4)
  expect_equal(m[["ledger_header_bytes"]], length(method) + length(header) + 8)
  closes(m)
})
