# HTTP, TLS and sessions over TCP: unusual but valid contents of frames and conversations.

device <- "10.0.0.2"
measured <- function(talk, times = talk$times) {
  rows <- suppressMessages(analyze_capture(write_pcap(talk$frames, times), device))
  setNames(rows$value, rows$metric)
}
closes <- function(m) expect_equal(sum(m[startsWith(names(m), "ledger_")]), m[["captured_bytes"]])
get <- "GET /g HTTP/1.1\r\nHost: a\r\n\r\n"
post <- function(n) sprintf("POST /p HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s", n, strrep("x", n))
chunked <- function(...) {
  sizes <- vapply(c(...), function(part) sprintf("%x\r\n%s\r\n", nchar(part), part), "")
  paste0("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", paste(sizes, collapse = ""),
         "0\r\n\r\n")
}
empty <- "HTTP/1.1 204 No Content\r\n\r\n"

test_that("pipelined HTTP requests each get their own answer and body", {
  talk <- tcp_conversation(sport = 80)
  talk$open()
  talk$say("client", text_raw(paste0(get, post(4), get)))
  talk$say("server", text_raw("HTTP/1.1 100 Continue\r\n\r\n"))
  talk$say("server", text_raw(chunked("hello", "wor")))
  talk$say("server", text_raw(paste0(empty, chunked("abc"))))
  m <- measured(talk)
  expect_equal(m[["messages"]], 3)
  expect_equal(m[["responses"]], 3)
  expect_equal(m[["device_loss_pct"]], 0)
  expect_equal(m[["ledger_payload_bytes"]], 4 + 8 + 3)
  expect_equal(m[["response_mean_ms"]], (40 + 60 + 60) / 3)
  closes(m)
})

test_that("an answer from before the capture is nobody's", {
  talk <- tcp_conversation(sport = 80)
  talk$say("server", text_raw(empty))
  for (i in 1:3) {
    talk$say("client", text_raw(post(5)))
    talk$say("server", text_raw(empty))
  }
  m <- measured(talk)
  expect_equal(m[["messages"]], 3)
  expect_equal(m[["responses"]], 3)
  expect_equal(m[["response_mean_ms"]], 20)
  closes(m)
})

test_that("a chunked body over several segments counts once", {
  talk <- tcp_conversation(sport = 80)
  talk$open()
  body <- paste0("POST /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
                 "3\r\nabc\r\n5\r\nabcde\r\n0\r\n\r\n")
  talk$say("client", text_raw(substr(body, 1, 56)))
  talk$say("client", text_raw(substr(body, 57, nchar(body))))
  talk$say("server", text_raw(empty))
  m <- measured(talk)
  expect_equal(m[["messages"]], 1)
  expect_equal(m[["ledger_payload_bytes"]], 8)
  closes(m)
})

record <- function(type, size) c(as.raw(c(type, 3, 3)), be16(size), as.raw(rep(0xaa, size)))
hello <- function(client, version) {
  body <- c(as.raw(c(3, 3)), as.raw(rep(7, 32)), as.raw(0),
            if (client) c(be16(2), be16(0x1301), as.raw(c(1, 0))) else c(be16(0x1301), as.raw(0)))
  extension <- if (client) c(be16(43), be16(3), as.raw(2), be16(version)) else
    c(be16(43), be16(2), be16(version))
  body <- c(body, be16(length(extension)), extension)
  body <- c(as.raw(c(if (client) 1 else 2, 0)), be16(length(body)), body)
  c(as.raw(c(22, 3, 3)), be16(length(body)), body)
}

test_that("TLS: records of the handshake are no messages, whatever shares a frame with them", {
  talk <- tcp_conversation(sport = 8883)
  talk$open()
  talk$say("client", hello(TRUE, 0x0304))
  talk$say("server", c(hello(FALSE, 0x0304), record(20, 1), record(23, 400), record(23, 60)))
  talk$say("client", c(record(20, 1), record(23, 53), record(23, 100)))
  talk$say("server", record(23, 90))
  talk$say("client", record(23, 100))
  m <- measured(talk)
  expect_equal(m[["messages"]], 2)
  expect_equal(m[["ledger_payload_bytes"]], 2 * 100 + 90)
  closes(m)
})

