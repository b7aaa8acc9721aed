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
  expect_true(row$low > row$least)
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
  expect_error(compare_sides(one, wrong), "no metric on both", class = "thinwire_input_error")
})

test_that("what cannot be compared is refused", {
  refused <- function(code, words) expect_error(code, words, class = "thinwire_input_error")
  refused(compare_sides(one, utils::modifyList(other, list(study = "t"))), "are two studies")
  elsewhere <- data.table::copy(other$metrics)[, condition := "qos=2"]
  refused(compare_sides(one, utils::modifyList(other, list(metrics = elsewhere))),
          "has no condition on both sides")
  write_side(file.path(top, "third"), study = "t")
  refused(measure_side(top), "holds bundles of the studies s, t")
  empty <- tempfile()
  dir.create(empty)
  refused(measure_side(empty), "holds no bundles")
})
