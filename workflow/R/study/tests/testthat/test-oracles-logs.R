# Do the oracles of a trial's logs fire where a promise is broken, and only there?

value_of <- function(rows, name) rows$value[rows$metric == name]
messages_of <- function(seq, acked, time) {
  data.table::data.table(sender = "board", seq = seq, sent = TRUE, acked = acked,
                         failed = NA_character_, time = time, copies = 1L)
}
bundle_of <- function(..., board = character(), server = character()) {
  lines <- function(x) {
    file <- tempfile()
    writeLines(x, file)
    read_jsonl(file)
  }
  list(trial = list(parameters = list(protocol = "mqtt", qos = 1, ...)), board = lines(board),
       server = lines(server), lab = list(outcome = "ok"))
}

test_that("an acknowledged message that never arrived is lost, another is not", {
  of <- function(acked) {
    messages <- messages_of(1:3, acked, c(1, NA, 3))
    value_of(promise_metrics(bundle_of(), messages), "acknowledged_lost")
  }
  expect_equal(of(c(TRUE, FALSE, TRUE)), 0)
  expect_equal(of(c(TRUE, TRUE, TRUE)), 1)
})

test_that("QoS 0 acknowledges nothing", {
  bundle <- bundle_of()
  bundle$trial$parameters$qos <- 0
  found <- promise_metrics(bundle, messages_of(1:2, TRUE, c(1, NA)))
  expect_equal(found$metric, "out_of_order")
})

test_that("messages out of order are those after a later one", {
  of <- function(time) {
    value_of(promise_metrics(bundle_of(), messages_of(1:3, TRUE, time)), "out_of_order")
  }
  expect_equal(of(c(1, 2, 3)), 0)
  expect_equal(of(c(1, NA, 3)), 0)
  expect_equal(of(c(2, 1, 3)), 1)
})

faulty <- c('{"t":1001,"ev":"fault","number":1,"kind":"loss"}',
            '{"t":1002,"ev":"fault_over","number":1,"kind":"loss","frames":1}',
            '{"t":1005,"ev":"fault","number":2,"kind":"half_open"}',
            '{"t":1009,"ev":"fault_over","number":2,"kind":"half_open","frames":4}')

test_that("the device is back with the first message after the last fault, or not at all", {
  of <- function(time) {
    bundle <- bundle_of(server = faulty, foreign = TRUE)
    return_metrics(bundle, messages_of(seq_along(time), TRUE, time))$value
  }
  expect_equal(of(c(1003, 1009.5, 1012)), 0.5)
  expect_null(of(c(1003, 1008)))
})

test_that("faults have their spans, also one that never ends", {
  spans <- fault_spans(bundle_of(server = faulty[1:3]), 1000)
  expect_equal(spans$from, c(1, 5))
  expect_equal(spans$to, c(2, Inf))
})

test_that("heap that grows, and a reset, are seen in the device's log", {
  of <- function(used, boots = 1) {
    board <- c(rep('{"t":1,"ev":"boot"}', boots),
               sprintf('{"t":2,"ev":"stat","heap_used":%d}', as.integer(used)))
    board_oracles(bundle_of(board = board))
  }
  expect_equal(value_of(of(rep(900, 6)), "heap_growth_bytes"), 0)
  expect_equal(value_of(of(900 + 10 * (1:6)), "heap_growth_bytes"), 40)
  expect_equal(value_of(of(rep(900, 6)), "device_resets"), 0)
  expect_equal(value_of(of(rep(900, 6), boots = 3), "device_resets"), 2)
})
