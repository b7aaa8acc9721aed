# Do frames of a second count as in the program of UFES, and do frames classify a silence?

context_of <- function(frames, times) {
  packets <- dissect(write_pcap(frames, times))
  measure_context(packets, "10.0.0.2", NULL, "test")
}

test_that("a segment with three messages is one frame, at the time of its last one", {
  talk <- tcp_conversation()
  talk$open()
  one <- function(i) mqtt_publish("t", sprintf("message %d", i))
  for (i in 1:3) {
    talk$now <- 1000 + i
    talk$say("client", one(i))
  }
  talk$now <- 1005.5
  talk$say("client", c(one(4), one(5), one(6)))
  times <- message_frame_times(context_of(talk$frames, talk$times))
  expect_equal(times - times[1L], c(0, 1, 2, 4.5))
  m <- frame_metrics(times)
  expect_equal(m[metric == "frames_per_s_mean", value], 3 / 4.5)
  expect_equal(m[metric == "frame_silent_seconds_pct", value], 25) # the fourth second of four
  expect_null(frame_metrics(NULL))
  samples <- second_samples(list(frames_at = times))
  expect_equal(samples$value, c(1, 1, 1, 0))
})

test_that("the longest silence has its requests, its answer, and the next request", {
  asks <- function(id) {
    udp(coap_message(0, 1, id, as.raw(id), "time"), "10.0.0.1", "10.0.0.2",
        40000, 5683)
  }
  answers <- function(id) {
    udp(coap_message(2, 69, id, as.raw(id), payload = "x"), "10.0.0.2",
        "10.0.0.1", 5683, 40000)
  }
  frames <- list(asks(1), answers(1), asks(2), asks(2), asks(2), answers(2), asks(3), answers(3))
  at <- c(0, 0.001, 0.117, 2.117, 6.117, 6.118, 6.235, 6.236)
  found <- longest_silence(context_of(frames, 1000 + at))
  expect_equal(found[sample == "silence_request_ms", value], c(0, 2000, 6000, 6118))
  expect_equal(found[sample == "silence_answer_ms", value], 6001)
  calm <- longest_silence(context_of(frames[c(1, 2, 7, 8)], 1000 + at[c(1, 2, 7, 8)]))
  expect_equal(nrow(calm), 0L)
})
