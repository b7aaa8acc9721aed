# UFES's metrics, on captures small enough to compute them by hand.

device <- "10.0.0.2"
server <- "10.0.0.1"
metrics_of <- function(frames, times) {
  rows <- suppressMessages(analyze_capture(write_pcap(frames, times), device))
  setNames(rows$value, rows$metric)
}
request <- function(id, type = 0) {
  udp(coap_message(type, 2, id, be16(id), "tw", "hello"), device, server, 40000, 5683)
}
acknowledgement <- function(id) udp(coap_message(2, 68, id, be16(id)), server, device, 5683, 40000)

test_that("attempts are counted for each CON: mean, most, and those of more than three", {
  frames <- c(lapply(c(1, 1, 1, 1, 1), request), list(acknowledgement(1)),
              lapply(c(2, 2, 2), request), list(acknowledgement(2)), list(request(3)))
  m <- metrics_of(frames, c(1, 3, 7, 15, 31, 31.1, 40, 42, 46, 46.1, 50))
  expect_equal(m[["messages"]], 3)
  expect_equal(m[["con_attempts_mean"]], 3)
  expect_equal(m[["con_attempts_max"]], 5)
  expect_equal(m[["con_over_three_attempts"]], 1) # three attempts are not more than three
  expect_equal(m[["repetition_ratio_pct"]], 100 * (4 + 2) / 3)
})

test_that("of non-confirmable messages there are no attempts", {
  m <- metrics_of(lapply(1:3, request, type = 1), 1:3)
  expect_equal(m[["messages"]], 3)
  expect_false(any(startsWith(names(m), "con_")))
  expect_equal(m[["repetition_ratio_pct"]], 0)
})

test_that("equation 1 as printed adds where the mean between messages subtracts", {
  m <- metrics_of(lapply(1:5, request, type = 1), 10:14)
  expect_equal(m[["interarrival_mean_ms"]], 1000)
  # (1 + 0) + (2 + 1) + (3 + 2) + (4 + 3) seconds, over 5 messages
  expect_equal(m[["interarrival_equation_ms"]], 16000 / 5)
})

test_that("over TCP what counts as repeated is spurious: data that were acknowledged already", {
  talk <- tcp_conversation()
  talk$open()
  talk$say("client", mqtt_publish("t", "one"))
  talk$say("client", mqtt_publish("t", "two"), ack = FALSE)
  again <- talk$frames[[length(talk$frames)]]
  talk$add("server", raw(), 0x10)
  frames <- c(talk$frames, list(again)) # the second message, after its acknowledgement
  m <- metrics_of(frames, c(talk$times, talk$now + 1))
  expect_equal(m[["spurious_retransmissions"]], 1)
  expect_equal(m[["repetition_ratio_pct"]], 50)
})
