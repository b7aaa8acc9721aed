# Does the check of figures find empty panels, curves of one point and titles that are cut?

figure_of <- function(data, width = 17.6) {
  plot <- ggplot2::ggplot(data, ggplot2::aes(x, y)) + ggplot2::geom_line() +
    ggplot2::geom_point() + ggplot2::facet_wrap(~panel, nrow = 1L, drop = FALSE) + theme_thinwire()
  list(plot = plot, width = width, height = 5)
}
two <- data.table::data.table(x = c(1, 2, 1, 2), y = 1:4, panel = c("a", "a", "b", "b"))

test_that("a figure with a curve in each panel has no fault", {
  expect_equal(figure_faults(figure_of(two)), character())
})

test_that("a panel without a value is named", {
  data <- data.table::copy(two)[, panel := factor(panel, c("a", "b", "c"))]
  expect_equal(figure_faults(figure_of(data)), "c: the panel is empty")
})

test_that("a panel whose curves have one point is named", {
  expect_equal(figure_faults(figure_of(two[-4L])), "b: the curves have one point")
})

test_that("a title that is wider than its panel is named", {
  data <- data.table::copy(two)[panel == "b", panel := strrep("wide title ", 8L)]
  faults <- figure_faults(figure_of(data, 8))
  expect_match(faults, "wider than its panel")
  expect_length(faults, 1L)
  wrapped <- data[, panel := gsub("title ", "title\n", panel)]
  expect_equal(figure_faults(figure_of(wrapped, 8)), character())
})

test_that("the figures of the studies' values have no fault", {
  published <- data.table::CJ(kind = factor(ufes_kinds, ufes_kinds), interval = c(100, 500),
                              value = c(0, 10))[, share := 0.5]
  own <- published[, .(kind, interval, load = 0, value, N = 1, seconds = 2, share)]
  distances <- ufes_distances(published, own)
  expect_equal(figure_faults(figure_ufes_distributions(published, own, distances)), character())
  printed <- data.table::data.table(row = rep(c("CoAP, 1 client", "CoAP, 10 clients"), each = 7L),
                                    column = rep(kuleuven_columns, 2L), value = as.character(1:14))
  drawn <- figure_faults(kuleuven_figure(printed, kuleuven_ranges(
    data.table::data.table(trial = "a", metric = "device_loss_pct", value = 1),
    data.table::data.table(trial = "a", row = "CoAP", clients = 1L, variant = "as designed"))))
  expect_equal(drawn, character())
})
