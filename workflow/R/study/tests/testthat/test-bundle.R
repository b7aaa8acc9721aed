# Do a bundle's logs and capture become metrics and samples?

test_that("delivery counts a message once, round trips are the board's, the ledger closes", {
  folder <- file.path(tempfile(), "t1")
  write_bundle(folder)
  bundle <- read_bundle(folder)
  rows <- trial_metrics(bundle)
  m <- setNames(rows$value, rows$metric)
  expect_equal(m[["sent"]], 20)
  expect_equal(m[["delivered"]], 19)
  expect_equal(m[["delivered_of_made_pct"]], 95)
  expect_equal(m[["duplicates"]], 1)
  expect_false("processed_of_reached_pct" %in% names(m)) # the device is the sender
  expect_equal(m[["rtt_mean_ms"]], mean(4000 + 1:19) / 1000)
  expect_equal(m[["rtt_median_ms"]], 4.01)
  expect_equal(m[["server_delivery_per_s_mean"]], 10)
  expect_equal(m[["board_heap_free_min_bytes"]], 40000)
  expect_equal(m[["messages"]], 20)
  expect_equal(sum(m[startsWith(names(m), "ledger_")]), m[["captured_bytes"]])
  expect_equal(trial_factors(bundle)[factor == "board", value], "lx106")
  samples <- bundle_samples(bundle)
  expect_equal(samples[sample == "rtt_ms", .N], 19)
  expect_equal(samples[sample == "delivery_per_s", value], 10)
})

test_that("a failed trial says so and gives no number", {
  folder <- file.path(tempfile(), "t1")
  write_bundle(folder, outcome = "failed")
  unlink(file.path(folder, "wire.pcapng.gz")) # it may be truncated or missing: it is not read
  bundle <- read_bundle(folder)
  rows <- trial_metrics(bundle)
  expect_equal(rows$metric, "outcome_ok")
  expect_equal(rows$value, 0)
  expect_equal(nrow(bundle_samples(bundle)), 0L)
})

# A frame of ARP: the device asks, and nothing else gets through.
arp <- as.raw(c(rep(255L, 6L), 2L, 0L, 0L, 0L, 0L, 2L, 8L, 6L, 0L, 1L, 8L, 0L, 6L, 4L, 0L, 1L,
                2L, 0L, 0L, 0L, 0L, 2L, 10L, 0L, 0L, 2L, rep(0L, 6L), 10L, 0L, 0L, 1L))

test_that("a link that lets nothing through is a result: of all that was made, nothing came", {
  folder <- file.path(tempfile(), "t1")
  write_bundle(folder)
  log <- file.path(folder, "board.jsonl")
  writeLines(grep('"acked"', readLines(log), value = TRUE, invert = TRUE), log)
  writeLines(character(), file.path(folder, "server.jsonl"))
  for (frames in list(list(), list(arp))) {
    write_pcap(frames, 1000 + seq_along(frames), file.path(folder, "wire.pcapng.gz"))
    bundle <- read_bundle(folder)
    rows <- trial_metrics(bundle)
    m <- setNames(rows$value, rows$metric)
    expect_equal(m[c("outcome_ok", "sent", "delivered", "delivered_of_made_pct")],
                 c(outcome_ok = 1, sent = 20, delivered = 0, delivered_of_made_pct = 0))
    expect_false("captured_bytes" %in% names(m))
    expect_equal(nrow(bundle_samples(bundle, trial_capture(bundle))), 0L)
  }
})

test_that("a log with a broken line is named with the line", {
  folder <- file.path(tempfile(), "t1")
  write_bundle(folder)
  lines <- readLines(file.path(folder, "board.jsonl"))
  lines[3] <- substr(lines[3], 1, 10)
  writeLines(lines, file.path(folder, "board.jsonl"))
  expect_error(read_bundle(folder), "board.jsonl: line 3", class = "thinwire_input_error")
})

