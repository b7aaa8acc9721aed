# Are effect sizes what their definitions say?

test_that("Hedges' g is the corrected difference in pooled deviations", {
  expect_equal(hedges_g(c(1, 2, 3), c(4, 5, 6)), -3 * (1 - 3 / 15))
  expect_true(is.na(hedges_g(1, c(1, 2))))
  expect_true(is.na(hedges_g(c(1, 1), c(2, 2))))
})
