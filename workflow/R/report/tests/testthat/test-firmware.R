# Do the sizes of the engines become metrics, and a table that names all of them?

sizes <- data.table::data.table(
  engine = c("base", "amqp", "coap", "http", "mqtt", "mqttsn", "tcp", "udp", "websocket", "all"),
  flash_bytes = c(48712, 6780, 9872, 7132, 5636, 6708, 3024, 2284, 6580, 90292),
  ram_bytes = c(8112, 3212, 4368, 5644, 3308, 2804, 4200, 2436, 3540, 15596)
)

test_that("each engine has its flash and its RAM in bytes", {
  metrics <- firmware_metrics(sizes)
  expect_equal(metrics[trial == "coap" & metric == "engine_flash_bytes", value], 9872)
  expect_equal(nrow(metrics), 20L)
  expect_equal(unique(metrics$unit), "bytes")
})

test_that("the table lists every engine once", {
  table <- firmware_table(sizes)
  expect_equal(sum(grepl("^MQTT-SN & 6\\\\,708 & 2\\\\,804", table)), 1L)
  expect_equal(sum(grepl("NA", table)), 0L)
})