test_that("a log's value of another type is named with its line and key", {
  folder <- file.path(tempfile(), "t1")
  write_bundle(folder)
  log <- file.path(folder, "board.jsonl")
  lines <- readLines(log)
  with_line <- function(text) {
    writeLines(c(lines[1:4], text, lines[-(1:4)]), log)
    read_bundle(folder)
  }
  expect_input_error <- function(text, said) {
    expect_error(with_line(text), paste0("board.jsonl: line 5: ", said),
                 class = "thinwire_input_error")
  }
  expect_input_error('{"t":"soon","ev":"sent","seq":9}', "t: is not of type number")
  expect_input_error('{"t":5,"ev":"sent","seq":[1,2]}', "seq: is not of type integer")
  expect_input_error('{"t":5,"ev":"sent","seq":{"a":1}}', "seq: is not of type integer")
  expect_input_error('{"t":null,"ev":"sent"}', "t: is missing")
  expect_input_error('{"ev":"sent"}', "t: is missing")
  expect_silent(with_line('{"t":5,"ev":"phase","resumed":true,"another":[1]}'))
})

test_that("a document that does not say what it must is named with the key", {
  folder <- file.path(tempfile(), "t1")
  write_bundle(folder)
  expect_input_error <- function(name, text, said) {
    file <- file.path(folder, name)
    before <- readLines(file)
    on.exit(writeLines(before, file))
    writeLines(text, file)
    expect_error(read_bundle(folder), paste0(name, ": ", said), class = "thinwire_input_error")
  }
  expect_input_error("lab.json", "[1]", "outcome: is missing")
  expect_input_error("lab.json", '{"outcome":["ok","ok"]}', "outcome: is missing, or not one value")
  expect_input_error("trial.json", '"t1"', "study: is missing")
  trial <- readLines(file.path(folder, "trial.json"))
  expect_input_error("trial.json", sub('"lx106"', "null", trial), "firmware.board: ")
  expect_input_error("trial.json", sub('"protocol"', '"protokol"', trial), "parameters.protocol: ")
})

test_that("phases are in their order, whatever that of their lines is", {
  board <- data.table::data.table(t = c(3, 1, 2), ev = "phase",
                                  phase = c("disconnect", "connect", NA))
  expect_equal(phase_table(list(board = board))$phase, c("connect", NA, "disconnect"))
  expect_equal(phase_table(list(board = board[, .(t, ev)]))$session, c(0L, 0L, 0L))
})

test_that("a cell's report that is none is an input error that names the key", {
  stations <- data.frame(name = c("sta1", "board"), awake_s = c(9, 2.5), standard = c("g", "n"),
                         mac = "02:00:00:00:00:01")
  stations$up <- data.frame(airtime_s = c(3, 0.5))
  of <- function(stations, duration_s = 10) {
    link <- list(duration_s = duration_s, stations = stations)
    station_of_board(list(folder = "f", lab = list(link = link)))
  }
  expect_equal(of(stations)$awake_s, 2.5)
  absent <- stations[stations$name != "board", ]
  twice <- stations[c(1, 2, 2), ]
  flat <- transform(stations, up = 1)
  odd <- transform(stations, standard = "z")
  for (bad in list(NULL, 7, list(1, 2), "x", absent, twice, flat, odd)) {
    expect_error(of(bad), "f/lab.json: link.stations: does not describe a station 'board'",
                 fixed = TRUE, class = "thinwire_input_error")
  }
  expect_error(of(stations, "long"), "link.stations", class = "thinwire_input_error")
})

test_that("messages per second are counted in whole seconds with the empty ones", {
  expect_equal(delivery_counts(c(0, 0.5, 2.2, 2.3, 3.5)), c(2, 0, 2))
  expect_equal(delivery_counts(5), integer())
})

test_that("how long the radio was awake, and what it draws, are the board's, not another's", {
  stations <- data.frame(name = c("sta1", "board"), awake_s = c(9, 2.5), standard = c("g", "n"))
  stations$up <- data.frame(airtime_s = c(3, 0.5))
  stations$mac <- c("02:00:00:00:00:09", "02:00:00:00:00:01")
  lab <- list(link = list(duration_s = 10, stations = stations))
  rows <- radio_metrics(station_of_board(list(folder = "f", lab = lab)))
  expect_equal(setNames(rows$value, rows$metric),
               c(radio_awake_s = 2.5, cell_s = 10,
                 radio_current_least_ma = (0.5 * 120 + 2 * 56 + 7.5 * 15) / 10,
                 radio_current_greatest_ma = (0.5 * 135 + 2 * 70 + 7.5 * 16) / 10))
})

