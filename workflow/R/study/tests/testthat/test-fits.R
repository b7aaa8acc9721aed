# Do the captures give the fitted numbers, and do the studies and the lab use them?

packets_of_fits <- function() {
  stats::setNames(lapply(fit_captures, dissect_recorded), fit_captures)
}

test_that("the numbers in the repository are those of the captures", {
  packets <- packets_of_fits()
  fits <- device_fits(packets, recorded_device)
  top <- Sys.getenv("THINWIRE_TOP")
  for (name in c("kuleuven", "twins")) {
    study <- yaml::read_yaml(file.path(top, "workflow", "studies", paste0(name, ".yaml")))
    blocks <- lapply(c(study$profiles$quick$blocks, study$profiles$full$blocks), function(b) {
      if (is.null(b$case)) b else modifyList(study$cases[[b$case]], b)
    })
    given <- function(parameter, protocol, capture) {
      cell <- as.integer(strsplit(gsub("[^0-9]+", " ", capture), " ")[[1L]][-1L])
      own <- Filter(function(b) {
        protocol %in% c(b$protocol, "all") &&
          (parameter != "after_publish_ms" || cell[1L] %in% b$qos && cell[2L] %in% b$clients)
      }, blocks)
      unique(unlist(c(study$constants[[parameter]], lapply(own, `[[`, parameter))))
    }
    not_in <- list(kuleuven = c("sleep_idle_ms", "sleep_wake_pct", "clock_ppm", "overrun_us",
                                "after_publish_ms"), twins = "processing_ms")
    others <- c("arrival_delay", "think_time", not_in[[name]])
    for (i in which(!fits$parameter %in% others)) {
      expect_equal(with(fits[i], given(parameter, protocol, capture)), floor(fits$value[i] + 0.5),
                   tolerance = 1e-9, info = paste(name, fits$parameter[i], fits$capture[i]))
    }
  }
  expect_equal(fits[parameter == "sleep_idle_ms"]$value, fit_idle_ms, tolerance = 0.5 / fit_idle_ms)
  sample_of <- function(table) {
    data.table::fread(file.path(top, "data", "recorded", table))[sample == "kuleuven2019", ms]
  }
  expect_equal(sample_of("arrival_delays.csv"),
               round(device_arrivals(packets, recorded_device), 2L))
  times <- device_processing(packets, recorded_device)
  kept <- data.table::fread(file.path(top, "data", "recorded", "processing_times.csv"))
  expect_equal(split(kept$ms, factor(kept$sample, names(times))), times)
  pauses <- coap_turns(packets$coap_1clients, recorded_device)$pause[-1L]
  expect_equal(sample_of("think_times.csv"), round(sort(pauses), 1L))
})

test_that("the table of what was fitted names the captures that the numbers come from", {
  fits <- device_fits(packets_of_fits(), recorded_device)
  named <- twin_fits[, .(captures = paste(captures, collapse = " ")), by = .(protocol, factor)]
  for (i in which(fits$parameter != "processing_ms")) { # twins has its distribution
    of <- named[protocol == fits$protocol[i] & factor == fits$parameter[i], captures]
    expect_setequal(setdiff(strsplit(fits$capture[i], ", ", fixed = TRUE)[[1L]],
                            strsplit(of, " ", fixed = TRUE)[[1L]]), character())
  }
})

test_that("the time to ask for frames is found again from messages that sweep a beacon interval", {
  late <- function(n, fetch) {
    phase <- (seq_len(n) - 0.5) / n * fit_beacon_ms
    c(rep(8, 10), phase + fetch + 8)
  }
  expect_equal(fetch_ms(late(80L, 13)), 13, tolerance = 0.06)
  expect_equal(fetch_ms(late(80L, 25)) - fetch_ms(late(80L, 13)), 12)
})

test_that("even intervals are found again behind delays", {
  expect_equal(period_ms(c(5, 1006, 2004, 3005)), 999.8)
})

test_that("the pause between pieces gives the share of answers that are cut", {
  delays <- c(2, 4, 6, 8, 10, 12, 14, 16, 18, 20)
  http <- data.table::data.table(fin_ack = delays, segments = c(rep(3L, 3L), rep(2L, 7L)))
  expect_equal(mean(delays < 2 * piece_ms(http)), 0.3)
})

test_that("requests just after a beacon are those answered at once or after a whole interval", {
  coap <- data.table::data.table(asked = 0, acknowledged = c(5, 8, 60, 98, 103, 110, 122, 130))
  expect_equal(behind_beacon(coap), c(TRUE, TRUE, FALSE, FALSE, FALSE))
})

test_that("who was answered at once soon after the device's last frame was awake for it", {
  p <- data.table::data.table(src = c("d", "pc", "d", NA), time = c(1, 1.05, 2, 2.05))
  turns <- data.table::data.table(PUBLISH = c(500, 1100, 2141, 2150, 2900),
                                  PUBACK = c(505, 1107, 2149, 2200, 2908))
  expect_equal(awake_gaps(p, turns, "d"), c(100, 141))
})
