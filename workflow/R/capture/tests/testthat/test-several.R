# What does `thinwire analyze` report besides the metrics: about the capture, its messages, its
# peers?

device <- "10.0.0.2"
value_of <- function(rows, name) rows$value[rows$metric == name]
item_of <- function(header, name, what = "value") {
  header$items[[what]][header$items$item == name]
}

#' A device that publishes five messages at QoS 1 on two topics, the i-th acknowledged after 10 i
#' ms; the third is sent three times: retransmitted by TCP, and by MQTT with DUP. In addition ARP, a
#' ping and a request of the device, and UDP of others.
talk_of_device <- function(sport = 1883) {
  talk <- tcp_conversation(sport = sport, start = 1000)
  talk$open()
  talk$say("client", mqtt_connect())
  talk$say("server", mqtt_connack())
  publish <- function(i, dup = FALSE) {
    mqtt_publish(c("a", "b,\"c\"")[1 + i %% 2], strrep("x", 10 * i), qos = 1, id = i, dup = dup)
  }
  for (i in 1:5) {
    talk$now <- 1000 + i
    talk$say("client", publish(i), ack = FALSE)
    if (i == 3) {
      talk$now <- 1000 + i + 0.2
      talk$frames <- c(talk$frames, talk$frames[length(talk$frames)])
      talk$times <- c(talk$times, talk$now)
      talk$now <- 1000 + i + 0.4
      talk$say("client", publish(i, dup = TRUE), ack = FALSE)
    }
    talk$now <- talk$now + 0.01 * i - 0.01
    talk$say("server", mqtt_puback(i), ack = FALSE)
  }
  arp <- ethernet(as.raw(c(0, 1, 8, 0, 6, 4, 0, 1, rep(0, 20))), type = 0x0806)
  ping <- ethernet(ipv4(c(as.raw(c(8, 0, 0xf7, 0xff)), as.raw(rep(0, 4))), device, "10.0.0.1", 1))
  others <- udp(text_raw("hello"), "10.0.0.7", "10.0.0.8", 9, 40000)
  mine <- udp(text_raw("query"), device, "10.0.0.9", 40001, 9)
  frames <- c(list(arp, ping, others), talk$frames, list(mine, mine))
  n <- length(frames)
  list(frames = frames, times = c(999 + 1:3 / 10, talk$times, 1010, 1011.5))
}
capture_of_device <- function(...) {
  talk <- talk_of_device(...)
  write_pcap(talk$frames, talk$times)
}
examine <- function(...) suppressMessages(examine_capture(...))

test_that("a header says what was measured, how it was chosen, and what was left out", {
  file <- capture_of_device()
  h <- examine(file, device, topic = "a")$header
  expect_equal(item_of(h, "file"), file)
  expect_equal(item_of(h, "server"), "10.0.0.1")
  expect_equal(item_of(h, "protocol"), "mqtt")
  expect_equal(item_of(h, "direction"), "from the device")
  expect_equal(item_of(h, "role"), "publish")
  expect_equal(item_of(h, "topic"), "a")
  expect_equal(item_of(h, "topic", "chosen"), "given")
  expect_equal(item_of(h, "port"), "1883/tcp")
  expect_equal(item_of(h, "port", "chosen"), "standard")
  expect_equal(item_of(h, "first"), "1970-01-01T00:16:39.100000000Z")
  expect_equal(item_of(h, "last"), "1970-01-01T00:16:51.500000000Z")
  frames <- length(talk_of_device()$frames)
  expect_equal(h$frames[["used"]], frames - 5)
  expect_equal(h$frames[names(h$frames) != "used"],
               c("without an IP address" = 1, "of other addresses" = 1, "neither TCP nor UDP" = 1,
                 "of other ports or transports" = 2))
  own <- capture_of_device(sport = 2000)
  expect_equal(item_of(examine(own, device)$header, "port", "chosen"), "guessed: first bytes")
  given <- examine(own, device, ports = c(mqtt = 2000L))$header
  expect_equal(item_of(given, "port", "chosen"), "given")
})

test_that("the roles of a device are those of studies", {
  ask <- function(i, from, to, sport, dport) {
    udp(coap_message(0, 1, i, as.raw(i), "t"), from, to, sport, dport)
  }
  serve <- lapply(1:3, ask, "10.0.0.1", device, 4000, 5683)
  h <- examine(write_pcap(serve, 1:3), device)$header
  expect_equal(c(item_of(h, "role"), item_of(h, "server")), c("serve", device))
  asks <- lapply(1:3, ask, device, "10.0.0.1", 4000, 5683)
  h <- examine(write_pcap(asks, 1:3), device)$header
  expect_equal(c(item_of(h, "role"), item_of(h, "server")), c("publish", "10.0.0.1"))
})

