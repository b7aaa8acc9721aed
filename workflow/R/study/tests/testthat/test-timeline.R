# Does a time line hold the device's packets, each on its way, and nothing of others?

test_that("the packets of the device, from the first on", {
  packets <- data.table::data.table(
    time = c(0.5, 1, 1.25, 2, 3), transport = c("tcp", "tcp", "udp", "", "tcp"),
    src = c("a", "a", "d", "d", "d"), dst = c("b", "d", "a", "a", "b"), len = c(9L, 60:63))
  lines <- timeline(packets, "d")
  expect_equal(lines$time_s, c(0, 0.25, 2))
  expect_equal(lines$way, c("to", "from", "from"))
  expect_equal(lines$bytes, c(60L, 61L, 63L))
})