test_that("TLS 1.2 and a session whose beginning was not captured: all of type 23 are messages", {
  talk <- tcp_conversation(sport = 8883)
  talk$open()
  talk$say("client", c(record(20, 1), record(22, 40), record(23, 30)))
  talk$say("client", record(23, 30))
  m <- measured(talk)
  expect_equal(m[["messages"]], 2)
  closes(m)
  talk$frames <- tail(talk$frames, 2L)
  expect_equal(measured(talk, 1:2)[["messages"]], 1)
})

#' MQTT sessions of the device, from ports of their own: each list(start, seconds between messages).
sessions <- function(...) {
  talks <- lapply(seq_along(list(...)), function(i) {
    talk <- tcp_conversation(cport = 50000 + i, start = list(...)[[i]])
    talk$open()
    talk$say("client", mqtt_connect())
    for (k in 1:3) {
      talk$now <- list(...)[[i]] + k
      talk$say("client", mqtt_publish("t", "hello"))
    }
    talk
  })
  self <- new.env()
  self$add <- function(talk, ..., at) {
    talk$now <- at
    talk$add(...)
  }
  self$talks <- talks
  self
}
joined <- function(talks) {
  times <- unlist(lapply(talks, function(talk) talk$times))
  list(frames = unlist(lapply(talks, function(talk) talk$frames), FALSE)[order(times)],
       times = sort(times))
}
crashes <- function(s) {
  m <- measured(joined(s$talks))
  closes(m)
  m[c("device_crashes", "device_offline_s")]
}

test_that("a crash is a session that was lost: silence ends with the new one", {
  s <- sessions(1000, 1020)
  expect_equal(unname(crashes(s)), c(1, 17))
  # the old connection's RST, which a restarted device sends when its server repeats something
  s$add(s$talks[[1]], "server", raw(), 0x10, at = 1030)
  s$add(s$talks[[1]], "client", raw(), 0x04, at = 1030.1)
  expect_equal(unname(crashes(s)), c(1, 17))
})

test_that("handshakes that are given up, sessions closed or side by side are no crashes", {
  s <- sessions(1000, 1020)
  failed <- tcp_conversation(cport = 50009, start = 1010)
  failed$add("client", raw(), 0x02, mss = 1440)
  failed$add("server", raw(), 0x12)
  failed$add("client", raw(), 0x14)
  s$talks <- list(s$talks[[1]], failed)
  expect_equal(unname(crashes(s)), c(0, 0))
  s <- sessions(1000, 1020)
  s$add(s$talks[[1]], "client", raw(), 0x11, at = 1005)
  expect_equal(unname(crashes(s)), c(0, 0))
  s <- sessions(1000, 1002)
  s$add(s$talks[[1]], "client", raw(), 0x10, at = 1006)
  expect_equal(unname(crashes(s)), c(0, 0))
})

test_that("messages that share a segment are no loss", {
  talk <- tcp_conversation()
  talk$open()
  talk$say("client", c(mqtt_publish("t", "one"), mqtt_publish("t", "two")))
  m <- measured(talk)
  expect_false("device_loss_pct" %in% names(m))
  expect_equal(m[["messages_behind_first_pct"]], 50)
  expect_equal(m[["network_loss_pct"]], 0)
})

test_that("a WebSocket that opened in an earlier part is read in the later ones", {
  socket <- tcp_conversation(sport = 80)
  socket$open()
  socket$say("client", text_raw(paste0(
    "GET /w HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n")))
  socket$say("server", text_raw(paste0(
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n",
    "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n")))
  for (i in 1:30) socket$say("client", c(as.raw(c(0x82, 0x85, 0, 0, 0, 0)), text_raw("b1 12")))
  file <- write_pcap(socket$frames, socket$times)
  parts <- examine_capture(file, "10.0.0.2", part = 20, margin = 4)$metrics
  whole <- examine_capture(file, "10.0.0.2", ports = c(websocket = 80L))$metrics
  same <- c("messages", "ledger_payload_bytes", "ledger_header_bytes", "ledger_session_bytes")
  expect_equal(parts[metric %in% same, value], whole[metric %in% same, value])
  expect_equal(whole[metric == "messages", value], 30)
})
