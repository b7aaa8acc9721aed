# Does a comparison of two sets of bundles name what differs, and nothing else?

# Five runs of ten messages; on the other side each round trip takes `slow` ms more, and each
# message has `more` bytes more.
write_side <- function(top, slow = 0, more = 0, study = "s") {
  for (run in seq_len(5L)) {
    folder <- file.path(top, paste0("mqtt_r", run))
    write_bundle(folder, n = 10)
    file <- file.path(folder, "board.jsonl")
    lines <- readLines(file)
    at <- grep("rtt_us", lines)
    rtt <- as.integer(sub(".*rtt_us\":([0-9]+).*", "\\1", lines[at])) + 1000L * slow + 10L * run
    lines[at] <- sprintf("%s\"rtt_us\":%d}", sub("\"rtt_us\".*", "", lines[at]), rtt)
    writeLines(lines, file)
    trial <- jsonlite::fromJSON(file.path(folder, "trial.json"))
    trial$study <- study
    trial$point <- list(qos = 1)
    trial$parameters$server_time_us <- 1000 * slow
    writeLines(jsonlite::toJSON(trial, auto_unbox = TRUE), file.path(folder, "trial.json"))
    talk <- tcp_conversation(delay = 0.002)
    talk$open()
    for (i in seq_len(10L)) {
      talk$now <- 1000 + i * 0.1
      talk$say("client", mqtt_publish("t", strrep("x", 30 + more), qos = 1, id = i), ack = FALSE)
      talk$say("server", mqtt_puback(i), ack = FALSE)
    }
    write_pcap(talk$frames, talk$times, file.path(folder, "wire.pcapng.gz"))
  }
  top
}

top <- tempfile("compare")
one <- measure_side(write_side(file.path(top, "one")))
other <- measure_side(write_side(file.path(top, "other"), slow = 3, more = 20))

test_that("the same bundles differ in nothing, and their distributions have no distance", {
  found <- compare_sides(one, one)
  expect_setequal(found$rows$verdict, "alike")
  expect_equal(found$rows[metric == "rtt_median_ms", distance], 0)
  expect_equal(nrow(found$settings), 0L)
  expect_match(tail(comparison_lines(found, c("a", "b")), 1L), "^no metric differs")
})

test_that("another board differs in round trips and bytes, not in packets", {
  found <- compare_sides(one, other)
  rows <- found$rows
  expect_true(all(c("rtt_median_ms", "rtt_mean_ms", "bytes_per_message") %in%
                    rows[verdict == "differs", metric]))
  expect_true(all(rows[metric %in% c("packets_per_message", "retransmissions",
                                     "header_bytes_per_message"), verdict] == "alike"))
  row <- rows[metric == "rtt_median_ms"]
  expect_equal(c(row$b - row$a, row$distance), c(3, 1))
  expect_true(row$low > row$margin)
  expect_equal(rows[metric == "bytes_per_message", b - a], 20)
  lines <- comparison_lines(found, c("a", "b"))
  expect_true("server_time_us: 0 in A, 3000 in B" %in% lines)
  expect_match(tail(lines, 1L), "^differs: rtt_median_ms, rtt_mean_ms, ")
})

test_that("four runs decide nothing but what is exact", {
  few <- lapply(other, function(x) if (is.data.frame(x)) x[!grepl("_r5$", run)] else x)
  rows <- compare_sides(one, few)$rows
  expect_setequal(rows[verdict != "too few runs", metric], "device_mss_bytes")
})

test_that("a run that went wrong enters nothing and is counted", {
  folder <- file.path(top, "one", "mqtt_r1")
  writeLines('{"outcome": "failed", "reason": "x"}', file.path(folder, "lab.json"))
  wrong <- measure_side(folder)
  expect_equal(c(wrong$wrong, nrow(wrong$samples)), c(1, 0))
  expect_error(compare_sides(one, wrong), "no metric in common", class = "thinwire_input_error")
})

test_that("what cannot be compared is refused", {
  refused <- function(code, words) expect_error(code, words, class = "thinwire_input_error")
  elsewhere <- data.table::copy(other$metrics)[, condition := "qos=2"]
  refused(compare_sides(one, utils::modifyList(other, list(metrics = elsewhere))),
          "has no condition on both sides; they differ in qos; compare .* two modes with --modes")
  write_side(file.path(top, "third"), study = "t")
  refused(measure_side(top), "holds bundles of the studies s, t")
  refused(check_studies(file.path(top, c("one", "third"))), "s and t: are two studies")
  expect_null(check_studies(file.path(top, c("one", "other"))))
  empty <- tempfile()
  dir.create(empty)
  refused(measure_side(empty), "holds no bundles and no captures")
})

