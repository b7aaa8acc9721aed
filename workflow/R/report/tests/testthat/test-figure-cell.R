# Do the figures of the cell accept the tables that air-figures writes?

saturation <- data.table::data.table(
  n = c(1, 20, 1, 20), phy = c("b1", "b1", "g54", "g54"),
  simulated_mbps = c(0.912, 0.717, 30.5, 24.9), bianchi_mbps = c(0.912, 0.7135, 30.5, 24.8),
  ratio = c(1, 1.005, 1, 1.004)
)
sleep <- data.table::data.table(
  modem_sleep = rep(c(1, 0), each = 4L), seed = 1, request_s = 1:8,
  round_trip_ms = c(8, 103, 105, 107, 6, 7, 8, 9)
)

test_that("the saturation figure draws and names the largest difference", {
  figure <- figure_cell_saturation(saturation)
  labels <- ggplot2::layer_data(figure$plot, 3L)$label
  expect_equal(labels, c("largest difference 0.5 %", "largest difference 0.4 %"))
  expect_equal(nrow(ggplot2::layer_data(figure$plot, 2L)), 4L)
})

test_that("the sleep figure draws with and without a recording", {
  alone <- ggplot2::layer_data(figure_cell_sleep(sleep)$plot, 1L)
  expect_equal(length(unique(alone$group)), 2L)
  beside <- ggplot2::layer_data(figure_cell_sleep(sleep, c(7, 104, 120))$plot, 1L)
  expect_equal(length(unique(beside$group)), 3L)
})

test_that("the distance of two samples is the largest gap between their distributions", {
  expect_equal(ks_distance(1:3, 1:3), 0)
  expect_equal(ks_distance(1:3, 4:6), 1)
  expect_equal(ks_distance(c(1, 2, 3, 4), c(3, 4, 5, 6)), 0.5)
})
