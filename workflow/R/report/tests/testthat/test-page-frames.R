# Are the right trials drawn with the right labels, and two clocks aligned?

test_that("a ladder is of an idle, waking trial, a time line of the busiest sleeping one", {
  trials <- data.table::data.table(
    study = "s", trial = c("fast", "slow", "minute", "light", "busy"), mode = "coap-con",
    load = c("idle", "idle", "idle", "web-10", "bulk-60"), mbps = c(0, 0, 0, 10, 60),
    interval = c(0.1, 1, 60, 1, 1), sleep = c(0L, 0L, 0L, 1L, 1L))
  drawn <- page_drawn(trials)
  expect_equal(drawn$ladder$trial, "slow")
  expect_equal(drawn$line$trial, "busy")
  expect_equal(nrow(page_drawn(trials[sleep == 0L])$line), 0L)
})

test_that("frames are named as their protocols name them", {
  packet <- function(...) {
    plain <- list(protocols = "eth:ip:tcp", transport = "tcp", payload = 0, syn = FALSE,
                  fin = FALSE, rst = FALSE, mqtt_flags = NA_character_, coap_type = NA_character_,
                  http_method = NA_character_, http_status = NA_character_)
    data.table::as.data.table(utils::modifyList(plain, list(...)))
  }
  p <- rbind(packet(syn = TRUE), packet(), packet(fin = TRUE),
             packet(protocols = "eth:ip:tcp:mqtt", payload = 30, mqtt_flags = "0x32"),
             packet(protocols = "eth:ip:udp:coap", transport = "udp", payload = 9, coap_type = "2"),
             packet(protocols = "eth:ip:tcp:http", payload = 90, http_method = "POST"),
             packet(protocols = "eth:ip:tcp:http", payload = 90, http_status = "204"),
             packet(protocols = "eth:ip:tcp:amqp:data-text-lines", payload = 90),
             packet(protocols = "eth:arp", transport = "other", payload = NA_real_))
  expect_equal(frame_words(p), c("TCP SYN", "TCP ACK", "TCP FIN", "MQTT PUBLISH", "CoAP ACK",
                                 "HTTP POST", "HTTP 204", "AMQP", "ARP"))
})

test_that("the wire's clock is set by the packet that crosses fastest", {
  sent <- data.table::data.table(ip_id = 1:3, ip_len = 60, end = c(1, 2, 3))
  wire <- data.table::data.table(ip_id = c(1L, 2L, 9L), ip_len = 60, epoch = c(101.25, 102.1, 50))
  expect_equal(wire_offset(wire, sent), 100.1)
})

test_that("an exchange is drawn from its first frame to the next message's, air and wire in turn", {
  folder <- file.path(tempfile(), "t1")
  write_bundle(folder)
  bundle <- read_bundle(folder)
  wire <- dissect(file.path(folder, "wire.pcapng.gz"))
  own <- wire[src == bundle$device & transport == "tcp"]
  # the same packets on an air whose clock began 100 s later
  at <- as.numeric(own$epoch) - 100
  frames <- data.table::data.table(epoch = at - 1e-4, from = "device", what = "x", bytes = 100)
  data.table::setattr(frames, "sent", own[, .(ip_id, ip_len, end = at)])
  data.table::setattr(frames, "starts", at[c(1L, 2L, 3L, 5L)] - 1e-4)
  steps <- ladder_steps(bundle, frames)
  expect_equal(steps[from == "device", .N], 2L)
  expect_equal(steps$from[1:2], c("device", "access point"))
  expect_equal(steps$ms[1:2], c(0, 0.1))
})
