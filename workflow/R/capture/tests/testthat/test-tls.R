# TLS and DTLS in the ledger, on real captures with and without their keys. The expected values were
# added up by hand from the records' lengths.

secured <- function(name, device, keys = TRUE, ports = NULL) {
  rows <- suppressMessages(analyze_capture(secured_capture(name, keys), device, ports = ports))
  setNames(rows$value, rows$metric)
}
closes <- function(m) expect_equal(sum(m[startsWith(names(m), "ledger_")]), m[["captured_bytes"]])
accounts <- function(m, ...) unname(m[paste0("ledger_", c(...), "_bytes")])

test_that("MQTT over TLS 1.2: handshake, record, header and payload are distinguished", {
  m <- secured("mqtt_tls12", "10.77.1.1")
  closes(m)
  expect_equal(m[["messages"]], 2)
  expect_equal(accounts(m, "payload", "header"), 2 * c(100, 13))
  expect_equal(accounts(m, "record"), 2 * (5 + 8 + 16))
  full <- 117 + 1236 + 126 + 242 # and the goodbyes of both sides, 31 each
  resumed <- 325 + 141
  shared <- 51 # ChangeCipherSpec and Finished share a segment with CONNECT
  expect_equal(accounts(m, "handshake"),
               full + resumed + shared + 4 * 31 + (4 + 2 + 4) * 54)
})

test_that("without keys the heads of records are reported, and types of the handshake", {
  m <- secured("mqtt_tls12", "10.77.1.1", keys = FALSE)
  closes(m)
  expect_equal(m[["messages"]], 2 * 3) # CONNECT, PUBLISH, DISCONNECT
  expect_equal(accounts(m, "record"), 2 * 5 * 5)
  expect_equal(accounts(m, "payload"), 2 * (40 + 28 + 137 + 28 + 26))
  expect_equal(accounts(m, "header"), 0)
  expect_equal(accounts(m, "handshake"), secured("mqtt_tls12", "10.77.1.1")[[
    "ledger_handshake_bytes"]])
})

test_that("CoAP over DTLS: a message is what its record carries", {
  m <- secured("coap_dtls12", "10.77.1.1")
  closes(m)
  expect_equal(m[["messages"]], 10)
  expect_equal(accounts(m, "payload"), 1000)
  expect_equal(accounts(m, "record"), 10 * 2 * (13 + 8 + 8))
  expect_equal(accounts(m, "handshake"), 590 + 2 * 31 + 8 * 42)
  bare <- secured("coap_dtls12", "10.77.1.1", keys = FALSE)
  closes(bare)
  expect_equal(accounts(bare, "record"), 10 * 2 * 13)
  expect_equal(accounts(bare, "handshake"), accounts(m, "handshake"))
})

test_that("HTTP over TLS 1.3: a request of several records, types from inside", {
  m <- secured("http_tls13", "127.0.0.1", ports = c(tls = 4413))
  closes(m)
  expect_equal(m[["messages"]], 2)
  expect_equal(accounts(m, "payload"), 10 + 100 + 5 + 300)
  expect_equal(accounts(m, "record"), 2 * 4 * (5 + 1 + 16))
  closes(secured("http_tls13", "127.0.0.1", keys = FALSE, ports = c(tls = 4413)))
})

test_that("the packets table keeps what records are known by", {
  p <- suppressMessages(dissect(secured_capture("mqtt_tls12")))
  file <- tempfile(fileext = ".csv.gz")
  write_packets(p, file)
  expect_equal(messages(read_packets(file)), messages(p))
  expect_equal(read_packets(file)$sealed, p$sealed)
})

test_that("a record's expansion follows its suite", {
  suites <- c("0xc02b", "0xc0a8", "0xcca9", "0x1301", "0x1305", "0xc02c", "0xc023", NA)
  expect_equal(record_expansion(suites), c(24, 16, 16, 17, 9, 24, NA, NA))
  expect_equal(record_tag(suites)[1:6], c(16, 8, 16, 16, 8, 16))
})

