# Are the times drawn that both sides of a comparison have?

drawn <- function(...) {
  rows <- list(...)
  sides <- Map(function(side, sample) {
    data.table::CJ(side = side, condition = "qos=1", sample = sample, value = 1:3)
  }, names(rows), rows)
  figure_compare(list(samples = data.table::rbindlist(sides)))$plot
}

test_that("the device's round trips where both logged them, else those of the captures", {
  bundle <- c("conversation_ms", "request_ack_ms", "rtt_ms")
  expect_equal(drawn(A = bundle, B = bundle)$labels$x, "round trip, ms")
  mixed <- drawn(A = bundle, B = bundle[-3L])
  expect_equal(mixed$labels$x, "message to acknowledgement, ms")
  expect_setequal(mixed$data$sample, "request_ack_ms")
  expect_setequal(mixed$data$side, c("A", "B"))
  expect_null(drawn(A = "rtt_ms", B = "request_ack_ms"))
})

test_that("a panel is named by what its condition has alone", {
  rows <- data.table::CJ(side = c("A", "B"), condition = c("loss=1 qos=0", "loss=1 qos=1"),
                         sample = "rtt_ms", value = 1:3)
  expect_setequal(figure_compare(list(samples = rows))$plot$data$panel, c("qos=0", "qos=1"))
})
