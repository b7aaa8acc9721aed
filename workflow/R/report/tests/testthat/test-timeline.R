# Are the time lines of recorded captures and trials separated, and a typical exchange found?

lines <- data.table::data.table(
  study = rep(c("recordings", "twins", "twins"), c(2L, 2L, 1L)),
  trial = c("coap_1clients", "coap_1clients", "c", "c", "of another study"),
  time_s = c(0, 0.1, 0, 0.004, 0), way = c("to", "from", "to", "from", "to"), bytes = 60:64)
cells <- data.table::data.table(trial = "c", row = "CoAP")

test_that("captures and trials meet in a cell; what has none is left out", {
  x <- cell_timelines(lines, cells)
  expect_equal(x$row, rep("CoAP", 4L))
  expect_equal(x$source, c("recorded", "recorded", "lab", "lab"))
})

test_that("the figure has a panel each for the whole and one exchange of both", {
  built <- ggplot2::ggplot_build(timeline_figure(cell_timelines(lines, cells))$plot)
  expect_equal(as.character(built$layout$layout$panel),
               c("recorded, s", "lab, s", "recorded, ms", "lab, ms"))
  lab <- built$data[[2L]]
  # two packets in one bin of 10 ms are on different ways
  expect_equal(sort(c(lab$ymin, lab$ymax)[lab$PANEL == 2L]), c(-63, 0, 0, 62))
})

test_that("an exchange is typical in packets, then in length; silence ends it", {
  starts <- c(0, 1, 2, 3)
  time <- c(outer(c(0, 0.2), starts, "+"), 4, 4.1, 4.2) - c(0, 0, 0, 0.1, 0, 0.05, rep(0, 5L))
  x <- typical_exchange(time, rep("to", 11L), seq_len(11L))
  expect_equal(x$time, c(0, 150))
  expect_equal(x$bytes, 5:6)
})
