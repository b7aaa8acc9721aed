# Does a damaged capture give an error, a warning or the same result, but never another number?

judged <- function(name, kind, at, mask = 0L) {
  plan <- data.table::data.table(kind = kind, at = at, mask = mask)
  damage_runs(recorded(name), recorded_device, plan)
}

test_that("a random sample of cuts and flips does nothing that is forbidden", {
  for (name in c("mqtt_qos0_pub1", "coap_1clients")) {
    plan <- damage_plan(file.size(recorded(name)), 6L, seed = 7L)
    runs <- damage_runs(recorded(name), recorded_device, plan)
    expect_equal(nrow(forbidden_runs(runs)), 0L, info = name)
    expect_true(all(runs[kind == "cut"]$outcome %in% c("error", "warning")), info = name)
  }
})

test_that("damage that once gave another number without a word is noticed", {
  header_length <- judged("coap_1clients", "flip", 24647, 12L)
  expect_equal(header_length$location, "network header")
  expect_match(header_length$said, "frame 210: has an impossible IP header")
  shorter <- judged("coap_1clients", "flip", 73225, 17L)
  expect_equal(shorter$location, "record packet length")
  expect_match(shorter$said, "frame 486: has a length that it cannot have had")
})

test_that("each place of a file is known, and the verdict sees another number", {
  file <- recorded("mqtt_qos0_pub1")
  layout <- capture_layout(file, dissect(file), recorded_device)
  expect_equal(layout$location[1], "file header")
  expect_equal(layout$location[nrow(layout)], "file statistics")
  places <- c("record time", "link header", "network header", "transport header", "payload",
              "frame of others")
  expect_true(all(places %in% layout$location))
  bytes <- readBin(file, "raw", file.size(file))
  topic <- grepRaw("/control", bytes)
  expect_equal(layout$location[findInterval(topic, layout$from)], "payload")
  sound <- list(metrics = data.table::data.table(metric = "m", value = 1, unit = "", n = 1),
                said = character(), end = "result")
  other <- sound
  expect_equal(judge_run(other, sound)$outcome, "identical")
  other$metrics <- data.table::data.table(metric = "m", value = 1 + 1e-15, unit = "", n = 1)
  expect_equal(judge_run(other, sound)$outcome, "differs")
  other$said <- "a warning"
  expect_equal(judge_run(other, sound)$outcome, "warning")
  runs <- data.table::data.table(outcome = c("differs", "differs", "crash", "error"),
                                 location = c("record time", "payload", "payload", "payload"))
  expect_equal(nrow(forbidden_runs(runs)), 2L)
})

test_that("a file that Dumpcap wrote and that is cut between two packets is warned of", {
  file <- recorded("mqtt_qos0_pub1")
  records <- pcapng_records(readBin(file, "raw", file.size(file)))
  at <- records[location == "record type and length", from][300]
  cut <- judged("mqtt_qos0_pub1", "cut", at)
  expect_equal(cut$location, "between packets")
  expect_equal(cut$outcome, "warning")
  expect_match(cut$said, "statistics with which Dumpcap closes a file are missing")
})

test_that("an end in the middle of an exchange is warned of, in any format", {
  talk <- tcp_conversation()
  talk$open()
  for (i in 1:3) talk$say("client", mqtt_publish("t", "hello"))
  n <- length(talk$frames)
  whole <- write_pcap(talk$frames, talk$times)
  expect_no_message(analyze_capture(whole, "10.0.0.2"))
  torn <- write_pcap(talk$frames[-n], talk$times[-n])
  expect_message(analyze_capture(torn, "10.0.0.2"),
                 "ends before 1 message or segment of its last exchanges was")
})

test_that("a CoAP exchange that is torn at any of its packets is warned of", {
  token <- as.raw(7)
  get <- udp(coap_message(0, 1, 10, token, "temp"), "10.0.0.1", "10.0.0.2", 4000, 5683)
  ack <- udp(coap_message(2, 0, 10), "10.0.0.2", "10.0.0.1", 5683, 4000)
  answer <- udp(coap_message(0, 69, 99, token, payload = "21"), "10.0.0.2", "10.0.0.1", 5683, 4000)
  last <- udp(coap_message(2, 0, 99), "10.0.0.1", "10.0.0.2", 4000, 5683)
  frames <- list(get, ack, answer, last)
  analyze <- function(n) analyze_capture(write_pcap(frames[1:n], (1:n) / 100), "10.0.0.2")
  expect_no_message(analyze(4))
  torn <- "ends before 1 message or segment of its last exchanges was"
  for (n in 2:3) expect_message(analyze(n), torn)
})

test_that("times that step back and packets far from all others are warned of", {
  frames <- lapply(1:12, function(i) {
    udp(coap_message(1, 2, i, as.raw(i), "t", "21"), "10.0.0.2", "10.0.0.1", 4000, 5683)
  })
  analyze <- function(times) analyze_capture(write_pcap(frames, times), "10.0.0.2")
  expect_message(analyze(c(1:5, 4.9999, 7:12)), "frame 6: has an earlier time")
  expect_message(analyze(c(1:11, 4000)), "last packet is 3989 s after all others")
  expect_message(analyze(c(-3000, 2:12) + 5000), "first packet is 3002 s before all others")
})

test_that("blocks are walked through whatever the size of the chunks", {
  file <- recorded("mqtt_qos0_pub1")
  whole <- scan_blocks(file)
  expect_null(whole$bad)
  expect_true(whole$dumpcap && whole$statistics)
  expect_equal(whole$blocks, 476 + 3)
  old <- environment(scan_blocks)$scan_words
  environment(scan_blocks)$scan_words <- 100
  on.exit(environment(scan_blocks)$scan_words <- old)
  expect_equal(scan_blocks(file), whole)
  expect_null(scan_blocks(write_pcap(list(raw(60)), 1)))
})
