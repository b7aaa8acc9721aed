# Does a packets table read back as it was written?

test_that("a column without values keeps its type, and the messages stay the same", {
  p <- suppressMessages(dissect(secured_capture("coap_dtls12")))
  file <- tempfile(fileext = ".csv.gz")
  write_packets(p, file)
  back <- read_packets(file)
  whole <- intersect(body_schema()[type == "integer", column], names(back))
  expect_true("oscore_payload" %in% whole && all(is.na(back$oscore_payload)))
  expect_equal(unique(vapply(back[, ..whole], typeof, "")), "integer")
  expect_equal(messages(back), messages(p))
})
