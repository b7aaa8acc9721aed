# Are the steps of a join those between its frames, whatever is repeated?

frames_of <- function(...) {
  times <- c(...)
  data.table::data.table(time = unname(times) / 1e3, kind = names(times))
}
whole <- c("message 2" = 0, "message 4" = 5, discover = 9, offer = 10, request = 18, ack = 80,
           probe = 85, probe = 300, announcement = 800)
steps_of <- function(frames) {
  found <- join_step_times(frames)
  stats::setNames(round(found$ms, 6L), found$step)
}

test_that("each step goes from frame to frame", {
  expect_equal(steps_of(frames_of(whole)),
               c(keys = 5, discover = 4, offer = 1, request = 8, ack = 62, arp = 5, check = 715))
})

test_that("a step counts from the last of what was repeated, and ends with the first", {
  again <- frames_of(c("message 2" = -2000, "message 2" = -1000, whole, offer = 11, discover = 9.5))
  data.table::setorder(again, time)
  expect_equal(steps_of(again)[["keys"]], 5)
  expect_equal(steps_of(again)[["offer"]], 0.5)
  expect_equal(steps_of(again)[["request"]], 7)
})

test_that("a device that does not probe has no check, and a join that ends early fewer steps", {
  bare <- whole[names(whole) != "probe"]
  expect_equal(steps_of(frames_of(bare))[["arp"]], 720)
  expect_equal(steps_of(frames_of(bare))[["check"]], 0)
  expect_named(steps_of(frames_of(whole[1:3])), c("keys", "discover"))
})

test_that("each join of a capture counts by itself, and none without its keys", {
  twice <- frames_of(c(whole, whole + 10000))
  expect_equal(join_step_times(twice)[, .N, by = join]$N, c(7L, 7L))
  expect_equal(nrow(join_step_times(frames_of(whole[names(whole) != "message 2"]))), 0L)
})
