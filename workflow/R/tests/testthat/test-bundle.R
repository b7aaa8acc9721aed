# Do a bundle's logs and capture become metrics, samples, figures and tables?

#' A bundle of `n` QoS 1 messages, the last of which is lost.
write_bundle <- function(folder, n = 20, outcome = "ok") {
  dir.create(folder, recursive = TRUE)
  parameters <- list(protocol = "mqtt", qos = 1, nagle = FALSE, interval_ms = 100, duration_s = 2,
                     payload_bytes = 30)
  json <- function(x, name) {
    writeLines(jsonlite::toJSON(x, auto_unbox = TRUE), file.path(folder, name))
  }
  json(list(study = "s", trial = basename(folder), repetition = 1, testbed = "virtual",
            parameters = parameters), "trial.json")
  json(list(outcome = outcome, reason = ""), "lab.json")
  at <- seq_len(n) * 0.1
  writeLines(c('{"t":1,"ev":"boot"}', '{"t":2,"ev":"up","ip":"10.0.0.2"}',
               sprintf('{"t":%d,"ev":"sent","seq":%d}', as.integer(at * 1e6), seq_len(n)),
               sprintf('{"t":%d,"ev":"acked","seq":%d,"rtt_us":%d}',
                       as.integer(at[-n] * 1e6 + 5000), seq_len(n - 1), 4000L + seq_len(n - 1)),
               '{"t":9,"ev":"stat","heap_free_min":40000}'), file.path(folder, "board.jsonl"))
  got <- c(1, seq_len(n - 1))
  writeLines(sprintf('{"t":%.9f,"ev":"received","seq":%d}', 1000 + c(at[1], at[seq_len(n - 1)]),
                     got), file.path(folder, "server.jsonl"))
  talk <- tcp_conversation(delay = 0.002)
  talk$open()
  for (i in seq_len(n)) {
    talk$now <- 1000 + at[i]
    talk$say("client", mqtt_publish("t", strrep("x", 30), qos = 1, id = i), ack = FALSE)
    if (i < n) talk$say("server", mqtt_puback(i), ack = FALSE)
  }
  write_pcap(talk$frames, talk$times, file.path(folder, "wire.pcap"))
}

test_that("delivery counts a message once, round trips are the board's, the ledger closes", {
  folder <- file.path(tempfile(), "t1")
  capture <- write_bundle(folder)
  bundle <- read_bundle(folder)
  rows <- trial_metrics(bundle, dissect(capture))
  m <- setNames(rows$value, rows$metric)
  expect_equal(m[["sent"]], 20)
  expect_equal(m[["delivered"]], 19)
  expect_equal(m[["delivery_ratio_pct"]], 95)
  expect_equal(m[["duplicates"]], 1)
  expect_equal(m[["rtt_mean_ms"]], mean(4000 + 1:19) / 1000)
  expect_equal(m[["rtt_median_ms"]], 4.01)
  expect_equal(m[["server_delivery_per_s_mean"]], 10)
  expect_equal(m[["board_heap_free_min_bytes"]], 40000)
  expect_equal(m[["messages"]], 20)
  expect_equal(sum(m[startsWith(names(m), "ledger_")]), m[["captured_bytes"]])
  samples <- bundle_samples(bundle)
  expect_equal(samples[sample == "rtt_ms", .N], 19)
  expect_equal(samples[sample == "delivery_per_s", value], 10)
})

test_that("a failed trial says so and gives no number", {
  folder <- file.path(tempfile(), "t1")
  write_bundle(folder, outcome = "failed")
  rows <- trial_metrics(read_bundle(folder), NULL)
  expect_equal(rows$metric, "outcome_ok")
  expect_equal(rows$value, 0)
})

test_that("a log with a broken line is named with the line", {
  folder <- file.path(tempfile(), "t1")
  write_bundle(folder)
  lines <- readLines(file.path(folder, "board.jsonl"))
  lines[3] <- substr(lines[3], 1, 10)
  writeLines(lines, file.path(folder, "board.jsonl"))
  expect_error(read_bundle(folder), "board.jsonl: line 3", class = "thinwire_input_error")
})

test_that("messages per second are counted in whole seconds with the empty ones", {
  expect_equal(delivery_counts(c(0, 0.5, 2.2, 2.3, 3.5)), c(2, 0, 2))
  expect_equal(delivery_counts(5), integer())
})

test_that("figures and tables are the same bytes twice, and the packets table survives its file", {
  folder <- file.path(tempfile(), c("t1", "t2"))
  captures <- vapply(folder, write_bundle, "")
  label <- function(rows, b) cbind(study = b$trial$study, trial = b$trial$trial, rows)
  bundles <- lapply(folder, read_bundle)
  metrics <- data.table::rbindlist(Map(function(b, c) label(trial_metrics(b, dissect(c)), b),
                                       bundles, captures))
  samples <- data.table::rbindlist(lapply(bundles, function(b) label(bundle_samples(b), b)))
  factors <- data.table::rbindlist(lapply(bundles, function(b) label(trial_factors(b), b)))
  for (name in c("delivery", "rtt", "bytes")) {
    files <- tempfile(fileext = c(".pdf", ".pdf"))
    for (file in files) {
      figure <- study_figure(name, metrics, samples, factors)
      save_figure(figure$plot, file, figure$width, figure$height)
    }
    expect_identical(unname(tools::md5sum(files[1])), unname(tools::md5sum(files[2])), info = name)
  }
  summary <- summarise_study(metrics, factors, samples)
  expect_equal(summary$sent, 40)
  expect_equal(summary$rtt_n, 38)
  packets <- dissect(captures[1])
  file <- tempfile(fileext = ".csv.gz")
  write_packets(packets, file)
  again <- capture_metrics(reduce_capture(read_packets(file), "10.0.0.2"))
  expect_equal(again, capture_metrics(reduce_capture(packets, "10.0.0.2")))
})
