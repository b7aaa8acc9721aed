# Is the requested workload measured, and nothing that is not a message?

device <- "10.0.0.2"
other <- "10.0.0.1"
analyzed <- function(frames, times = seq_along(frames), who = device, ...) {
  rows <- suppressMessages(analyze_capture(write_pcap(frames, times), who, ...))
  setNames(rows$value, rows$metric)
}
closes <- function(m) expect_equal(sum(m[startsWith(names(m), "ledger_")]), m[["captured_bytes"]])
published <- function(topics) {
  talk <- tcp_conversation()
  talk$open()
  for (topic in topics) talk$say("client", mqtt_publish(topic, "hello"))
  talk
}

test_that("of a device that speaks two protocols the more frequent one is measured, alone", {
  talk <- published(rep("t", 5))
  coap <- lapply(1:3, function(i) {
    udp(coap_message(1, 2, i, as.raw(i), "t"), device, other, 40000, 5683)
  })
  m <- analyzed(c(coap, talk$frames), c(talk$times[1] - 3:1, talk$times))
  expect_equal(m[["messages"]], 5)
  expect_equal(m[["conversations"]], 1)
  expect_equal(m[["ledger_other_bytes"]], sum(lengths(coap)))
  closes(m)
})

test_that("all topics are measured, or those that a filter with wildcards names", {
  talk <- published(sprintf("site/%d/temp", 1:50))
  count <- function(topic) analyzed(talk$frames, talk$times, topic = topic)[["messages"]]
  m <- analyzed(talk$frames, talk$times)
  expect_equal(m[["messages"]], 50)
  expect_lt(m[["bytes_per_message"]], 150)
  for (filter in c("#", "site/#", "site/+/temp", "+/+/+", "site/+/temp/#")) {
    expect_equal(count(filter), 50, info = filter)
  }
  expect_equal(count("site/1/#"), 1)
  expect_equal(count("site/7/temp"), 1)
  for (filter in c("site", "+", "site/+", "/site/#", "site/./temp")) {
    expect_error(count(filter), "no message on topic", class = "thinwire_input_error")
  }
  expect_error(count("site/#/temp"), "not its last level", class = "thinwire_input_error")
  expect_equal(topic_matches(c("$SYS/a", "a", "/a"), "#", rep("mqtt", 3)), c(FALSE, TRUE, TRUE))
  expect_equal(topic_matches(c("a", "/a", "b"), "/a", rep("coap", 3)), c(TRUE, TRUE, FALSE))
})

test_that("a session without a message gives the session's numbers", {
  talk <- tcp_conversation()
  talk$open()
  talk$say("client", mqtt_connect())
  talk$say("server", mqtt_connack())
  talk$say("client", mqtt_subscribe("t"))
  talk$say("client", as.raw(c(0xc0, 0)))
  talk$say("server", as.raw(c(0xd0, 0)))
  m <- analyzed(talk$frames, talk$times)
  expect_equal(m[["messages"]], 0)
  expect_equal(m[["conversations"]], 1)
  expect_equal(m[["device_mss_bytes"]], 1440)
  expect_true(all(is.finite(m)))
  expect_false("bytes_per_message" %in% names(m))
  expect_equal(m[["connect_bytes"]], sum(lengths(talk$frames)))
  closes(m)
})

test_that("unknown payload is not recognised, unless it is asked for", {
  frames <- lapply(1:9, function(i) udp(as.raw(c(0xf7, i, 0xff)), device, other, 4000, 9999))
  expect_error(analyzed(frames), "no protocol is recognised .*9 packets udp:data, port 4000",
               class = "thinwire_input_error")
  m <- analyzed(frames, ports = c(udp = 9999L))
  expect_equal(m[["messages"]], 9)
  expect_equal(m[["ledger_payload_bytes"]], 27)
  closes(m)
})

test_that("packets that ICMP errors quote are no messages", {
  request <- function(i) udp(coap_message(0, 2, i, as.raw(i), "t"), device, other, 40000, 5683)
  error <- function(i) {
    body <- c(as.raw(c(3, 3, 0, 0, 0, 0, 0, 0)), request(i)[-(1:14)])
    body[3:4] <- be16(internet_checksum(body))
    ethernet(ipv4(body, other, device, 1))
  }
  frames <- c(lapply(1:4, request), lapply(1:4, error))
  m <- analyzed(frames)
  expect_equal(m[["messages"]], 4)
  expect_equal(m[["retransmissions"]], 0)
  expect_equal(m[["ledger_other_bytes"]], sum(lengths(frames[5:8])))
  closes(m)
  six <- function(n) address6(c(0xfd), n)
  asked <- function(i) {
    body <- c(be16(40000), be16(5683), be16(8), be16(0), coap_message(0, 2, i, as.raw(i), "t"))
    body[5:6] <- be16(length(body))
    body[7:8] <- be16(internet_checksum(c(six(2), six(1), be32(length(body)), be32(17), body)))
    ipv6(body, six(2), six(1), 17)
  }
  refusal <- function(i) {
    body <- c(as.raw(c(1, 4, 0, 0, 0, 0, 0, 0)), asked(i))
    body[3:4] <- be16(internet_checksum(c(six(1), six(2), be32(length(body)), be32(58), body)))
    ethernet(ipv6(body, six(1), six(2), 58), type = 0x86dd)
  }
  frames <- c(lapply(1:3, function(i) ethernet(asked(i), type = 0x86dd)), lapply(1:3, refusal))
  for (spelling in c("fd00::2", "FD00:0:0:0:0:0:0:2", "[fd00:0000::0002]", "fd00::2%eth0")) {
    m <- analyzed(frames, who = spelling)
    expect_equal(m[["messages"]], 3, info = spelling)
    expect_equal(m[["ledger_other_bytes"]], sum(lengths(frames[4:6])))
    closes(m)
  }
})