quietly <- function(top, device = "10.0.0.2") suppressMessages(measure_side(top, device = device))

# Captures as if recorded, of the same conversations.
record_side <- function(top, from, runs = 1:5) {
  dir.create(top)
  bundles <- file.path(from, paste0("mqtt_r", runs), "wire.pcapng.gz")
  file.copy(bundles, file.path(top, paste0("recorded", runs, ".pcapng.gz")))
  top
}
other_bundles <- file.path(top, "other")
recorded_runs <- function(...) {
  quietly(record_side(tempfile("captures"), other_bundles, ...))
}

test_that("captures are runs of the condition that the other side has", {
  found <- compare_sides(recorded_runs(), other)
  expect_setequal(found$rows$verdict, "alike")
  expect_equal(found$rows$a, found$rows$b)
  expect_equal(found$rows[metric == "request_ack_mean_ms", distance], 0)
  expect_false("rtt_median_ms" %in% found$rows$metric) # of the device's own log
  expect_equal(found$study, "s")
  expect_equal(nrow(found$settings), 0L) # a capture does not hold them
  expect_true("A: recorded, mqtt from the device" %in% comparison_lines(found, c("a", "b")))
  both <- compare_sides(recorded_runs(), recorded_runs())
  expect_equal(both$study, NA_character_)
  expect_setequal(both$rows$verdict, "alike")
})

test_that("one capture decides nothing but what is exact, and has its distances", {
  rows <- compare_sides(one, recorded_runs(1))$rows
  expect_setequal(rows[verdict != "too few runs", metric], "device_mss_bytes")
  row <- rows[metric == "bytes_per_message"]
  expect_equal(c(row$b - row$a, row$runs_a, row$runs_b), c(20, 5, 1))
  expect_equal(rows[metric == "request_ack_mean_ms", is.na(distance)], FALSE)
})

test_that("a capture is put beside one condition, which its levels choose", {
  folder <- tempfile()
  write_side(folder)
  file <- file.path(folder, "mqtt_r5", "trial.json")
  trial <- jsonlite::fromJSON(file)
  trial$point$qos <- trial$parameters$qos <- 2
  writeLines(jsonlite::toJSON(trial, auto_unbox = TRUE), file)
  expect_error(compare_sides(recorded_runs(), measure_side(folder)),
               "holds 2 conditions, and a capture is of one; .*--point .* differ in qos$",
               class = "thinwire_input_error")
  found <- compare_sides(recorded_runs(), measure_side(folder, point = "qos=2"))
  expect_setequal(found$rows$runs_b, 1L)
  refused <- function(point, words) {
    expect_error(measure_side(folder, point = point), words, class = "thinwire_input_error")
  }
  refused("qos=3", "holds no trial with qos=3; take one of 1, 2")
  refused("quality=1", "no trial of .* has the parameter 'quality'")
  refused("qos", "'qos' is not KEY=VALUE")
})

test_that("captures that cannot be compared are refused", {
  refused <- function(code, words) expect_error(code, words, class = "thinwire_input_error")
  folder <- record_side(tempfile("captures"), other_bundles, 1:2)
  refused(measure_side(folder), "recorded1.pcapng.gz: is a capture, and --device is missing")
  refused(quietly(folder, "10.0.0.9"), "recorded1.* no packet to or from 10.0.0.9")
  refused(quietly(file.path(folder, "none.pcap")), "no such file")
  whole <- file.path(folder, "whole.pcap")
  posts <- lapply(1:3, function(i) {
    udp(c(as.raw(c(0x40, 2, 0, i, 0xb1)), text_raw("t")), "10.0.0.2", "10.0.0.1", 40000, 5683)
  })
  write_pcap(posts, 1:3, whole)
  refused(quietly(folder),
          "captures of mqtt from the device, such as recorded1.*, and of coap from the .*whole")
  refused(compare_sides(quietly(whole), one),
          "whole.pcap: holds coap from the device; .* mqtt from the device; compare one workload")
  cut <- file.path(folder, "cut.pcap")
  writeBin(utils::head(readBin(whole, "raw", 1e5), -7L), cut)
  refused(quietly(cut), "cut.pcap: cut short in the middle of a packet")
  file.copy(whole, file.path(top, "one"))
  refused(quietly(file.path(top, "one")),
          "holds bundles, and beside them .*whole.pcap")
})

test_that("a recorded ESP8266's capture has the metrics of the analysis", {
  side <- quietly(recorded("mqtt_qos1_pub1"), recorded_device)
  expect_equal(side$metrics[, setNames(value, metric)], recorded_metrics("mqtt_qos1_pub1"))
  expect_equal(side$workloads, "mqtt to the device")
  expect_gt(side$samples[sample == "request_ack_ms", .N], 90)
})
