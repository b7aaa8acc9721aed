# Are lost, duplicate, late and dropped messages distinguished, and the recovery timed?

#' The records of ten messages: an outage and a restart, a loss of each kind, a copy, a late one.
interrupted_bundle <- function() {
  board <- data.table::data.table(
    t = 1:21, ev = c("stat", rep("sent", 8L), rep("acked", 6L), rep("failed", 3L), rep("stat", 3L)),
    seq = c(NA, 1:8, 1:5, 8, 6, 9, 10, rep(NA, 3L)),
    heap_used = c(100, rep(NA, 17L), 150, 160, 140), heap_free_min = c(rep(NA, 20L), 5000),
    stack_free_min = c(rep(NA, 20L), 900),
    connects = c(1, rep(NA, 19L), 3)
  )
  server <- data.table::data.table(
    t = c(1, 2, 3, 4, 10, 12.5, 20, 20.5, 21), seq = c(1, 2, 2, NA, NA, 4, NA, 3, 5),
    ev = c("received", "received", "received", "outage", "outage_over", "received", "started",
           "received", "received")
  )
  list(trial = list(trial = "t1", parameters = list(protocol = "mqtt", duration_s = 1800)),
       lab = list(outcome = "ok"), board = board, server = server)
}

test_that("every message has one fate", {
  fates <- message_fates(message_table(interrupted_bundle()))
  expect_equal(fates$made, 10)
  expect_equal(fates$delivered, 5)
  expect_equal(fates$dropped, 2) # 9 and 10 never reached the network
  expect_equal(fates$lost, 3) # 6, 7, 8
  expect_equal(fates$lost_silently, 2) # the device knows of 6
  expect_equal(fates$lost_acknowledged, 1) # it counts 8 as delivered
  expect_equal(fates$made, fates$delivered + fates$dropped + fates$lost)
  expect_equal(fates$duplicated, 1)
  expect_equal(fates$out_of_order, 1)
  expect_equal(fates$longest_gap_s, 10.5)
})

test_that("recovery runs from an interruption's end to the next delivery, or is missing", {
  bundle <- interrupted_bundle()
  expect_equal(recovery_times(bundle, "outage_over"), 2.5)
  expect_equal(recovery_times(bundle, "started"), 0.5)
  bundle$server <- bundle$server[t <= 20]
  expect_equal(recovery_times(bundle, "started"), NA_real_)
})

test_that("the table has the memory at start and end", {
  row <- endurance(interrupted_bundle())
  expect_equal(c(row$heap_used_first, row$heap_used_last), c(100, 140))
  expect_equal(c(row$heap_used_early, row$heap_used_late), c(150, 160))
  expect_equal(c(row$heap_free_min, row$stack_free_min, row$reconnects), c(5000, 900, 2))
  expect_equal(c(row$hours, row$restarts, row$outages), c(0.5, 1, 1))
})

test_that("what the laboratory took is reported by halves, the greatest of each", {
  bundle <- interrupted_bundle()
  bundle$server <- data.table::data.table(
    t = 1:7, ev = "footprint", server = c(rep(c("lab", "mosquitto"), 3L), "lab"),
    processes = c(9, 1, 10, 1, 9, 1, 9), open_files = c(90, 8, 95, 9, 90, 8, 91),
    memory_kib = c(500, 50, 700, 60, 600, 80, 400)
  )
  row <- footprints(bundle)
  expect_equal(c(row$lab_memory_kib_early, row$lab_memory_kib_late), c(700, 600))
  expect_equal(c(row$server_memory_kib_early, row$server_memory_kib_late), c(50, 80))
  expect_equal(c(row$lab_processes_early, row$lab_open_files_late), c(10, 91))
  expect_equal(footprints(interrupted_bundle())$lab_processes_late, NA_real_)
  most <- footprint_metrics(bundle)
  expect_equal(stats::setNames(most$value, most$metric),
               c(server_open_files_max = 9, server_memory_max_kib = 80))
  expect_null(footprint_metrics(interrupted_bundle()))
})

test_that("a trial that left nothing is a row, too", {
  bundle <- interrupted_bundle()
  bundle$board <- bundle$server <- data.table::data.table(t = numeric(), ev = character())
  bundle$lab$outcome <- "failed"
  row <- expect_silent(endurance(bundle))
  expect_equal(c(row$made, row$delivered, row$restarts), c(0, 0, 0))
  expect_equal(row$heap_used_first, NA_real_)
})