test_that("addresses are spelled as tshark spells them", {
  pairs <- c("2001:DB8::1" = "2001:db8::1", "::" = "::", "::1" = "::1", "0:0:0:0:0:0:0:1" = "::1",
             "2001:db8:0:0:1:0:0:1" = "2001:db8::1:0:0:1", "1:0:3:4:5:6:7:8" = "1:0:3:4:5:6:7:8",
             "fe80::" = "fe80::", "::ffff:10.0.0.2" = "::ffff:10.0.0.2", "10.0.0.2" = "10.0.0.2",
             "1:2:3" = "1:2:3", "1::2::3" = "1::2::3", "::ffff:a00:2" = "::ffff:10.0.0.2")
  for (i in seq_along(pairs)) expect_equal(plain_address(names(pairs)[i]), pairs[[i]])
})

test_that("fragments count as the packet that they make, and the ledger closes", {
  payload <- strrep("x", 2500)
  asked <- udp(coap_message(0, 2, 1, as.raw(1), "t", payload), device, other, 40000, 5683)
  answer <- udp(coap_message(2, 68, 1, as.raw(1)), other, device, 5683, 40000)
  pieces <- fragments4(asked, 1200)
  m <- analyzed(c(pieces, list(answer)))
  expect_length(pieces, 3L)
  expect_equal(m[["messages"]], 1)
  expect_equal(m[["packets_per_message"]], 4)
  expect_equal(m[["ledger_payload_bytes"]], 2500)
  expect_equal(m[["ledger_network_bytes"]], 4 * 20)
  expect_equal(m[["ledger_transport_bytes"]], 2 * 8)
  expect_equal(m[["ledger_other_bytes"]], 0)
  closes(m)
  m <- analyzed(c(rev(pieces), list(answer)))
  expect_equal(m[["ledger_payload_bytes"]], 2500)
  closes(m)
  # a repeated CoAP message is a retransmission with all its fragments
  m <- analyzed(c(pieces, pieces, list(answer)), c(1:3, 4:6, 7))
  expect_equal(m[["ledger_retransmission_bytes"]], sum(lengths(pieces)))
  closes(m)
})

test_that("IPv6 fragments, likewise", {
  six <- function(n) address6(c(0xfd), n)
  coap <- coap_message(0, 2, 1, as.raw(1), "t", strrep("x", 2000))
  body <- c(be16(40000), be16(5683), be16(8 + length(coap)), be16(0), coap)
  body[7:8] <- be16(internet_checksum(c(six(2), six(1), be32(length(body)), be32(17), body)))
  piece <- function(at, more) {
    head <- c(as.raw(c(17, 0)), be16(at + more), be32(99))
    ethernet(ipv6(c(head, body[seq(at + 1, min(at + 1200, length(body)))]), six(2), six(1), 44),
             type = 0x86dd)
  }
  m <- analyzed(list(piece(0, 1), piece(1200, 0)), who = "fd00::2")
  expect_equal(m[["messages"]], 1)
  expect_equal(m[["ledger_payload_bytes"]], 2000)
  expect_equal(m[["ledger_network_bytes"]], 2 * 48)
  expect_equal(m[["packets_per_message"]], 2)
  closes(m)
})

test_that("the packet inside VXLAN, GRE, IP in IP and VLANs has the addresses that count", {
  talk <- published(rep("t", 4))
  packets <- lapply(talk$frames, function(f) f[-(1:14)])
  wrap <- list(
    vxlan = function(f) {
      udp(c(as.raw(c(8, 0, 0, 0, 0, 0, 5, 0)), f), "192.0.2.1", "192.0.2.2", 40000, 4789)
    },
    gre = function(f) {
      ethernet(ipv4(c(be16(0), be16(0x800), f[-(1:14)]), "192.0.2.1", "192.0.2.2", 47))
    },
    ipip = function(f) ethernet(ipv4(f[-(1:14)], "192.0.2.1", "192.0.2.2", 4)),
    sixin = function(f) {
      ethernet(ipv6(f[-(1:14)], address6(0x20, 1), address6(0x20, 2), 4), type = 0x86dd)
    },
    vlans = function(f) c(f[1:12], be16(0x88a8), be16(5), be16(0x8100), be16(6), f[-(1:12)]))
  for (name in names(wrap)) {
    m <- analyzed(lapply(talk$frames, wrap[[name]]), talk$times)
    expect_equal(m[["messages"]], 4, info = name)
    expect_equal(m[["device_mss_bytes"]], 1440, info = name)
    expect_equal(m[["ledger_network_bytes"]], 4 * 20, info = name)
    closes(m)
  }
})