test_that("samples have a row for each message: its times, round trip, copies and bytes", {
  file <- capture_of_device()
  samples <- tempfile(fileext = ".csv")
  both <- lapply(c("a", "b,\"c\""), function(topic) {
    unlink(samples)
    examine(file, device, topic, samples = samples)
    read_samples(samples)
  })
  s <- data.table::rbindlist(both)[order(frame)]
  expect_equal(names(s), sample_columns)
  expect_equal(s$number, c(1, 1, 2, 2, 3))
  expect_equal(s$topic, c("b,\"c\"", "a", "b,\"c\"", "a", "b,\"c\""))
  expect_equal(s$id, as.character(1:5))
  expect_equal(s$time_s, 0.9 + 1:5)
  expect_equal(s$request_ack_ms, c(10, 20, 430, 40, 50))
  expect_equal(s$acknowledged_s, s$time_s + s$request_ack_ms / 1e3)
  expect_equal(s$copies, c(1, 1, 3, 1, 1))
  expect_equal(s$payload_bytes, 10 * 1:5)
  expect_true(all(s$peer == "10.0.0.1" & s$to == "10.0.0.1:1883" & s$from == "10.0.0.2:50000"))
  epochs <- dissect(file)$epoch[s$frame]
  expect_equal(as.numeric(epochs), 1000 + 1:5)
})

test_that("samples of parts are those of the whole", {
  whole <- tempfile(fileext = ".csv")
  parts <- tempfile(fileext = ".csv")
  file <- recorded("mqtt_qos1_pub10")
  examine(file, recorded_device, samples = whole)
  examine(file, recorded_device, part = 211, margin = 150, samples = parts)
  expect_equal(read_samples(parts), read_samples(whole))
})

test_that("tables per peer and per topic add up to the capture", {
  samples <- tempfile(fileext = ".csv")
  metrics <- examine(recorded("coap_10clients"), recorded_device, samples = samples)$metrics
  peers <- group_metrics(samples, "peer")
  expect_equal(sum(value_of(peers, "messages")), value_of(metrics, "messages"))
  rows <- read_samples(samples)
  for (peer in unique(peers$group)) {
    own <- rows[rows$peer == peer]
    mine <- peers[peers$group == peer]
    expect_equal(value_of(mine, "messages"), nrow(own))
    expect_equal(value_of(mine, "request_ack_median_ms"), stats::median(own$request_ack_ms,
                                                                       na.rm = TRUE))
  }
  expect_equal(value_of(metrics, "request_ack_p95_ms"),
               quantile(rows$request_ack_ms, 0.95, na.rm = TRUE, names = FALSE), tolerance = 1e-6)
  topics <- group_metrics(samples, "topic")
  expect_equal(sum(value_of(topics, "messages")), value_of(metrics, "messages"))
})

test_that("one bad capture loses no other's results, and the status is 2", {
  bad <- tempfile()
  writeLines("no capture", bad)
  good <- capture_of_device()
  samples <- tempfile(fileext = ".csv")
  header <- tempfile(fileext = ".csv")
  options <- analyze_options(c("--capture", bad, good, good, "--device", device, "--topic=a",
                               "--format", "csv", "--samples", samples, "--by", "topic",
                               "--header", header))
  expect_message(done <- measure_captures(options), "not a capture file")
  expect_equal(done$status, 2L)
  csv <- data.table::fread(text = done$lines)
  alone <- with_intervals(examine(good, device, "a")$metrics)
  expect_equal(unique(csv$file), good)
  whole <- csv[group == ""]
  expect_equal(whole$value, rep(signif(alone$value, 10), 2))
  expect_equal(whole$ci95_low, rep(signif(alone$ci95_low, 10), 2))
  expect_equal(csv[group == "a" & metric == "messages", value], c(2, 2))
  rows <- data.table::fread(header)
  expect_equal(names(rows), c("file", "item", "value", "note"))
  said <- function(name) rows[item == name, unique(paste0(value, " (", note, ")"))]
  expect_equal(said("server"), "10.0.0.1 (guessed: most messages)")
  expect_equal(said("port"), "1883/tcp (standard)")
  expect_equal(said("topic"), "a (given)")
  expect_true(all(c("1 (without an IP address)", "1 (of other addresses)") %in% said("frames")))
  expect_equal(nrow(data.table::fread(samples)), 4)
})

test_that("a fault of this program loses no other's result either, and the status is 3", {
  done <- NULL
  f <- function(x) {
    if (x == "b") stop("oops")
    if (x == "c") input_error("c", "bad", "repair it")
    x
  }
  said <- capture.output(type = "message", done <- each_capture(c("a", "b", "c", "d"), f))
  expect_equal(done, list(results = list("a", "d"), status = 3L))
  expect_match(said[1], "^thinwire: error: b: a fault of this program.*: oops$")
  expect_equal(said[2], "thinwire: error: c: bad; repair it")
})

test_that("JSON holds the same numbers, and says what was given and what was guessed", {
  file <- capture_of_device()
  options <- analyze_options(c("--capture", file, "--device", device, "--format=json", "--by=peer"))
  done <- suppressMessages(measure_captures(options))
  expect_equal(done$status, 0L)
  tree <- jsonlite::fromJSON(paste(done$lines, collapse = "\n"), simplifyVector = FALSE)
  one <- tree$captures[[1]]
  expect_equal(one$device, list(value = device, chosen = "given"))
  expect_equal(one$protocol, list(value = "mqtt", chosen = "guessed: most messages"))
  expect_equal(one$frames$captured, one$frames$used + do.call(sum, one$frames$left_out))
  metrics <- data.table::rbindlist(one$metrics)
  expect_equal(metrics$value, signif(examine(file, device)$metrics$value, 10))
  expect_equal(one$by_peer[[1]]$group, "10.0.0.1")
})

