# Does the report of the study `security` compute the cost of a message by the interval correctly?

# A study of MQTT: kept and with a connection each, without and with TLS, resumed, and resting.
security_made <- function() {
  trial <- function(name, security, life, values, resume = NA, mode = "mqtt-qos1", alone = NA,
                    cid = NA, sleeps = NA) {
    list(name = name, factors = c(
      mode = mode, security = security, payload_bytes = "100",
      keepalive_s = if (grepl("http|coap", mode)) NA else "60",
      interval_ms = if (life == "rests") "130000" else "1000", messages = "10",
      outcome = "ok", resume = resume, cid = cid, deep_sleep = sleeps,
      peer = if (!is.na(cid)) "default" else "other",
      psk_dhe = if (is.na(alone)) NA else as.character(!alone),
      tls_version = if (is.na(alone)) NA else "1.3",
      connection_messages = c(kept = NA, each = "1", rests = "3")[[life]]), values = c(
        values, rtt_mean_ms = 2, charge_transmit_per_message_uc = 20,
        charge_receive_per_message_uc = if (life == "rests") 40 else 10,
        board_heap_peak_bytes = 10000, board_stack_free_min_bytes = 2296, messages = 3,
        airtime_per_message_us = 200,
        charge_setup_uc = 100, ledger_record_bytes = if (security == "none") 0 else 174))
  }
  made <- list(
    trial("a", "none", "kept", c(connection_bytes = 700, connecting_mean_ms = 1,
                                 exchange_bytes_per_message = 300)),
    trial("b", "psk", "kept", c(connection_bytes = 1700, connecting_mean_ms = 20,
                                exchange_bytes_per_message = 350)),
    trial("c", "psk", "each", c(connection_bytes = 1700, connecting_mean_ms = 20,
                                connection_resumed_bytes = 1500, connecting_resumed_mean_ms = 10,
                                exchange_bytes_per_message = 280,
                                airtime_with_connection_us = 900,
                                airtime_with_resumed_connection_us = 800), resume = "1"),
    trial("d", "psk", "rests", c(connection_bytes = 1700, connecting_mean_ms = 20, keepalives = 4,
                                 exchange_bytes = 3 * 350 + 4 * 200)),
    trial("w", "none", "kept", mode = "websocket-ping", c(
      connection_bytes = 900, connecting_mean_ms = 2, exchange_bytes_per_message = 250)),
    trial("q", "psk", "kept", mode = "coap-con", cid = "1", c(
      connection_bytes = 1100, connecting_mean_ms = 22, exchange_bytes_per_message = 320)),
    trial("h", "none", "kept", mode = "http-kept", c(
      connection_bytes = 500, connecting_mean_ms = 1, exchange_bytes_per_message = 400)),
    trial("i", "none", "kept", mode = "http-each", c(
      connection_bytes = 600, connecting_mean_ms = 3, exchange_bytes_per_message = 440)),
    trial("s", "psk", "each", sleeps = "1", resume = "1", c(
      connection_bytes = 9999, connection_resumed_bytes = 1400, connecting_mean_ms = 999,
      exchange_bytes_per_message = 281, waking_ack_mean_ms = 30,
      airtime_with_resumed_connection_us = 850)),
    trial("t", "none", "each", sleeps = "1", mode = "coap-con", c(
      exchange_bytes_per_message = 200, waking_ack_mean_ms = 6, airtime_with_connection_us = 190)),
    trial("n", "psk", "kept", alone = FALSE, c(
      connection_bytes = 1800, connecting_mean_ms = 800, exchange_bytes_per_message = 340)),
    trial("o", "psk", "kept", alone = TRUE, c(
      connection_bytes = 1600, connecting_mean_ms = 21, exchange_bytes_per_message = 340)))
  long <- function(part, row) {
    rows <- lapply(made, function(t) row(t$name, t[[part]][!is.na(t[[part]])]))
    data.table::rbindlist(rows)
  }
  list(
    factors = long("factors", function(name, x) {
      data.table::data.table(study = "security", trial = name, factor = names(x), value = x)
    }),
    metrics = long("values", function(name, x) {
      data.table::data.table(study = "security", trial = name, metric = names(x), value = x,
                             n = ifelse(names(x) == "connection_bytes" & name == "c", 5, 1))
    }))
}