test_that("6LoWPAN in IEEE 802.15.4 in ZEP: the sensor has the address that counts", {
  six <- function(n) address6(c(0xfd), n)
  frames <- lapply(1:3, function(i) {
    coap <- coap_message(0, 2, i, as.raw(i), "t")
    body <- c(be16(40000), be16(5683), be16(8 + length(coap)), be16(0), coap)
    body[7:8] <- be16(internet_checksum(c(six(2), six(1), be32(length(body)), be32(17), body)))
    mac <- c(as.raw(c(0x41, 0x88, i, 0xcd, 0xab, 2, 0, 1, 0)), as.raw(0x41),
             ipv6(body, six(2), six(1), 17))
    mac <- c(mac, le16(crc16(mac)))
    zep <- c(text_raw("EX"), as.raw(c(2, 1, 26, 0, 1, 1, 0)), as.raw(rep(0, 8)), be32(i),
             as.raw(rep(0, 10)), as.raw(length(mac)), mac)
    udp(zep, "192.0.2.1", "192.0.2.2", 17754, 17754)
  })
  m <- analyzed(frames, who = "fd00::2")
  expect_equal(m[["messages"]], 3)
  expect_equal(m[["ledger_network_bytes"]], 3 * 40)
  closes(m)
})

test_that("on a loopback interface publish and delivery are apart", {
  local <- "127.0.0.1"
  up <- tcp_conversation(client = local, server = local, cport = 50001)
  down <- tcp_conversation(client = local, server = local, cport = 50002)
  down$now <- 1000.001
  for (talk in list(up, down)) talk$open()
  for (i in 1:5) {
    up$say("client", mqtt_publish("t", "hello", qos = 1, id = i))
    down$now <- up$now + 0.001
    down$say("server", mqtt_publish("t", "hello"))
  }
  m <- analyzed(c(up$frames, down$frames)[order(c(up$times, down$times))],
                sort(c(up$times, down$times)), who = local)
  expect_equal(m[["messages"]], 5)
  closes(m)
})

test_that("frames with the same time are in the order of the capture", {
  frames <- unlist(recursive = FALSE, lapply(1:3, function(i) {
    list(udp(coap_message(0, 1, i, as.raw(7), "t"), device, other, 40000, 5683),
         udp(coap_message(2, 69, i, as.raw(7)), other, device, 5683, 40000))
  }))
  m <- analyzed(frames, rep(10, 6))
  expect_equal(m[["responses"]], 3)
  expect_equal(m[["response_mean_ms"]], 0)
  expect_equal(m[["network_loss_pct"]], 0)
})

test_that("CoAP: empty tokens are matched by message ID, answers to a group by token", {
  frames <- list(udp(coap_message(0, 1, 1, raw(), "a"), device, other, 40000, 5683),
                 udp(coap_message(0, 1, 2, raw(), "b"), device, other, 40000, 5683),
                 udp(coap_message(2, 69, 1), other, device, 5683, 40000),
                 udp(coap_message(2, 69, 2), other, device, 5683, 40000))
  m <- analyzed(frames, c(1, 1.5, 2, 3))
  expect_equal(m[["responses"]], 2)
  expect_equal(m[["response_mean_ms"]], 1250)
  group <- list(udp(coap_message(1, 1, 1, as.raw(1), "a"), device, "224.0.1.187", 40000, 5683),
                udp(coap_message(1, 69, 90, as.raw(1)), "10.0.0.7", device, 5683, 40000),
                udp(coap_message(1, 69, 91, as.raw(1)), "10.0.0.8", device, 5683, 40000))
  m <- analyzed(group, c(1, 1.2, 1.3))
  expect_equal(m[["responses"]], 1)
  expect_equal(m[["response_mean_ms"]], 200)
  m <- analyzed(group, c(1, 1.2, 1.3), who = "10.0.0.8")
  expect_equal(m[["messages"]], 1)
  expect_equal(m[["response_mean_ms"]], 300)
})

test_that("a segment that came late leaves no message unread", {
  talk <- tcp_conversation()
  talk$open()
  whole <- unlist(lapply(1:6, function(i) mqtt_publish("t", strrep(letters[i], 300))))
  for (at in seq(1, length(whole), 400)) {
    talk$add("client", whole[at:min(at + 399, length(whole))], 0x18)
  }
  talk$add("server", raw(), 0x10)
  order <- c(1:3, 5, 6, 4, seq(7, length(talk$frames)))
  m <- analyzed(talk$frames[order], talk$times)
  expect_equal(m[["messages"]], 6)
  closes(m)
})
