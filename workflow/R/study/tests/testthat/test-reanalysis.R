# Are the cells of KU Leuven's Fig. 25 compared as docs/metrics.md says?

test_that("a segment's round trip ends with the first acknowledgement that covers it", {
  data <- data.table::data.table(time = c(1, 2, 3), tcp_seq = c(4294967290, 4, 104),
                                 tcp_len = c(10, 100, 50))
  acks <- data.table::data.table(time = c(2.5, 4), tcp_ack = c(104, 104))
  expect_equal(segment_times(data, acks), c(1.5, 0.5))
})

test_that("the moving average holds what came within the window, and the plateau is a ratio", {
  data <- data.table::data.table(time = c(0, 0.5, 1, 2.5), payload = c(10L, 20L, 30L, 40L))
  expect_equal(moving_throughput(data, 1), 8 * c(10, 30, 50, 40)) # 0 is a second old at 1
  expect_equal(moving_throughput(data, 5), 8 * c(10, 30, 60, 100) / 5)
  rows <- data.table::data.table(stream = "tcp:0", dst = "a", payload = 1L, time = c(2, 1),
                                 tcp_ack = NA, syn = FALSE)
  ctx <- list(transport = "tcp", service = rows, device = "a")
  expect_equal(stream_segments(ctx)$data$time, c(1, 2)) # whatever the order in the capture
})

test_that("acknowledgements after 40 ms are counted on each side, those with data on none", {
  packets <- data.table::data.table(
    src = c("d", "d", "d", "p", "p", "p", "p"), dst = c("p", "p", "p", "d", "d", "d", "d"),
    payload = c(0L, 0L, 4L, 0L, 0L, 0L, 0L),
    ack_rtt = c(0.2, 0.001, 0.04, 0.0421, 0.0002, 0.05, NA))
  rows <- delayed_acks(list(packets = packets, device = "d"))
  expect_equal(rows$metric, c("device_acks_at_40ms_pct", "peer_acks_at_40ms_pct"))
  expect_equal(rows$value, c(0, 100 / 3))
  expect_equal(rows$n, c(2, 3))
})

test_that("an awake radio is distinguished from a sleeping one, after a frame to a group or not", {
  packets <- data.table::data.table(
    time = c(1, 1.3, 1.305, 3, 3.1, 5, 5.05, 6, 6.12, 7, 7.05, 7.25),
    eth_dst = c("ff:ff:ff:ff:ff:ff", "02:00:00:00:00:01", "02:00:00:00:00:02", "02:00:00:00:00:01",
                "02:00:00:00:00:02", "02:00:00:00:00:01", "02:00:00:00:00:01", "01:00:5e:00:00:fb",
                "02:00:00:00:00:01", "02:00:00:00:00:03", "02:00:00:00:00:03",
                "02:00:00:00:00:01"),
    dst = c(rep(NA, 7L), "224.0.0.251", NA, "224.0.0.251", "10.0.0.3", NA))
  answered <- data.table::data.table(time = c(1.3, 3, 5, 5.05, 6.12, 7.25),
                                     value = c(5, 100, 6, 6, 90, 7))
  rows <- awake_shares(packets, packets$time[-c(1L, 8L, 10L, 11L)], answered)
  expect_equal(rows$metric, c("radio_awake_after_group_pct", "radio_awake_otherwise_pct",
                              "radio_awake_if_lingering_pct", "radio_awake_after_copy_pct"))
  # the message at 5.05 s comes while there is traffic
  expect_equal(rows$value, c(50, 200 / 3, 0, 100))
  # that at 6.12 s after a beacon that follows the frame at 6 s; that at 7.25 s after a frame to the
  # same group that was sent to another station alone
  expect_equal(rows$n, c(2, 3, 1, 1))
})

recordings <- listed_recordings()
rows <- recording_rows()
cells <- fig25_cells(rows, read_published(published_folder(), "kuleuven2019"), recordings)

test_that("every cell of a capture is compared, and the definition that gives it is named", {
  expect_equal(nrow(cells), 2L * 7L)
  coap <- cells[trial == "coap_1clients"]
  expect_equal(coap[column == "roundtrip_mean"]$definition, "request_ack_mean_ms")
  expect_equal(coap[reproduced == FALSE]$column, "throughput_mean")
  # the capture says nothing about a crash of a device without a session: no 0
  expect_equal(coap[is.na(ours)]$column, c("device_crashes", "device_offline"))
  expect_true(all(is.na(coap[is.na(ours)]$reproduced)))
  mqtt <- cells[trial == "mqtt_qos2_pub1"]
  expect_setequal(mqtt[reproduced == FALSE]$column,
                  c("retransmissions", "roundtrip_mean"))
  expect_equal(mqtt[column == "throughput_mean"]$definition, "stream_misread_1s_bytes")
  expect_match(mqtt[column == "retransmissions"]$others, "of_acknowledgements")
  expect_equal(nrow(fig25_cells(rows[0L], read_published(published_folder(), "kuleuven2019"),
                                recordings)), 0L)
})

test_that("for each column the best of the further definitions is counted", {
  best <- best_alternatives(cells)
  expect_equal(best[column == "retransmissions"]$gives, 2L)
  expect_equal(best[column == "throughput_mean"]$gives, 0L)
  expect_gt(best[column == "throughput_mean"]$tried, 100L)
})
