# Do the curves of a capture show its frames, round trips and throughput?

test_that("each segment to the device has a point, and each second its frames", {
  talk <- tcp_conversation(client = "10.0.0.2", server = "10.0.0.1", sport = 1883, delay = 0.05)
  talk$open()
  talk$say("server", mqtt_publish("t", strrep("x", 93))) # 98 bytes
  talk$now <- 1002
  talk$say("server", mqtt_publish("t", strrep("x", 93)))
  talk$say("server", mqtt_publish("t", "late"), ack = FALSE)
  p <- dissect(write_pcap(talk$frames, talk$times))
  x <- capture_graphs(p, measure_context(p, "10.0.0.2", "t"))
  expect_equal(x[graph == "traffic", value], c(5, 3))
  expect_equal(x[graph == "traffic", time_s], c(0, 2))
  expect_equal(x[graph == "round trip", value], c(50, 50), tolerance = 1e-3)
  expect_equal(x[graph == "throughput", value], c(784, 784, 856)) # 8 bits a byte within 1 s
})

test_that("a protocol without a stream has its traffic alone", {
  p <- dissect(recorded("coap_1clients"))
  x <- capture_graphs(p, measure_context(p, recorded_device, "Espressif"))
  expect_equal(unique(x$graph), "traffic")
  expect_equal(sum(x$value), nrow(p))
})