test_that("a board that joins has the times of its joins, and draws next to nothing while off", {
  stations <- data.frame(name = c("board", "sta1"), awake_s = c(2, 9), standard = c("n", "n"),
                         mac = c("02:00:00:00:00:01", "02:00:00:00:00:09"), off_s = c(7, NA))
  stations$up <- data.frame(airtime_s = c(0.5, 3))
  stations$joins <- list(data.frame(began_s = c(0, 5), scanned_s = c(0.12, 5.12),
                                    authenticated_s = c(0.121, 5.121),
                                    associated_s = c(0.124, 5.126), joined_s = c(0.132, 5.134)),
                         NULL)
  lab <- list(link = list(duration_s = 10, stations = stations))
  rows <- radio_metrics(station_of_board(list(folder = "f", lab = lab)))
  of <- function(name) rows[metric == name, value]
  expect_equal(of("join_mean_ms"), 133)
  expect_equal(of("join_scan_mean_ms"), 120)
  expect_equal(of("join_association_mean_ms"), 5)
  expect_equal(of("join_keys_mean_ms"), 8)
  expect_equal(of("join_charge_least_uc"), 133 * 56)
  expect_equal(of("join_charge_greatest_uc"), 133 * 70)
  expect_equal(of("radio_current_least_ma"), (0.5 * 120 + 1.5 * 56 + 1 * 15 + 7 * 0.02) / 10)
})

test_that("where the device receives, the capture's times are samples, too", {
  folder <- file.path(tempfile(), "t1")
  write_bundle(folder)
  bundle <- read_bundle(folder)
  capture <- trial_capture(bundle)
  expect_identical(trial_metrics(bundle, capture), trial_metrics(bundle))
  more <- bundle_samples(bundle, capture)
  expect_equal(more[sample != "frames_per_s"], bundle_samples(bundle))
  expect_true("frames_per_s" %in% more$sample) # which only the capture has
  bundle$trial$parameters$role <- "serve"
  samples <- bundle_samples(bundle, capture)
  m <- trial_metrics(bundle)
  for (name in unique(grep("^(request_ack|device_ack_rtt|conversation)", samples$sample,
                           value = TRUE))) {
    mean <- m[metric == sub("_ms$", "_mean_ms", name)]
    expect_equal(samples[sample == name, mean(value)], mean$value)
    expect_equal(samples[sample == name, .N], mean$n)
  }
  expect_true("conversation_ms" %in% samples$sample)
})

test_that("a device that subscribes has its stream graphs, one that publishes has none", {
  folder <- file.path(tempfile(), "t1")
  write_bundle(folder)
  bundle <- read_bundle(folder)
  graphs <- function(role) {
    bundle$trial$parameters$role <- role
    grepl("^stream_misread", trial_metrics(bundle)$metric)
  }
  expect_false(any(graphs("publish")))
  expect_equal(sum(graphs("subscribe")), 2L)
})

test_that("a device that serves without a session logs its restarts", {
  folder <- file.path(tempfile(), "t1")
  write_bundle(folder)
  bundle <- read_bundle(folder)
  expect_null(restart_metrics(bundle))
  bundle$trial$parameters$role <- "serve"
  expect_null(restart_metrics(bundle)) # for MQTT the capture shows it
  bundle$trial$parameters$protocol <- "coap"
  expect_equal(restart_metrics(bundle)$value, c(0, 0))
  again <- data.table::data.table(t = c(1, 1.5e6), ev = c("boot", "up"))
  bundle$board <- rbind(bundle$board, again, fill = TRUE)
  expect_equal(restart_metrics(bundle)$value, c(1, 1.5))
})

test_that("a parameter whose name begins with 'topic' does not choose the topic", {
  folder <- file.path(tempfile(), "t")
  write_bundle(folder, more = list(topic_alias = TRUE))
  rows <- trial_metrics(read_bundle(folder))
  expect_equal(rows[metric == "messages", value], 20)
})
