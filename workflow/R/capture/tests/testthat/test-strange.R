# Unusual but sound captures, and captures that are refused with a reason.

device <- "10.0.0.2"
said_by <- function(frames, times, ...) {
  said <- character()
  rows <- withCallingHandlers(analyze_capture(write_pcap(frames, times), device, ...),
                              message = function(m) {
                                said <<- c(said, conditionMessage(m))
                                invokeRestart("muffleMessage")
                              })
  list(m = setNames(rows$value, rows$metric), said = paste(said, collapse = ""))
}
closes <- function(m) expect_equal(sum(m[startsWith(names(m), "ledger_")]), m[["captured_bytes"]])
published <- function(n, size = 5, ...) {
  talk <- tcp_conversation(...)
  talk$open()
  for (i in seq_len(n)) talk$say("client", mqtt_publish("t", strrep("x", size)))
  talk
}
from_client <- function(talk) vapply(talk$frames, function(f) f[30] == as.raw(2), NA)

test_that("checksums that a card fills in are no damage, in a capture of any length", {
  for (how in c("length", "none", "zero")) {
    talk <- published(1)
    talk$frames[from_client(talk)] <- lapply(talk$frames[from_client(talk)], unfinished, how)
    r <- said_by(talk$frames[4], talk$times[4])
    expect_equal(r$m[["messages"]], 1, info = how)
    talk <- published(6, size = 300)
    talk$frames[8] <- list(unfinished(talk$frames[[8]], how)) # one conversation, one direction
    expect_equal(said_by(talk$frames, talk$times)$m[["messages"]], 6, info = how)
  }
  talk$frames[[8]][51:52] <- as.raw(c(0x12, 0x34))
  expect_error(said_by(talk$frames, talk$times), "frame 8: has a wrong TCP checksum",
               class = "thinwire_input_error")
})

test_that("segments that a card joins or cuts are reported, and measured", {
  talk <- published(3)
  talk$say("client", unlist(lapply(1:9, function(i) mqtt_publish("t", strrep("y", 500)))))
  talk$frames[[10]] <- unfinished(talk$frames[[10]])
  r <- said_by(talk$frames, talk$times)
  expect_match(r$said, "frame 10: is larger than the link")
  expect_equal(r$m[["messages"]], 12)
  closes(r$m)
  expect_no_match(said_by(published(3)$frames, published(3)$times)$said, "larger")
})

test_that("packets that stand twice count once, and are reported", {
  talk <- published(5)
  number <- function(frames) {
    Map(function(f, id) {
      f[19:20] <- be16(id)
      f[25:26] <- as.raw(0)
      f[25:26] <- be16(internet_checksum(f[15:34]))
      f
    }, frames, seq_along(frames))
  }
  frames <- number(talk$frames)
  other <- lapply(frames, function(f) c(as.raw(rep(9, 12)), f[-(1:12)]))
  twice <- said_by(rbind(frames, other), rbind(talk$times, talk$times + 0.0005))
  once <- said_by(frames, talk$times)
  expect_match(twice$said, "13 packets stand twice")
  same <- setdiff(grep("captured|ledger_other|ci95", names(once$m), value = TRUE, invert = TRUE),
                  "interarrival")
  expect_equal(twice$m[same], once$m[same])
  expect_equal(twice$m[["ledger_other_bytes"]], sum(lengths(other)))
  closes(twice$m)
  coap <- lapply(1:4, function(i) {
    udp(coap_message(0, 2, 1, as.raw(1), "t"), device, "10.0.0.1", 40000, 5683)
  })
  expect_equal(said_by(coap, c(1, 3, 7, 15))$m[["retransmissions"]], 3) # not a copy
})

test_that("times that jump or lie before 1970 are refused", {
  talk <- published(9)
  n <- length(talk$times)
  for (shift in c(-5, 40 * 86400)) {
    times <- talk$times + c(rep(0, 10), rep(shift, n - 10))
    expect_error(said_by(talk$frames, times), "frame 11: has a time far from the frame before",
                 class = "thinwire_input_error")
    expect_equal(said_by(talk$frames, times, strict = FALSE)$m[["messages"]], 9)
  }
  expect_equal(seconds_since(c("-1.25", "-0.25", "0.75"), "-1.25"), c(0, 1, 2))
  p <- dissect(write_pcap(talk$frames, talk$times))
  p[3, epoch := "-1.25"]
  expect_equal(integrity_findings(p, device, sums = FALSE)$problem, "has a time before 1970")
})

