# Is each client of a load counted by itself?

loaded <- function(role, server, clients, board = NULL) {
  board <- if (is.null(board)) data.table::data.table(ev = "up", seq = NA, t = 0) else board
  list(trial = list(trial = "t", parameters = list(protocol = "mqtt", role = role,
                                                   clients = clients)),
       board = board, server = server)
}

values <- function(bundle) {
  rows <- client_metrics(bundle, message_table(bundle))
  stats::setNames(rows$value, rows$metric)
}

#' Lines of a load: `count` messages of each of these clients.
of_clients <- function(event, clients, count, ...) {
  data.table::data.table(data.table::CJ(client = clients, seq = seq_len(count)), ev = event,
                         server = "load", t = 0, ...)
}

test_that("what became of each client's messages is reported by the worst and the best of them", {
  made <- of_clients("sent", c("c001", "c002", "c003"), 4)
  board <- data.table::data.table(ev = "received", from = c("c001", rep("c002", 2), rep("c003", 4)),
                                  seq = c(1, 1:2, 1:4), t = 1e6)
  m <- values(loaded("subscribe", made, 3L, board))
  expect_equal(m, c(client_delivered_of_made_least_pct = 25,
                    client_delivered_of_made_median_pct = 50,
                    client_delivered_of_made_greatest_pct = 100))
})

test_that("clients that ask have round trips of their own", {
  made <- of_clients("sent", c("c001", "c002"), 2)
  answered <- of_clients("acked", c("c001", "c002"), 2, rtt_us = c(1000, 3000, 10000, 20000))
  m <- values(loaded("serve", rbind(made, answered, fill = TRUE), 2L))
  expect_equal(m[grepl("rtt", names(m))],
               c(client_rtt_median_least_ms = 2, client_rtt_median_median_ms = 8.5,
                 client_rtt_median_greatest_ms = 15))
})

test_that("a subscriber that nothing reached counts, and copies do not", {
  board <- data.table::data.table(ev = "sent", seq = 1:4, t = 1)
  got <- rbind(of_clients("received", "c001", 4), of_clients("received", "c001", 1),
               of_clients("received", "c002", 2))
  m <- values(loaded("publish", got, 3L, board))
  expect_equal(m, c(subscriber_received_of_sent_least_pct = 0,
                    subscriber_received_of_sent_median_pct = 50,
                    subscriber_received_of_sent_greatest_pct = 100))
})

test_that("one client is no load to tell apart", {
  expect_null(client_metrics(loaded("serve", of_clients("sent", "c001", 2), 1L), NULL))
  expect_null(client_metrics(loaded("publish", of_clients("received", "c001", 2), NULL), NULL))
})
