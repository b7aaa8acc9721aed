# Is a device that writes no log measured by its capture and by what its server's recorder has?

json <- function(x, file) writeLines(jsonlite::toJSON(x, auto_unbox = TRUE), file)
hex <- function(text) paste(charToRaw(substr(text, 1L, 32L)), collapse = "")

#' The bundle of a foreign device that publishes `payloads` at QoS 1, one each second; those in
#' `acked` are acknowledged.
#'
#' @param got payloads in the order of their receipt. @param at their times, s after the start.
#' @param events further lines of server.jsonl. @param again,late which are sent twice, the second
#'   time with DUP, and which only with DUP.
foreign_bundle <- function(payloads, got, at = seq_along(got), events = character(),
                           peer = "default", qos = 1, acked = seq_along(payloads),
                           again = integer(), late = integer()) {
  folder <- tempfile()
  dir.create(folder)
  parameters <- list(protocol = "mqtt", foreign = TRUE, role = "publish", peer = peer,
                     link = "netem", duration_s = 10)
  json(list(study = "try", trial = "r1_program", repetition = 1, testbed = "virtual",
            parameters = parameters, firmware = list(board = "program")),
       file.path(folder, "trial.json"))
  json(list(outcome = "ok", reason = ""), file.path(folder, "lab.json"))
  writeLines('{"t":1,"ev":"boot"}', file.path(folder, "board.jsonl"))
  received <- sprintf(paste0('{"t":%.9f,"server":"mqtt","ev":"received","start":"%s","bytes":%d,',
                             '"topic":"t"}'),
                      1000 + at, vapply(got, hex, ""), nchar(got))
  writeLines(c(received, events), file.path(folder, "server.jsonl"))
  talk <- tcp_conversation(client = "10.77.1.1", server = "10.77.0.1", delay = 0.001)
  talk$open()
  talk$say("client", mqtt_connect())
  talk$say("server", mqtt_connack())
  for (i in seq_along(payloads)) {
    talk$now <- 1000 + i
    talk$say("client", mqtt_publish("t", payloads[i], qos = qos, id = i, dup = i %in% late))
    if (i %in% again) {
      talk$say("client", mqtt_publish("t", payloads[i], qos = qos, id = i, dup = TRUE))
    }
    if (qos > 0 && i %in% acked) talk$say("server", mqtt_puback(i))
  }
  write_pcap(talk$frames, talk$times, file.path(folder, "wire.pcapng.gz"))
  folder
}

measured <- function(folder) {
  rows <- trial_metrics(read_bundle(folder))
  stats::setNames(rows$value, rows$metric)
}

test_that("of four messages three reached the server, one of them twice", {
  m <- measured(foreign_bundle(c("on", "off", "hot", "cold"), c("on", "hot", "hot", "off")))
  expect_equal(m[c("sent", "delivered", "duplicates", "messages")],
               c(sent = 4, delivered = 3, duplicates = 1, messages = 4))
  expect_equal(m[["delivered_of_sent_pct"]], 75)
})

test_that("equal messages are counted, not distinguished", {
  m <- measured(foreign_bundle(c("on", "on", "on"), c("on", "on")))
  expect_equal(m[c("delivered", "duplicates")], c(delivered = 2, duplicates = 0))
})

test_that("a message that is sent again with DUP is one, and its second receipt a copy", {
  m <- measured(foreign_bundle(c("a", "b"), c("a", "b", "b"), again = 2L))
  expect_equal(m[c("sent", "delivered", "duplicates")], c(sent = 2, delivered = 2, duplicates = 1))
})

test_that("a message that left the device only with DUP is one that left it", {
  m <- measured(foreign_bundle(c("a", "b", "c"), c("a", "b", "c"), late = 2L, again = 2:3))
  expect_equal(m[c("sent", "delivered", "duplicates")], c(sent = 3, delivered = 3, duplicates = 0))
  plain <- measured(foreign_bundle(c("a", "b"), character(), peer = "program", late = 2L))
  expect_equal(plain[["delivered"]], 2)
})

test_that("payloads that differ behind their first 32 bytes are still counted", {
  long <- paste0(strrep("x", 40), c("a", "b"))
  m <- measured(foreign_bundle(long, long))
  expect_equal(m[c("delivered", "duplicates")], c(delivered = 2, duplicates = 0))
})

test_that("a number in a payload of the laboratory's form is the same on both sides", {
  text <- c("b1 7 1000 ....", "b1:8", "{\"v\":\"b1 9 12\",\"w\":\"x\"}", "b1 99999999999 1", "21.5")
  expect_equal(payload_number(vapply(text, hex, "")), c(7, 8, 9, NA, NA))
})

test_that("without a recorder an acknowledged message counts as delivered", {
  m <- measured(foreign_bundle(c("a", "b", "c"), character(), peer = "program", acked = 1:2))
  expect_equal(m[["delivered"]], 2)
  expect_false("duplicates" %in% names(m))
  plain <- measured(foreign_bundle(c("a", "b"), character(), peer = "program", qos = 0))
  expect_equal(plain[["delivered_of_sent_pct"]], 100)
})

