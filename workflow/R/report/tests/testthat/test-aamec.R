# Does the report of AAMEC distinguish the hypotheses, and find where a session saves bytes?

# Kinds of trial as `aamec_variants()` gives them: MQTT and HTTP, TLS in full and resumed.
aamec_made <- function() {
  x <- data.table::CJ(mode = c("mqtt-qos1", "http-kept"), tls_resume = c("0", "1"))
  x[, `:=`(link = "netem", tls = "1.2", session_messages = "1", fields = "1",
           chain_bytes = "3000", token = "RS256",
           await_connack = ifelse(mode == "mqtt-qos1", "1", NA),
           answer_fields = ifelse(mode == "http-kept", "cloud", NA),
           session_ms = 200, session_round_trips = 5)]
  x[, phase_connect_bytes := data.table::fcase(
    mode == "mqtt-qos1", 6000, tls_resume == "1", 2000, default = 5000)]
  x[, phase_message_bytes := ifelse(mode == "mqtt-qos1", 300, 800)]
  x[, phase_disconnect_bytes := 400]
  x[, session_bytes := phase_connect_bytes + phase_message_bytes + phase_disconnect_bytes]
  for (p in c("phase_connect", "phase_message", "phase_disconnect", "session")) {
    whole <- x[[paste0(p, "_bytes")]]
    for (part in c("out", "in", "data")) data.table::set(x, j = paste0(p, "_", part, "_bytes"),
                                                         value = whole / 2)
    data.table::set(x, j = paste0(p, "_packets"), value = 10)
  }
  x[]
}

test_that("a session pays from the message on that makes it smaller", {
  even <- aamec_break_even(aamec_made())
  # in full 6400 + 300 n against 5400 + 800 n, resumed 6400 + 300 n against 2400 + 800 n
  expect_equal(even[tls_resume == "0", even], 3)
  expect_equal(even[tls_resume == "1", even], 9)
})

test_that("the hypothesis that fits is named, with how many come near", {
  cell <- data.table::data.table(mode = "http-kept", fields = "1", link = "netem",
                                 metric = "phase_connect_bytes", published = 1990, base = FALSE,
                                 session_messages = "1")
  found <- aamec_fits(cell, aamec_candidates(aamec_made()))
  expect_equal(found$nearest, 2000)
  expect_equal(found$words, "TLS 1.2 resumed; whole frames")
  expect_equal(c(found$near, found$tried), c(1, 10))
  found <- aamec_fits(replace(cell, "published", 4860), aamec_candidates(aamec_made()))
  expect_equal(found$words, "TLS 1.2 full; IP packets")
})

test_that("a message may have been counted with the session's ends", {
  cell <- data.table::data.table(mode = "http-kept", fields = "1", link = "netem",
                                 metric = "phase_message_bytes", published = 1201, base = FALSE,
                                 session_messages = "1")
  fit <- function(size) {
    aamec_fits(replace(cell, "published", size), aamec_candidates(aamec_made()))
  }
  expect_match(fit(1201)$words, "the end counted with it")
  expect_equal(fit(3195)$words, "TLS 1.2 resumed; both ends counted with it")
})

test_that("sessions of each length are beside those of a mixed set", {
  cells <- data.table::data.table(metric = "session_message_ms", mode = "mqtt-qos1",
                                  session_messages = c("1", "100"), published = c(113, 47),
                                  ours = c(200, 41.6))
  metrics <- data.table::data.table(
    trial = c("a", "b", "a", "a"), value = c(198, 202, 42, 40.2),
    metric = c(rep("session_of_1_message_ms", 2L), "session_of_100_message_ms",
               "session_of_1000_message_ms"))
  x <- aamec_mixed(cells, metrics)
  expect_equal(x$messages, c(1L, 100L, 1000L))
  expect_equal(x$mixed, c(200, 42, 40.2))
  expect_match(aamec_mixed_table(x), "100 & 47.0 & 41.6 & 42.0", fixed = TRUE, all = FALSE)
  expect_match(aamec_mixed_table(x), "-- & -- & 40.2", fixed = TRUE, all = FALSE)
  expect_equal(nrow(aamec_mixed(cells, metrics[0L])), 0L)
})

test_that("the values that were tested, repeated and left are all that are printed", {
  published <- data.table::data.table(kind = rep(c("table", "prose"), c(5, 2)))
  variants <- rbind(aamec_made(), aamec_made()[, `:=`(tls = "1.3", session_bytes = 7000)],
                    aamec_made()[, `:=`(link = "air", session_bytes = 7100)])
  x <- aamec_scope_numbers(published, data.table::data.table(1:4), data.table::data.table(1:3),
                           variants)
  value <- function(name) {
    sub(".*[{]([^}]*)[}]$", "\\1", unname(grep(paste0(name, "}"), x, value = TRUE)))
  }
  expect_equal(vapply(c("Printed", "Repeated", "Untried"), value, ""),
               c(Printed = "5", Repeated = "1", Untried = "1"))
  expect_equal(c(value("HttpWhole"), value("HttpToEndOne")), c("3\\,200", "1\\,200"))
  expect_equal(c(value("HttpSessionAir"), value("HttpSessionWire")), c("7\\,100", "6\\,200"))
})
