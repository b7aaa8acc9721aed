# Is no claim decided by the lab's own error, and a large difference seen all the same?

test_that("with the discrepancy in the rule the lab's error decides hardly a claim", {
  found <- model_calibration(200L, errors = c(0.05, 0.18), held = 8L, effects = c(1, 10))
  # half a per cent, and what chance allows in 200 cases (binomial, 99.9 %)
  expect_lte(max(found$wrong), stats::qbinom(0.999, 200, 0.005) / 200)
  # two that are alike would often be ordered without it
  expect_gt(found[rule == "compare" & effect == 1, min(wrong_without)], 0.3)
  expect_gt(found[rule == "compare" & effect == 10, min(reproduced)], 0.9)
  expect_gt(found[rule == "cell" & effect == 10, min(contradicted)], 0.9)
})
