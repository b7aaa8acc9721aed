# Do oracles leave alone what an injected fault explains, and only that?

device <- "10.0.0.2"
no_spans <- data.table::data.table(kind = character(), from = numeric(), to = numeric())
span <- function(kind, from, to) data.table::data.table(kind = kind, from = from, to = to)
value_of <- function(rows, name) rows$value[rows$metric == name]

context_of <- function(frames, times, protocol = "mqtt") {
  folder <- tempfile()
  dir.create(folder)
  file.copy(write_pcap(frames, times), file.path(folder, "wire.pcapng.gz"))
  oracle_context(list(folder = folder, device = device,
                      trial = list(parameters = list(protocol = protocol))))
}

#' A bundle with these lines of its logs and faults, as read_bundle() has it.
bundle_of <- function(board = character(), server = character(), faults = "[]", ...) {
  lines <- function(x) {
    file <- tempfile()
    writeLines(x, file)
    read_jsonl(file)
  }
  parameters <- list(protocol = "mqtt", qos = 1, faults = jsonlite::fromJSON(faults), ...)
  list(trial = list(parameters = parameters), board = lines(board), server = lines(server),
       lab = list(outcome = "ok"))
}
fault_line <- function(t, kind, over = FALSE, number = 1) {
  sprintf('{"t":%g,"ev":"%s","number":%d,"kind":"%s"}', t, if (over) "fault_over" else "fault",
          as.integer(number), kind)
}

#' A connection that begins at 1000 s, with these texts from the client at these times.
stream_of <- function(texts, at, cport = 50001, start = 1000, connack = mqtt_connack(),
                      connect = mqtt_connect()) {
  talk <- tcp_conversation(cport = cport, start = start)
  talk$open()
  talk$say("client", connect)
  talk$say("server", connack)
  for (i in seq_along(texts)) {
    talk$now <- start + at[i]
    talk$say("client", texts[[i]])
  }
  talk
}
together <- function(...) {
  talks <- list(...)
  context_of(unlist(lapply(talks, `[[`, "frames"), recursive = FALSE),
             unlist(lapply(talks, `[[`, "times")))
}
bad <- as.raw(c(0xc1, 0)) # PINGREQ with a reserved flag

test_that("packets that a fault has damaged, and those behind them, are not malformed", {
  ctx <- together(stream_of(list(bad, bad), c(10, 20)))
  of <- function(...) malformed_metrics(ctx, span(...))$value
  expect_equal(of("bit_flip", 9, 9.99), 0)
  expect_equal(of("bit_flip", 15, 15), 1) # the first came before
  expect_equal(of("truncate", 500, 501), 2)
  expect_null(of("loss", 9, 9.99))
})

test_that("the next connection is judged again", {
  ctx <- together(stream_of(list(bad), 10), stream_of(list(bad), 10, 50002, 1040))
  expect_equal(malformed_metrics(ctx, span("bit_flip", 9, 9.99))$value, 1)
})

test_that("a damaged datagram says nothing of the one after it", {
  frames <- lapply(c("x", "xx", "xxx"), function(payload) {
    udp(coap_message(0, 2, 5, path = "t", payload = payload), device, "10.0.0.1", 50000, 5683)
  })
  ctx <- context_of(frames, 1000 + c(0, 10, 20), "coap")
  of <- function(spans) value_of(coap_oracles(ctx, spans), "message_id_violations")
  expect_equal(of(no_spans), 2)
  expect_equal(of(span("bit_flip", 10, 10)), 1)
  expect_equal(of(span("device_reset", 5, 5)), 1) # the ID of before is unknown
})

test_that("a frame that was held back spans the time until it arrived", {
  bundle <- bundle_of(server = c(fault_line(1001, "delay"), fault_line(1002, "delay", TRUE),
                                 fault_line(1003, "reorder", number = 2),
                                 fault_line(1003, "reorder", TRUE, 2),
                                 fault_line(1005, "loss", number = 3),
                                 fault_line(1006, "loss", TRUE, 3)),
                      faults = '[{"kind":"delay","delay_ms":7000},{"kind":"reorder"},
                                 {"kind":"loss"}]')
  expect_equal(fault_spans(bundle, 1000)$to, c(9, 4, 6))
  slow <- bundle_of(server = c(fault_line(1001, "rate_limit"),
                               fault_line(1002, "rate_limit", TRUE)),
                    faults = '[{"kind":"rate_limit"}]')
  expect_equal(fault_spans(slow, 1000)$to, Inf)
})

