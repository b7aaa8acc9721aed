# Which frames prove that a TCP segment is missing from the capture?

device <- "10.0.0.2"
unseen <- function(talk, frames) {
  rows <- suppressMessages(analyze_capture(write_pcap(talk$frames[frames], talk$times[frames]),
                                           device))
  rows[metric == "unseen_segments", value]
}

test_that("a gap that the capture fills later shows no missing segment", {
  talk <- tcp_conversation()
  talk$open()
  talk$say("client", mqtt_connect())
  for (i in 1:4) talk$say("client", mqtt_publish("t", "hello"), ack = FALSE)
  talk$add("client", as.raw(c(0xe0, 0)), 0x18)
  talk$close()
  last <- length(talk$frames)
  talk$times <- seq_len(last) # they are captured in the order of the file
  late <- c(seq_len(last - 4L), last - 2L, last - 3L, last - 1L, last) # FIN before DISCONNECT
  swapped <- list(frames = talk$frames[late], times = talk$times)
  expect_equal(unseen(swapped, seq_len(last)), 0)
  missing <- setdiff(seq_len(last), 7L) # a PUBLISH that was not captured
  expect_message(analyze_capture(write_pcap(talk$frames[missing], talk$times[missing]), device),
                 paste0("[(]", unseen(talk, missing), " frames? shows? it[)]"))
  expect_gt(unseen(talk, missing), 0)
  expect_gte(unseen(swapped, missing), unseen(talk, missing)) # a filled gap hides no other
})

test_that("a reset that acknowledges what was never sent shows no missing segment", {
  talk <- tcp_conversation()
  talk$open()
  talk$say("client", mqtt_connect())
  talk$say("server", as.raw(c(0x20, 2, 0, 0)))
  talk$seq[["server"]] <- talk$seq[["server"]] + 4096 # as after a bit flip (RFC 5961, 3)
  talk$add("client", raw(), 0x14)
  expect_equal(unseen(talk, seq_along(talk$frames)), 0)
})
