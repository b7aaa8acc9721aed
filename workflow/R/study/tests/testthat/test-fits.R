# Are the fitted numbers what the captures say, and do the studies and the lab hold them?

packets_of_fits <- function() {
  stats::setNames(lapply(fit_captures, dissect_recorded), fit_captures)
}

test_that("the numbers in the repository are those of the captures", {
  packets <- packets_of_fits()
  fits <- device_fits(packets, recorded_device)
  top <- Sys.getenv("THINWIRE_TOP")
  for (name in c("kuleuven", "twins")) {
    study <- yaml::read_yaml(file.path(top, "workflow", "studies", paste0(name, ".yaml")))
    blocks <- c(study$profiles$quick$blocks, study$profiles$full$blocks)
    given <- function(parameter, protocol) {
      own <- Filter(function(b) protocol %in% c(b$protocol, "all"), blocks)
      unique(unlist(c(study$constants[[parameter]], lapply(own, `[[`, parameter))))
    }
    for (i in which(!fits$parameter %in% c("arrival_delay", "think_time"))) {
      expect_equal(given(fits$parameter[i], fits$protocol[i]), floor(fits$value[i] + 0.5),
                   tolerance = 1e-9, info = paste(name, fits$parameter[i], fits$capture[i]))
    }
  }
  numbers_in <- function(...) {
    text <- paste(readLines(file.path(top, "hil", ...)), collapse = " ")
    body <- regmatches(text, regexpr("_KULEUVEN2019_MS = \\([^)]*\\)", text))
    as.numeric(regmatches(body, gregexpr("[0-9]+[.][0-9]+", body))[[1L]])
  }
  expect_equal(numbers_in("rig", "links", "arrivals.py"),
               round(device_arrivals(packets, recorded_device), 2L))
  pauses <- coap_turns(packets$coap_1clients, recorded_device)$pause[-1L]
  expect_equal(numbers_in("peers", "think.py"), round(sort(pauses), 1L))
})

test_that("the time to ask for frames is found again from messages that sweep a beacon interval", {
  late <- function(n, fetch) {
    phase <- (seq_len(n) - 0.5) / n * fit_beacon_ms
    c(rep(8, 10), phase + fetch + 8)
  }
  expect_equal(fetch_ms(late(80L, 13)), 13, tolerance = 0.06)
  expect_equal(fetch_ms(late(80L, 25)) - fetch_ms(late(80L, 13)), 12)
})

test_that("the pause between pieces gives the share of answers that are cut", {
  delays <- c(2, 4, 6, 8, 10, 12, 14, 16, 18, 20)
  http <- data.table::data.table(fin_ack = delays, segments = c(rep(3L, 3L), rep(2L, 7L)))
  expect_equal(mean(delays < 2 * piece_ms(http)), 0.3)
})
