# Is a radio that wakes at one part of each period found, and one that wakes at random not?

test_that("a part of each period in which answers are quick is found", {
  at <- seq(0, 290, 0.37)
  found <- awake_rhythm(at, (at - 1.3) %% 5 < 1, draws = 200L)
  expect_equal(found$n, length(at))
  expect_equal(c(found$inside, found$outside), c(1, 0))
  expect_equal(found$chance, 0)
})

test_that("quick answers at random have no part of their own", {
  chances <- keep_random_state({
    set.seed(20190520L, kind = "Mersenne-Twister", normal.kind = "Inversion")
    vapply(1:40, function(i) {
      awake_rhythm(seq(0, 99), stats::runif(100L) < 0.2, draws = 100L)$chance
    }, 0)
  })
  expect_lt(mean(chances < 0.05), 0.15)
  expect_gt(median(chances), 0.25)
})

test_that("the recorded device answers quickly at the same part of each 5 s", {
  p <- dissect_recorded("mqtt_qos2_pub1")
  messages <- sleeping_messages(p, recorded_device, "mqtt_qos2_pub1")
  found <- awake_rhythm(messages$at, messages$quick)
  expect_gt(found$inside, 3 * found$outside)
  expect_lt(found$chance, 0.01)
})