#' Two connections of one session, on both of which the device publishes with the same identifier.
twice <- function(present, spans = no_spans) {
  connect <- mqtt_packet(0x10, c(mqtt_string("MQTT"), as.raw(c(4, 0)), be16(60),
                                 mqtt_string("b1")))
  one <- mqtt_publish("t", "hello 1", qos = 1, id = 7)
  connack <- function(present) mqtt_packet(0x20, as.raw(c(present, 0)))
  ctx <- together(stream_of(list(one), 1, 50001, 1000, connack(0), connect),
                  stream_of(list(one), 1, 50002, 1020, connack(present), connect))
  value_of(mqtt_oracles(ctx, spans), "dup_violations")
}

test_that("a session that the server or the device has lost begins anew (3.1.2.4)", {
  expect_equal(twice(1), 1)
  expect_equal(twice(0), 0)
  expect_equal(twice(1, span("device_reset", 10, 10)), 0)
})

messages_of <- function(seq, acked, time) {
  data.table::data.table(sender = "board", seq = seq, sent = TRUE, acked = acked,
                         failed = NA_character_, time = time, copies = 1L)
}

test_that("what a killed server had in hand is lost by the fault, other messages are not", {
  of <- function(kind, time, state = "kept") {
    bundle <- bundle_of(server = c(fault_line(1010, kind), fault_line(1012, kind, TRUE)),
                        faults = sprintf('[{"kind":"%s","state":"%s"}]', kind, state))
    value_of(promise_metrics(bundle, messages_of(seq_along(time), TRUE, time)),
             "acknowledged_lost")
  }
  killed <- c(1008, 1009, NA, 1014, 1015)
  expect_equal(of("server_kill", killed), 0)
  expect_equal(of("server_restart", killed), 1)
  expect_equal(of("server_restart", killed, "lost"), 0)
  expect_equal(of("server_pause", killed), 1)
  expect_equal(of("server_kill", c(NA, 1008, 1009, 1014, 1015)), 1)
  expect_equal(of("server_kill", c(1008, 1009, 1014, NA, 1015)), 1)
})

test_that("a number that was damaged puts no later message out of order", {
  of <- function(kind) {
    bundle <- bundle_of(server = c(fault_line(1010, kind), fault_line(1010, kind, TRUE)))
    value_of(promise_metrics(bundle, messages_of(c(1, 92, 3, 4), TRUE,
                                                 c(1008, 1010.2, 1012, 1013))), "out_of_order")
  }
  expect_equal(of("bit_flip"), 0)
  expect_equal(of("loss"), 2)
})

test_that("messages are numbered on across a reset of the device, and not across others", {
  board <- sprintf('{"t":%d,"ev":"%s","seq":%s}', 1:6,
                   c("boot", "sent", "sent", "boot", "sent", "sent"),
                   c("null", 1, 2, "null", 1, 2))
  server <- sprintf('{"t":%g,"ev":"received","seq":%d}', c(1001, 1010.1, 1012, 1013), c(1, 2, 1, 2))
  of <- function(kind) {
    renumbered(bundle_of(board, c(server, fault_line(1010, kind), fault_line(1010, kind, TRUE))))
  }
  reset <- of("device_reset")
  expect_equal(reset$board$seq, c(NA, 1, 2, NA, 3, 4))
  expect_equal(reset$server[ev == "received", seq], c(1, 2, 3, 4))
  expect_equal(of("loss")$board$seq, c(NA, 1, 2, NA, 1, 2))
  expect_equal(value_of(board_oracles(reset), "device_resets"), 0)
  expect_equal(value_of(board_oracles(of("loss")), "device_resets"), 1)
})

test_that("a device that is reset before its first line has one life", {
  board <- sprintf('{"t":%d,"ev":"%s","seq":%s}', 1:3, c("boot", "sent", "sent"),
                   c("null", 1, 2))
  server <- c(fault_line(1000, "device_reset"), fault_line(1000, "device_reset", TRUE),
              sprintf('{"t":%g,"ev":"received","seq":%d}', c(1001, 1002), 1:2))
  expect_equal(renumbered(bundle_of(board, server))$server[ev == "received", seq], c(1, 2))
})

test_that("a reset that comes after the device has ended is none that is missing", {
  ended <- renumbered(bundle_of(c('{"t":1,"ev":"boot"}', '{"t":9,"ev":"end"}'),
                                c(fault_line(1010, "device_reset"),
                                  fault_line(1010, "device_reset", TRUE))))
  expect_equal(value_of(board_oracles(ended), "device_resets"), 0)
})

test_that("the copy that a fault makes comes after the fault is over, and is no repetition", {
  span <- function(kind) {
    lines <- c(fault_line(1010, kind), fault_line(1010, kind, TRUE))
    fault_spans(bundle_of('{"t":1,"ev":"boot"}', lines), 1000)
  }
  expect_true(disturbed(10.00001, 10.00001, span("duplicate")))
  expect_false(disturbed(10.00001, 10.00001, span("loss")))
})
