# Does each oracle fire where its specification is violated, and only there?

device <- "10.0.0.2"

#' The context of frames, without faults, as of a trial.
context_of <- function(frames, times) {
  file <- write_pcap(frames, times)
  folder <- tempfile()
  dir.create(folder)
  file.copy(file, file.path(folder, "wire.pcapng.gz"))
  oracle_context(list(folder = folder, device = device,
                      trial = list(parameters = list(protocol = "mqtt"))))
}
talk_context <- function(talk) context_of(talk$frames, talk$times)
no_spans <- data.table::data.table(kind = character(), from = numeric(), to = numeric())
span <- function(kind, from, to) data.table::data.table(kind = kind, from = from, to = to)
value_of <- function(rows, name) rows$value[rows$metric == name]

#' A connection with the keep-alive of the helper, 60 s.
begun <- function(...) {
  talk <- tcp_conversation(...)
  talk$open()
  talk$say("client", mqtt_connect())
  talk$say("server", mqtt_connack())
  talk
}
publish <- function(talk, id, qos = 1, dup = FALSE, text = "hello 1") {
  talk$say("client", mqtt_publish("t", text, qos = qos, id = id, dup = dup))
}
mqtt_of <- function(talk, spans = no_spans) mqtt_oracles(talk_context(talk), spans)

test_that("an identifier may be used again once it is free", {
  talk <- begun()
  for (i in 1:2) {
    publish(talk, 7)
    talk$say("server", mqtt_puback(7))
  }
  expect_equal(value_of(mqtt_of(talk), "identifier_violations"), 0)
})

test_that("an identifier in use, and 0, are violations (MQTT-2.3.1-1, -2)", {
  talk <- begun()
  publish(talk, 7)
  publish(talk, 7, text = "hello 2")
  expect_equal(value_of(mqtt_of(talk), "identifier_violations"), 1)
  zero <- begun()
  publish(zero, 0)
  expect_equal(value_of(mqtt_of(zero), "identifier_violations"), 1)
})

test_that("an exchange of QoS 2 is over with PUBCOMP, not with PUBREC", {
  exchange <- function(...) {
    talk <- begun()
    publish(talk, 7, qos = 2)
    for (type in c(...)) talk$say("server", mqtt_packet(type, be16(7)))
    publish(talk, 7, qos = 2, text = "hello 2")
    value_of(mqtt_of(talk), "identifier_violations")
  }
  expect_equal(exchange(0x50, 0x70), 0)
  expect_equal(exchange(0x50), 1)
})

test_that("an answer belongs to a PUBLISH of the server (MQTT-2.3.1-6)", {
  answer <- function(id) {
    talk <- begun()
    publish(talk, 1)
    talk$say("server", mqtt_publish("t", "down", qos = 1, id = 5))
    talk$say("client", mqtt_puback(id))
    value_of(mqtt_of(talk), "identifier_violations")
  }
  expect_equal(answer(5), 0)
  expect_equal(answer(6), 1)
})

test_that("DUP has no place at QoS 0 (MQTT-3.3.1-2), but on a repetition", {
  dup <- function(qos) {
    talk <- begun()
    publish(talk, 7, qos = 1)
    publish(talk, 7, qos = qos, dup = TRUE)
    value_of(mqtt_of(talk), "dup_violations")
  }
  expect_equal(dup(1), 0)
  expect_equal(dup(0), 1)
})

#' Two connections, on both of which the device publishes with the same identifier.
resumed <- function(clean, dup) {
  flags <- if (clean) 2 else 0
  connect <- mqtt_packet(0x10, c(mqtt_string("MQTT"), as.raw(c(4, flags)), be16(60),
                                 mqtt_string("b1")))
  frames <- times <- NULL
  for (i in 1:2) {
    talk <- tcp_conversation(cport = 50000 + i, start = 1000 + i)
    talk$open()
    talk$say("client", connect)
    publish(talk, 7, dup = dup && i == 2)
    frames <- c(frames, talk$frames)
    times <- c(times, talk$times)
  }
  value_of(mqtt_oracles(context_of(frames, times), no_spans), "dup_violations")
}

