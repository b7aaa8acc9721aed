# Are messages identified by sender and number, and are the three ratios as docs/metrics.md defines
# them?

#' A bundle's records without a capture. `board` and `server` are tables of their lines.
records <- function(role, board, server, ...) {
  fill <- function(x) data.table::rbindlist(x, use.names = TRUE, fill = TRUE)
  list(trial = list(trial = "t", parameters = list(protocol = "mqtt", role = role, ...)),
       board = fill(board), server = fill(server))
}

line <- function(ev, seq, ..., t = seq) data.table::data.table(t = as.numeric(t), ev, seq, ...)

#' Ten clients of a load send the device 100 messages each; it processes the first of each segment
#' of ten, then stalls, as KU Leuven's device does: 24.1 % of those that reached it.
ten_clients <- function() {
  each <- data.table::CJ(client = sprintf("c%03d", 1:10), seq = 0:99)
  each[, t := seq + 0.01 * as.integer(sub("c", "", client))]
  sent <- data.table::data.table(ev = "sent", server = "load", each)
  processed <- each[seq_len(241)]
  board <- data.table::data.table(ev = "received", from = processed$client, seq = processed$seq,
                                  t = (processed$t + 0.5) * 1e6)
  # the broker's own recorder got every message, and the device says what it sent itself
  recorder <- data.table::data.table(ev = "received", server = "mosquitto", seq = each$seq,
                                     t = each$t)
  records("subscribe", list(board, line("sent", 1:3, t = 1:3)), list(sent, recorder))
}

values <- function(bundle, reached = NA_real_) {
  rows <- delivery_metrics(message_table(bundle), reached)
  stats::setNames(rows$value, rows$metric)
}

test_that("ten clients that count from 0 make 1000 messages, not 100", {
  m <- values(ten_clients(), reached = 1000)
  expect_equal(m[["made"]], 1000)
  expect_equal(m[["sent"]], 1000)
  expect_equal(m[["delivered"]], 241)
  expect_equal(m[["processed_of_reached_pct"]], 24.1)
  expect_equal(m[["delivered_of_sent_pct"]], 24.1)
  expect_equal(m[["duplicates"]], 0)
  expect_equal(values(ten_clients(), reached = 263)[["processed_of_reached_pct"]], 100 * 241 / 263)
  expect_false("processed_of_reached_pct" %in% names(values(ten_clients())))
})

test_that("the span is from the first message that the device took to the last", {
  bundle <- ten_clients()
  m <- log_metrics(bundle)
  taken <- message_table(bundle)$time
  expect_equal(m[metric == "delivery_span_s", value], max(taken, na.rm = TRUE) - 0.51)
  expect_equal(m[metric == "delivery_span_s", n], 241)
})

test_that("a message that never left the device was made, too", {
  # 600 made: 449 sent and delivered, 64 sent and given up, 87 without a place in the backlog
  board <- list(line("sent", 1:513), line("acked", 1:449),
                line("failed", 450:513, reason = "no_response"),
                line("failed", 514:598, reason = "backlog_full"),
                line("failed", 599, reason = "offline"), line("failed", 600, reason = "unfinished"))
  m <- values(records("publish", board, list(line("received", 1:449, server = "aiocoap"))))
  expect_equal(m[c("made", "sent", "delivered")], c(made = 600, sent = 513, delivered = 449))
  expect_equal(m[["delivered_of_made_pct"]], 100 * 449 / 600)
  expect_equal(m[["delivered_of_sent_pct"]], 100 * 449 / 513)
  expect_equal(m[c("dropped_backlog_full", "dropped_offline", "dropped_otherwise", "given_up")],
               c(dropped_backlog_full = 85, dropped_offline = 1, dropped_otherwise = 1,
                 given_up = 64))
})

test_that("what a device forgets, its table of requests being full, is delivered if it arrived", {
  # CoAP NON to a slow server: it answers the last two of twenty; the device gave up three it has
  board <- list(line("sent", 1:20), line("failed", 1:4, reason = "table_full"),
                line("acked", 19:20), line("failed", 5:18, reason = "unfinished"))
  m <- values(records("publish", board, list(line("received", c(1:3, 19:20), server = "aiocoap"))))
  expect_equal(m[c("made", "sent", "delivered", "given_up", "given_up_delivered")],
               c(made = 20, sent = 20, delivered = 5, given_up = 18, given_up_delivered = 3))
})

test_that("copies to further subscribers are neither deliveries nor duplicates", {
  server <- list(line("received", c(1, 2, 2), server = "mosquitto"),
                 line("received", 1:4, server = "load", client = "c001"))
  m <- values(records("publish", list(line("sent", 1:4)), server))
  expect_equal(m[["delivered_of_made_pct"]], 50)
  expect_equal(m[["duplicates"]], 1)
})

test_that("a request to a serving device is delivered when its requester has the answer", {
  load <- function(ev, seq, client, ...) line(ev, seq, client = client, server = "load", ...)
  server <- list(load("sent", 0:2, "c001"), load("sent", 0:2, "c002"), load("acked", 0:1, "c001"),
                 load("acked", 0, "c002"), load("received", 1:3, "c001"),
                 load("failed", 2, "c001", reason = "no_response"))
  m <- values(records("serve", list(line("sent", 1:4)), server), reached = 5)
  expect_equal(m[c("made", "delivered", "given_up")], c(made = 6, delivered = 3, given_up = 1))
  expect_equal(m[["processed_of_reached_pct"]], 60)
})

test_that("a payload with room for the end of its sender's name is its sender's", {
  sent <- data.table::data.table(ev = "sent", server = "load", client = c("c001", "c002"),
                                 seq = 100000, t = 1)
  board <- data.table::data.table(ev = "received", from = c("001", "002", "9"), seq = 100000,
                                  t = 2e6)
  found <- message_table(records("subscribe", list(board), list(sent)))
  expect_equal(found$time, c(2, 2))
})

test_that("ten messages a second are ten, wherever the seconds begin", {
  for (seed in 1:20) {
    set.seed(seed)
    arrivals <- sort(seq_len(300) * 0.1 + stats::rnorm(300, 0.002, 0.0005) + stats::runif(1))
    board <- list(line("sent", 1:300))
    server <- list(line("received", 1:300, server = "mosquitto", t = 1e9 + arrivals))
    rows <- log_metrics(records("publish", board, server))
    m <- stats::setNames(rows$value, rows$metric)
    expect_equal(round(m[["server_delivery_per_s_mean"]], 2), 10)
    expect_lt(m[["server_delivery_per_s_mean_ci95_low"]], 10)
    expect_gt(m[["server_delivery_per_s_mean_ci95_high"]], 10)
  }
})