test_that("a time whose fraction is a second or more is read as every Wireshark means it", {
  talk <- published(3)
  file <- write_pcap(talk$frames, talk$times)
  bytes <- readBin(file, "raw", file.size(file))
  bytes[29:32] <- le32(1.5e9) # the first packet's nanoseconds
  writeBin(bytes, file)
  expect_equal(dissect(file)$epoch[1L], "1001.500000000")
  printed <- c("7.5", "1000.(1000000000 nanoseconds)", "1000.1000000000", "-1.25")
  expect_equal(plain_epoch(printed), c("7.5", "1001.000000000", "1001.000000000", "-1.25"))
})

test_that("what can be read of a cut file is measured unless the capture has to be sound", {
  talk <- published(8)
  whole <- write_pcap(talk$frames, talk$times)
  bytes <- readBin(whole, "raw", file.size(whole))
  file <- tempfile(fileext = ".pcap")
  writeBin(head(bytes, -100L), file)
  expect_error(analyze_capture(file, device), "cut short", class = "thinwire_input_error")
  expect_message(rows <- analyze_capture(file, device, strict = FALSE),
                 "end: cannot be read: measured are the 17 packets before it")
  expect_equal(rows[metric == "messages", value], 7)
})

test_that("a part without a frame of the session is measured in silence", {
  talk <- published(3)
  strangers <- rep(list(udp(text_raw("other"), "10.0.0.7", "10.0.0.8", 7000, 7001)), 60)
  file <- write_pcap(c(talk$frames, strangers), c(talk$times, max(talk$times) + seq_len(60) / 10))
  expect_silent(parts <- analyze_capture(file, device, part = 20, margin = 5))
  expect_equal(parts[metric == "messages", value], 3)
})

test_that("sessions on ports of their own are recognised in their middle, several at once", {
  mqtt <- published(4, sport = 2000, client = device)
  socket <- tcp_conversation(sport = 8088, cport = 51000, start = 2000)
  for (i in 1:3) socket$say("client", c(as.raw(c(0x82, 0x85, 0, 0, 0, 0)), text_raw("b1 12")))
  amqp <- tcp_conversation(sport = 5700, cport = 52000, start = 3000)
  for (i in 1:3) amqp$say("client", amqp_publish("data"))
  middle <- tail(mqtt$frames, -3L)
  p <- dissect(write_pcap(c(middle, amqp$frames), c(tail(mqtt$times, -3L), amqp$times)))
  expect_equal(sort(guess_ports(p, device)), c(mqtt = 2000L, amqp = 5700L))
  expect_equal(said_by(middle, tail(mqtt$times, -3L))$m[["messages"]], 4)
  expect_equal(said_by(socket$frames, socket$times)$m[["messages"]], 3)
  expect_equal(said_by(amqp$frames, amqp$times)$m[["messages"]], 3)
  chatter <- tcp_conversation(sport = 2000)
  for (i in 1:5) chatter$say("client", text_raw(strrep("0 hello", i)))
  expect_error(said_by(chatter$frames, chatter$times), "no protocol is recognised",
               class = "thinwire_input_error")
})

test_that("an AMQP confirm has a tag of 64 bits", {
  talk <- tcp_conversation(sport = 5672)
  talk$open()
  for (i in 1:2) talk$say("client", amqp_publish("data"), ack = FALSE)
  talk$say("server", amqp_ack(0, upper = 256, multiple = TRUE))
  expect_warning(said <- said_by(talk$frames, talk$times), NA)
  expect_equal(said$m[["request_ack_mean_ms"]], 15)
})

test_that("a session without messages is measured, though only the server's side is there", {
  talk <- tcp_conversation()
  for (i in 1:3) talk$say("server", as.raw(c(0xd0, 0)), ack = FALSE) # PINGRESP
  m <- said_by(talk$frames, talk$times)$m
  expect_equal(m[["messages"]], 0)
  closes(m)
})

test_that("a service that nobody knows does not hide another", {
  unknown <- udp(text_raw("other"), device, "10.0.0.8", 40000, 700)
  coap <- udp(as.raw(c(0x40, 0x01, 0x12, 0x34)), device, "10.0.0.1", 40001, 7000)
  p <- dissect(write_pcap(list(unknown, coap, coap), 1:3))
  expect_equal(guess_ports(p, device), c(coap = 7000L))
})

test_that("CoAP over TCP is named", {
  talk <- tcp_conversation(sport = 5683)
  talk$open()
  talk$say("client", as.raw(c(0x00, 0xe1))) # a Capabilities and Settings Message
  talk$say("client", c(as.raw(c(0x21, 0x01, 0x07, 0xb1)), text_raw("t")))
  expect_error(said_by(talk$frames, talk$times), "CoAP over TCP .RFC 8323.",
               class = "thinwire_input_error")
})