test_that("a session repeats with DUP what was not acknowledged (MQTT-3.3.1-1)", {
  expect_equal(resumed(clean = FALSE, dup = TRUE), 0)
  expect_equal(resumed(clean = FALSE, dup = FALSE), 1)
  expect_equal(resumed(clean = TRUE, dup = FALSE), 0) # a new session
})

test_that("what TCP repeats behind a NAT that has forgotten it is no later connection", {
  again <- function(connects) {
    first <- begun()
    publish(first, 7)
    later <- tcp_conversation(cport = 20000, start = 1010)
    if (connects) later$say("client", mqtt_connect())
    publish(later, 7)
    later$say("client", mqtt_puback(9))
    ctx <- context_of(c(first$frames, later$frames), c(first$times, later$times))
    rows <- mqtt_oracles(ctx, no_spans)
    value_of(rows, "identifier_violations") + value_of(rows, "dup_violations")
  }
  expect_equal(again(FALSE), 0)
  expect_equal(again(TRUE), 1) # an acknowledgement of nothing
})

#' A device that is silent for so long after a message.
silent_for <- function(seconds, spans = no_spans) {
  talk <- begun()
  publish(talk, 1)
  talk$now <- talk$now + seconds
  publish(talk, 2, text = "hello 2")
  value_of(mqtt_of(talk, spans), "keep_alive_violations")
}

test_that("the keep-alive is 60 s, and half of it may pass beyond (MQTT-3.1.2-24)", {
  expect_equal(silent_for(89), 0)
  expect_equal(silent_for(91), 1)
})

test_that("what a fault hides is no silence, what it does not hide is one", {
  expect_equal(silent_for(91, span("half_open", 10, 50)), 0)
  expect_equal(silent_for(91, span("half_open", 500, 600)), 1)
  expect_equal(silent_for(91, span("server_pause", 10, 50)), 1)
})

test_that("a device that leaves its connection is not silent on it", {
  first <- begun(cport = 50001)
  publish(first, 1)
  second <- begun(cport = 50002, start = 1080)
  publish(second, 1)
  third <- begun(cport = 50003, start = 1160)
  publish(third, 1)
  talks <- list(first, second, third)
  ctx <- context_of(unlist(lapply(talks, `[[`, "frames"), recursive = FALSE),
                    unlist(lapply(talks, `[[`, "times")))
  expect_equal(value_of(mqtt_oracles(ctx, no_spans), "keep_alive_violations"), 0)
})

#' The oracles of confirmable messages with these IDs and payloads at these times.
coap_of <- function(times, ids, payloads, spans = no_spans) {
  frames <- Map(function(id, payload) {
    udp(coap_message(0, 2, id, path = "t", payload = payload), device, "10.0.0.1", 50000, 5683)
  }, ids, payloads)
  ctx <- context_of(frames, 1000 + times)
  coap_oracles(ctx, spans)
}

test_that("a message ID lives for 247 s (RFC 7252, 4.4)", {
  of <- function(...) value_of(coap_of(...), "message_id_violations")
  expect_equal(of(c(0, 10), c(5, 6), c("a", "bb")), 0)
  expect_equal(of(c(0, 10), c(5, 5), c("a", "bb")), 1)
  expect_equal(of(c(0, 10), c(5, 5), c("a", "a")), 0) # a retransmission
  expect_equal(of(c(0, 250), c(5, 5), c("a", "bb")), 0)
})