test_that("a connection's own bytes and time are reported, of a resumed session apart", {
  m <- secured("mqtt_tls12", "10.77.1.1")
  expect_equal(m[["conversations"]], 2)
  expect_equal(m[["connecting_mean_ms"]], 3379.516672 - 1.460992) # SYN to CONNACK
  expect_equal(m[["connecting_resumed_mean_ms"]], 4003.911264 - 3985.545984, tolerance = 1e-4)
  expect_equal(m[["handshake_bytes"]], 117 + 1236 + 126 + 242)
  expect_equal(m[["handshake_resumed_bytes"]], 325 + 141 + 51)
  expect_equal(m[["record_overhead_bytes"]], 5 + 8 + 16)
  expect_equal(m[["record_framing_bytes"]], 5 + 8)
  exchange <- 142 + 33 + 2 * 54 # PUBLISH and PUBACK, which acknowledges it
  expect_equal(m[["exchange_bytes_per_message"]], exchange)
  p <- suppressMessages(dissect(secured_capture("mqtt_tls12")))
  whole <- p[startsWith(stream, "tcp"), .(bytes = sum(len)), by = stream]$bytes
  expect_equal(unname(m[c("connection_bytes", "connection_resumed_bytes")]), whole - exchange)
})

test_that("a session of TLS 1.3 that a ticket resumed is distinguished from a full one", {
  m <- secured("mqtt_tls13", "10.77.1.1")
  closes(m)
  expect_equal(accounts(m, "payload", "record"), 5 * c(100, 5 + 1 + 16))
  expect_equal(m[["conversations"]], 5)
  p <- suppressMessages(dissect(secured_capture("mqtt_tls13")))
  whole <- p[startsWith(stream, "tcp"), .(bytes = sum(len)), by = stream]$bytes
  costs <- paste0(c("record_overhead", "record_framing", "handshake", "handshake_resumed"),
                  "_bytes")
  expect_equal(unname(m[costs[1:2]]), c(5 + 1 + 16, 5 + 1))
  expect_lt(m[["handshake_resumed_bytes"]], m[["handshake_bytes"]])
  bare <- secured("mqtt_tls13", "10.77.1.1", keys = FALSE) # neither content nor ticket is known
  expect_equal(costs %in% names(bare), c(FALSE, FALSE, TRUE, FALSE))
  own <- whole - m[["exchange_bytes_per_message"]]
  expect_equal(m[["connection_bytes"]], own[1L])
  expect_equal(m[["connection_resumed_bytes"]], mean(own[-1L]))
  expect_gt(m[["connecting_mean_ms"]], 3000) # the chain is verified
  expect_lt(m[["connecting_resumed_mean_ms"]], 1000)
  # a key that no server gave has no age: that is no resumption
  p[, tls_ticket_age := gsub("[0-9]+", "0", tls_ticket_age)]
  expect_length(resumed_streams(p), 0L)
})

test_that("the end of a DTLS session is no part of an exchange, and keep-alives are counted", {
  m <- secured("coap_dtls12", "10.77.1.1")
  expect_equal(m[["connection_bytes"]], m[["ledger_handshake_bytes"]])
  expect_equal(m[["handshake_bytes"]], 590)
  expect_equal(m[["record_overhead_bytes"]], 13 + 8 + 8)
  expect_equal(m[["record_framing_bytes"]], 13 + 8)
  expect_equal(m[["disconnect_bytes"]], 2 * (31 + 42))
  expect_false("keepalives" %in% names(m))
  talk <- tcp_conversation()
  talk$open()
  talk$say("client", mqtt_connect())
  talk$say("server", mqtt_connack())
  talk$say("client", mqtt_packet(0xc0, raw()))
  talk$say("server", mqtt_packet(0xd0, raw()))
  talk$say("client", mqtt_publish("t", "hello"))
  rows <- suppressMessages(analyze_capture(write_pcap(talk$frames, talk$times), "10.0.0.2"))
  expect_equal(rows[metric == "keepalives", value], 1)
  expect_equal(rows[metric == "connecting_mean_ms", value], 50) # to the CONNACK, not to the ping
})

test_that("a DTLS session with a connection ID is one conversation, also from another port", {
  m <- secured("coap_cid", "127.0.0.1")
  closes(m)
  expect_equal(m[["conversations"]], 1)
  expect_equal(m[["messages"]], 8)
  expect_equal(accounts(m, "payload"), 800)
  # the server has an ID of 4 bytes and the inner type, the device has none
  expect_equal(accounts(m, "record"), 8 * ((13 + 4 + 8 + 1 + 8) + (13 + 8 + 8)))
  expect_equal(m[["record_overhead_cid_bytes"]], 13 + 4 + 8 + 1 + 8)
  expect_equal(m[["handshake_bytes"]], 92 + 60 + 124 + 140 + 101 + 67)
  expect_equal(m[["connection_bytes"]], m[["ledger_handshake_bytes"]])
  bare <- secured("coap_cid", "127.0.0.1", keys = FALSE)
  closes(bare)
  expect_equal(bare[["handshake_bytes"]], m[["handshake_bytes"]])
})