test_that("text names the capture, what was left out, and the groups", {
  file <- capture_of_device()
  options <- analyze_options(c("--capture", file, "--all=yes", "--device", device, "--topic=a",
                               "--by=topic"))
  text <- suppressMessages(measure_captures(options))$lines
  expect_equal(text[2], "device     10.0.0.2  (given)")
  expect_true(any(startsWith(text, "port       1883/tcp  (standard)")))
  expect_true(any(grepl("used; left out: 1 without an IP address", text)))
  expect_match(tail(text, 1), "^a +2 +2 +60 ")
})

test_that("a session without a message has a header, and empty samples and tables", {
  talk <- tcp_conversation()
  talk$open()
  talk$say("client", mqtt_connect())
  talk$say("server", mqtt_connack())
  talk$say("client", mqtt_subscribe("t"))
  file <- write_pcap(talk$frames, talk$times)
  samples <- tempfile(fileext = ".csv")
  header <- tempfile(fileext = ".csv")
  for (format in c("table", "csv", "json")) {
    options <- analyze_options(c("--capture", file, "--device", device, "--format", format, "--by",
                                 "topic", "--samples", samples, "--header", header))
    done <- suppressMessages(measure_captures(options))
    expect_equal(done$status, 0L)
    text <- paste(c(done$lines, readLines(header)), collapse = "\n")
    expect_match(text, "1883/tcp")
    expect_no_match(text, "publish|from the device")
    expect_match(text, "10.0.0.1", fixed = TRUE)
    expect_equal(names(data.table::fread(samples)), sample_columns)
    expect_equal(nrow(data.table::fread(samples)), 0)
  }
})

test_that("without a device the conversations are listed, and how to go on", {
  file <- capture_of_device(sport = 2000)
  text <- survey_captures(analyze_options(c("--capture", file)))
  expect_equal(text$status, 0L)
  expect_true(paste0("  thinwire analyze ", shQuote(file), " --device 10.0.0.2") %in% text$lines)
  for (part in c(50000, 6)) {
    found <- list_conversations(file, part = part, margin = 20)
    rows <- found$conversations
    expect_equal(rows$protocol[1], "mqtt")
    expect_equal(rows[1, .(server, port, peer, chosen, connections, to_server, from_server)],
                 data.table::data.table(server = "10.0.0.1", port = 2000L, peer = device,
                                        chosen = "guessed: first bytes", connections = 1L,
                                        to_server = 5, from_server = 0))
    expect_equal(rows$port[-1], c(9L, 9L))
    expect_equal(sum(rows$frames), length(talk_of_device()$frames) - 2)
  }
  csv <- survey_captures(analyze_options(c("--capture", file, "--format=csv")))
  expect_equal(data.table::fread(text = csv$lines)$to_server[1], 5)
  arp <- write_pcap(talk_of_device()$frames[1], 1)
  expect_message(none <- survey_captures(analyze_options(c("--capture", arp))),
                 "holds no TCP and no UDP packets")
  expect_equal(none, list(lines = NULL, status = 2L))
})

test_that("options that cannot be meant are refused before anything takes time", {
  refused <- function(pattern, ...) {
    expect_error(analyze_options(c("--capture", "a.pcap", ...)), pattern,
                 class = "thinwire_input_error")
  }
  refused("--device: is missing, which --samples needs", "--samples", "s.csv")
  refused("--format: no such format: yaml; use one of table, csv, json", "--format=yaml")
  refused("--by: no such by: port; use one of topic, peer", "--device=a", "--by=port")
  refused("--plot: 'a.svg' ends neither in .pdf nor in .png", "--device=a", "--plot=a.svg")
  refused("--samples: the folder of '/no/such/s.csv'", "--device=a", "--samples=/no/such/s.csv")
  refused("is a folder", "--device=a", paste0("--samples=", tempdir()))
  expect_error(analyze_options(c("--capture", "a", "b", "--device=a", "--plot=p.png")),
               "a PNG file holds one capture", class = "thinwire_input_error")
})

test_that("progress is reported to a program that asks for it, over all captures", {
  file <- capture_of_device()
  options <- analyze_options(c("--capture", file, file, "--all=yes", "--device", device))
  said <- function() {
    all <- character()
    withCallingHandlers(measure_captures(options), message = function(m) {
      all <<- c(all, conditionMessage(m))
      invokeRestart("muffleMessage")
    })
    sub(" .*", "", sub("^progress ", "", grep("^progress ", all, value = TRUE)))
  }
  expect_length(said(), 0L)
  Sys.setenv(THINWIRE_PROGRESS = "1")
  on.exit(Sys.unsetenv("THINWIRE_PROGRESS"))
  expect_equal(said(), c("0.0000", "0.5000", "0.5000", "1.0000"))
})