test_that("timeouts double from 2 s or more (RFC 7252, 4.2)", {
  of <- function(times, ...) {
    n <- length(times)
    value_of(coap_of(times, rep(5, n), rep("a", n), ...), "backoff_violations")
  }
  expect_equal(of(c(0, 2, 6, 14, 30)), 0)
  expect_equal(of(c(0, 3, 9)), 0)
  expect_equal(of(c(0, 6)), 0) # the copy between was lost
  expect_equal(of(c(0, 1)), 1)
  expect_equal(of(c(0, 2, 4)), 1)
  expect_equal(of(c(0, 2, 6, 14, 30, 62)), 1) # one too many
  expect_equal(of(c(0, 0.01), span("duplicate", -1, 1)), 0)
  expect_equal(of(c(0, 0.01), span("duplicate", -1, -0.005)), 0) # they were under way
  expect_equal(of(c(0, 0.01), span("duplicate", -9, -5)), 1)
  expect_equal(of(c(0, 0.01), span("loss", -1, 1)), 1)
  expect_equal(of(c(0, 1e-5), span("link_down", -4, 0)), 0) # both have waited for ARP
  expect_equal(of(c(0, 1e-5, 4.00001), span("link_down", -4, 0)), 0)
  expect_equal(of(c(0, 1e-5)), 1)
})

#' Connections that begin at these times; the last of them is open.
connections_at <- function(times, close = TRUE, spans = no_spans) {
  talks <- lapply(seq_along(times), function(i) {
    talk <- begun(cport = 50000 + i, start = 1000 + times[i])
    publish(talk, 1)
    if (close) talk$close()
    talk
  })
  storm_metrics(context_of(unlist(lapply(talks, `[[`, "frames"), recursive = FALSE),
                           unlist(lapply(talks, `[[`, "times"))), spans)
}

test_that("a storm is what comes within ten seconds", {
  of <- function(...) value_of(connections_at(...), "connections_per_10s_max")
  expect_equal(of(c(0, 20, 40, 60)), 1)
  expect_equal(of(c(0, 20, 22, 24, 60)), 3)
})

test_that("connections that are never closed pile up", {
  of <- function(...) value_of(connections_at(...), "connections_open_max")
  expect_equal(of(c(0, 20, 40)), 1)
  expect_equal(of(c(0, 20, 40), close = FALSE), 3)
  expect_equal(of(c(0, 20, 40), close = FALSE, spans = span("device_reset", 30, 30)), 2)
})

test_that("the device's retransmissions are counted, the server's are not", {
  of <- function(from) {
    talk <- begun()
    for (i in 1:3) publish(talk, i)
    talk$say("server", mqtt_puback(1), ack = FALSE)
    if (from != "none") {
      k <- max(which(vapply(talk$frames, function(f) {
        identical(f[27:30], address(if (from == "client") device else "10.0.0.1")) && length(f) > 54
      }, NA)))
      for (i in 1:2) {
        talk$frames <- c(talk$frames, talk$frames[k])
        talk$times <- c(talk$times, talk$now + i)
      }
    }
    value_of(storm_metrics(talk_context(talk), no_spans), "repetitions_per_10s_max")
  }
  expect_equal(of("none"), 0)
  expect_equal(of("client"), 2)
  expect_equal(of("server"), 0)
})

silence_of <- function(gap, spans = no_spans) {
  talk <- begun()
  publish(talk, 1)
  talk$now <- talk$now + gap
  publish(talk, 2)
  bundle <- list(trial = list(parameters = list(duration_s = 0)))
  silence_metrics(bundle, talk_context(talk), spans)$value
}

test_that("silence is the longest time without a frame, outside of faults", {
  expect_equal(silence_of(5), 5.01, tolerance = 0.01)
  expect_equal(silence_of(50, span("link_down", 1, 40)), 10, tolerance = 0.05)
})

test_that("a device that falls silent before its time is over hangs", {
  talk <- begun()
  publish(talk, 1)
  bundle <- list(trial = list(parameters = list(duration_s = 30)))
  expect_equal(silence_metrics(bundle, talk_context(talk), no_spans)$value, 30, tolerance = 0.01)
})