test_that("messages of CoAP are told apart by what they carry, repeated ones by their ID", {
  folder <- foreign_bundle("a", c("warm", "cold", "cold"))
  document <- jsonlite::fromJSON(file.path(folder, "trial.json"), simplifyVector = FALSE)
  document$parameters$protocol <- "coap"
  json(document, file.path(folder, "trial.json"))
  post <- function(id, text) {
    udp(coap_message(0, 2, id, path = "t", payload = text), "10.77.1.1", "10.77.0.1", 40000, 5683)
  }
  ack <- function(id) {
    udp(coap_message(2, 68, id), "10.77.0.1", "10.77.1.1", 5683, 40000)
  }
  frames <- list(post(1, "warm"), ack(1), post(2, "cold"), post(2, "cold"), ack(2), post(3, "mild"))
  write_pcap(frames, 1000 + c(1, 1.1, 2, 4, 4.1, 5), file.path(folder, "wire.pcapng.gz"))
  m <- measured(folder)
  expect_equal(m[c("sent", "delivered", "duplicates")], c(sent = 3, delivered = 2, duplicates = 1))
})

server_events <- function(...) sprintf('{"t":%.9f,"server":"%s","ev":"%s"}', ...)

test_that("the time to come back is from the end of an interruption to the next receipt", {
  down <- server_events(1000 + c(1.5, 2.25, 3.1, 3.5), c("mqtt", "mqtt", "link", "link"),
                        c("stopping", "started", "outage", "outage_over"))
  m <- measured(foreign_bundle(c("a", "b", "c"), c("a", "b", "c"), at = c(1, 2.75, 4.5), down))
  expect_equal(m[["back_after_outage_s"]], 1)
})

test_that("a device that never comes back has no such time, and the reason is given", {
  down <- server_events(1000 + c(1.5, 4), "mqtt", c("stopping", "started"))
  folder <- foreign_bundle(c("a", "b"), c("a", "b"), at = c(1, 1.2), down)
  expect_false("back_after_outage_s" %in% names(measured(folder)))
  wanted <- data.table::data.table(metric = "back_after_outage_s", operator = "<=", limit = 10,
                                   unit = "s")
  row <- check_expectations(wanted, folder)
  expect_false(row$holds)
  expect_match(row$reason, "no message reached the server's application after an interruption")
})

test_that("a device of another protocol is not measured, and the reason is given", {
  folder <- foreign_bundle(c("a", "b"), character())
  talk <- tcp_conversation(client = "10.77.1.1", server = "10.77.0.1", sport = 1999)
  talk$open()
  talk$say("client", charToRaw("hello"))
  write_pcap(talk$frames, talk$times, file.path(folder, "wire.pcapng.gz"))
  wanted <- data.table::data.table(metric = "messages", operator = ">", limit = 0, unit = "")
  row <- check_expectations(wanted, folder)
  expect_false(row$holds)
  expect_match(row$reason, "^no protocol is recognised in the device's traffic")
})

test_that("beside a foreign broker that is recorded, what its recorder got counts", {
  events <- '{"t":999.5,"server":"program","ev":"recording"}'
  m <- measured(foreign_bundle(c("a", "b", "c"), c("a", "b", "b"), peer = "program",
                               events = events))
  expect_equal(m[c("delivered", "duplicates")], c(delivered = 2, duplicates = 1))
})

test_that("of what the program printed the last number of a known name counts", {
  folder <- foreign_bundle("a", "a")
  writeLines(c("acknowledged=3 refused=1 other=7", "x acknowledged=4", "memory_kib=12kB", "=5"),
             file.path(folder, "board.out.txt"))
  m <- measured(folder)
  expect_equal(m[grepl("^printed_", names(m))], c(printed_acknowledged = 4, printed_refused = 1))
})

test_that("a message that a later connection repeats without DUP is one message", {
  sent <- function(acked, text = "off") {
    folder <- foreign_bundle(c("on", "off"), c("on", "off"), acked = acked)
    again <- tcp_conversation(client = "10.77.1.1", server = "10.77.0.1", cport = 50001,
                              start = 1008, delay = 0.001)
    again$open()
    again$say("client", mqtt_connect())
    again$say("server", mqtt_connack())
    again$say("client", mqtt_publish("t", text, qos = 1, id = 2))
    again$say("server", mqtt_puback(2))
    file <- file.path(folder, "wire.pcapng.gz")
    later <- write_pcap(again$frames, again$times)
    whole <- tempfile(fileext = ".pcap")
    stopifnot(run_program("mergecap", c("-w", whole, file, later)) == 0L)
    file.copy(whole, file, overwrite = TRUE)
    measured(folder)[["sent"]]
  }
  expect_equal(sent(acked = 1), 2)
  expect_equal(sent(acked = 1:2), 3) # the identifier was free
  expect_equal(sent(acked = 1, text = "out"), 3)
})
