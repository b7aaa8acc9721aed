# Are half of the recorded joins held out, and is the fit's error that against the other half?

test_that("captures are held out alternately, in the order of their numbers", {
  names <- c("Setup-A-10", "Setup-A-9", "Setup-C-1", "Setup-A-1")
  expect_equal(join_states(names), c("fitted", "held out", "held out", "fitted"))
})

test_that("a step's fit is compared with the captures that did not give it", {
  recorded <- data.table::CJ(capture = 1:6, step = join_steps$step)
  recorded[, `:=`(state = ifelse(capture <= 3, "fitted", "held out"), ms = 10 + capture)]
  ours <- data.table::data.table(step = "keys", ms = c(2.5, 3.5, 9))
  table <- join_table(recorded, ours)
  expect_equal(table$step, join_steps$step)
  keys <- table[step == "keys"]
  expect_equal(keys[, c(fitted, held, held_least, held_most)], c(12, 15, 14, 16))
  expect_equal(keys$fit_error_pct, -20)
  expect_equal(keys$our_error_pct, 100 * (3.5 / 15 - 1))
  # the lab's device announces its address without a probe: it has no such step
  expect_equal(table[step == "check", .(n_ours, ours)],
               data.table::data.table(n_ours = 0L, ours = NA_real_))
})

test_that("the recorded table has both halves of each device, and every step of each join", {
  file <- file.path(getOption("thinwire.workflow"), "..", "data", "recorded", "join_times.csv")
  recorded <- data.table::fread(file)
  expect_setequal(recorded$step, join_steps$step)
  expect_equal(unique(recorded[, .N, by = .(device, capture)]$N), nrow(join_steps))
  halves <- unique(recorded[, .(device, capture, state)])
  expect_equal(halves[, .(same = all(join_states(capture) == state)), by = device]$same,
               c(TRUE, TRUE))
  expect_equal(halves[, .N, by = .(device, state)]$N, rep(10L, 4L))
})