test_that("a kept connection pays its keep-alives, one of its own its handshake", {
  made <- security_made()
  trials <- security_trials(made$factors)
  rows <- summarise_security(made$metrics, trials)
  new <- "TLS 1.3, pre-shared key"
  expect_equal(rows$how, c("none", rep("pre-shared key", 2), new, paste(new, "alone"),
                           "pre-shared key, connection ID", rep("none", 2)))
  expect_equal(rows$bytes[4:6], c(1800, 1600, 1100))
  rows <- rows[!startsWith(how, "TLS")]
  expect_equal(rows[mode == "MQTT QoS 1", .(airtime, airtime_own)],
               data.table::data.table(airtime = 200, airtime_own = c(NA, 900, 800)))
  expect_equal(rows$n, c(1, 5, 1, 1, 2, 1))
  pings <- security_pings(made$metrics, trials, rows)
  expect_equal(unlist(pings[, .(n, ping, ping_uc)]), c(n = 4, ping = 200, ping_uc = 30 * 2 / 4))
  often <- security_often(rows, pings, c(59, 3600))
  cost <- function(kind, seconds, again = FALSE, what = "bytes") {
    often[how == "pre-shared key" & life == kind & interval == seconds & resumed == again][[what]]
  }
  expect_equal(cost("kept", 59), 350 + 1700 * 59 / 86400)
  expect_equal(cost("kept", 3600), 350 + 60 * 200 + 1700 / 24)
  expect_equal(cost("anew", 3600), 280 + 1700)
  expect_equal(cost("anew", 3600, again = TRUE), 280 + 1500)
  expect_equal(cost("anew", 3600, what = "charge"), 30 + 2 * 56 + 20 * 56)
  # HTTP's two modes are one connection kept, and one each; it needs no keep-alive
  expect_equal(as.character(rows[5L, mode]), "HTTP")
  expect_equal(unlist(rows[5L, .(bytes, message, first)]),
               c(bytes = 550, message = 400, first = 440))
  expect_equal(often[mode == "HTTP" & interval == 3600, bytes], c(400 + 550 / 24, 440 + 550))
  # and without measured keep-alives there is no row
  expect_equal(often[mode == "WebSocket ping" & life == "kept", interval], 59)
  even <- security_often_numbers(rows, pings)
  # 350 + 200 m + 1700 m / 1440 passes 1780 with the eighth minute, 1980 with the ninth
  expect_true(any(grepl("SharedKeyResumedEven}{8}", even, fixed = TRUE)))
  expect_true(any(grepl("SharedKeyEven}{9}", even, fixed = TRUE)))
})

test_that("an awakening has its connection and its message, and counts for no other connection", {
  made <- security_made()
  trials <- security_trials(made$factors)
  expect_false(any(summarise_security(made$metrics, trials)$bytes == 9999))
  found <- security_wakings(made$metrics, trials)
  expect_equal(found$how, c("pre-shared key", "none"))
  expect_equal(found$bytes, c(1400 + 281, 200))
  expect_equal(found$charge, c(30, 6) * 56)
  expect_null(security_wakings(made$metrics, trials[life != "wakes"]))
  expect_true(any(grepl("WakingMQTTQoSOnePreSharedKeyKeptAck}{30.0}",
                        security_wakings_numbers(found), fixed = TRUE)))
})

test_that("memory is that of an image with the engine and, where it is secured, the layer", {
  made <- security_made()
  rows <- summarise_security(made$metrics, security_trials(made$factors))
  sizes <- data.table::data.table(
    engine = c("base", "mqtt", "coap", "http", "websocket", "secure", "tls13", "all"),
    flash_bytes = c(100, 1, 2, 3, 4, 70, 80, 110), ram_bytes = c(50, 5, 6, 7, 8, 40, 41, 70))
  m <- security_memory(rows, sizes)
  expect_equal(m[mode == "MQTT QoS 1", flash], 101 + c(0, 60, 70, 70))
  expect_equal(m[mode == "MQTT QoS 1", ram], 55 + c(0, 20, 21, 21))
  expect_equal(unique(m$stack), lx106_stack_bytes - 2296)
  expect_equal(m[mode == "HTTP", .(flash, heap)], data.table::data.table(flash = 103, heap = 1e4))
})

test_that("what the report does not show is refused", {
  made <- security_made()
  twin <- data.table::copy(made$factors[trial == "a"])[, trial := "e"]
  both <- function(name) {
    data.table::data.table(study = "security", trial = c("a", "e"), factor = name,
                           value = c("1", "2"))
  }
  expect_no_error(security_trials(rbind(made$factors, twin, both("repetition"))))
  expect_error(security_trials(rbind(made$factors, twin, both("link"))), "link")
})
