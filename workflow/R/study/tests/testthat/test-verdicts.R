# Does the rule of verdicts.R match docs/claims.md, and is no effect found where there is none?

test_that("an interval is Student's, or Welch's for two", {
  x <- c(1, 2, 3, 4, 6)
  y <- c(2, 2, 3, 9, 4)
  one <- t.test(x, conf.level = verdict_level)
  two <- t.test(x, y, conf.level = verdict_level)
  expect_equal(unname(runs_interval(x)), c(mean(x), one$conf.int[1:2]))
  expect_equal(unname(runs_interval(x, y)), c(mean(x) - mean(y), two$conf.int[1:2]))
  expect_equal(unname(runs_interval(c(2, 2, 2), c(1, 1, 1))), c(1, 1, 1))
  expect_true(all(is.na(runs_interval(5)[c("low", "high")])))
})

test_that("a verdict needs the whole interval beyond the equivalence margin", {
  expect_equal(side_of(0.6, 2, 0.5), "reproduced")
  expect_equal(side_of(0.4, 2, 0.5), "not reproduced")
  expect_equal(side_of(-2, -0.6, 0.5), "contradicted")
  expect_equal(side_of(-2, -0.4, 0.5), "not reproduced")
  expect_equal(side_of(0.6, 2, 0.5, sized = FALSE), "reproduced in direction")
  expect_equal(side_of(0.6, 2, 0.5, sized = TRUE), "reproduced")
})

test_that("a tie is no contradiction, whatever the margin", {
  expect_equal(side_of(0, 0, 0), "not reproduced")
  expect_equal(side_of(0, 0, 0.5), "not reproduced")
})

test_that("too few runs, another condition and an assumption take a verdict's place", {
  expect_equal(final_verdict("reproduced", c(5, 4))$verdict, "too few runs")
  expect_equal(final_verdict("reproduced", 5)$verdict, "reproduced")
  other <- final_verdict("reproduced", 5, condition = "no cloud")
  expect_equal(other, list(verdict = "another condition", reason = "no cloud; there: reproduced"))
  assumed <- final_verdict("contradicted", 5, assumption = "distance: turns at 3500 m")
  expect_equal(assumed$verdict, "decided by an assumption")
  expect_match(assumed$reason, "3500 m; as it is: contradicted")
})

test_that("without an effect at most one claim in twenty gets a verdict; a large one is seen", {
  found <- calibration(300L, runs = 5L, effects = c(0, 8))
  # 0.05, and what chance allows in 300 cases (binomial, 99.9 %)
  allowed <- stats::qbinom(0.999, 300, 0.05) / 300
  expect_lt(found[effect == 0, max(wrong)], allowed)
  expect_lte(found[effect == 0 & kind != "skewed runs", mean(wrong)], 0.05)
  expect_equal(found[effect == 8, max(contradicted)], 0)
  expect_gt(found[effect == 8 & kind == "normal runs", min(reproduced)], 0.6)
})
