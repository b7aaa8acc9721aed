# Does the report of UFES's design keep its conditions apart, and hold ours against theirs?

trial <- function(name, mode, load, interval = 100, payload = 30, nagle = NULL, made = TRUE,
                  queue = if (made && load > 0) "25", errors = NULL) {
  polled <- made && mode == "coap-con"
  values <- c(protocol = sub("-.*", "", mode), mode = mode, payload_bytes = as.character(payload),
              interval_ms = as.character(interval + if (!made) 0 else if (polled) 17 else 1),
              role = if (polled) "serve" else "publish",
              server_link = if (made) "wired" else "station", duration_s = "10",
              background_profile = if (load > 0) "web,video,bulk" else "none",
              background_load_mbps = as.character(load), nagle = nagle,
              ap_queue = if (!is.null(queue)) "shared", ap_queue_frames = queue,
              frame_error_rate = errors)
  data.table::data.table(study = "ufes", trial = name, factor = names(values),
                         value = unname(values))
}
factors <- rbind(
  trial("c0", "coap-con", 0), trial("c20", "coap-con", 20), trial("c20b", "coap-con", 20),
  trial("c5", "coap-con", 5), trial("m20", "mqtt-qos0", 20, nagle = "1"),
  trial("n20", "mqtt-qos0", 20, nagle = "0"), trial("q", "coap-con", 20, queue = "100"),
  trial("e", "coap-con", 0, errors = "0.6"), trial("z", "coap-con", 0, 1000, 500),
  trial("o", "coap-con", 0, made = FALSE)
)
rates <- c(c0 = 9, c20 = 5, c20b = 6, c5 = 8, m20 = 10, n20 = 10, q = 7, e = 9, z = 1, o = 10)
rows <- function(metric, values) {
  data.table::data.table(study = "ufes", trial = names(values), metric = metric,
                         value = unname(values), unit = "", n = 1)
}
metrics <- rbind(rows("server_delivery_per_s_mean", rates),
                 rows("frames_per_s_mean", c(m20 = 9.2, n20 = 10)),
                 rows("interarrival_mean_ms", 1000 / rates),
                 rows("interarrival_max_ms", 2000 / rates),
                 rows("con_attempts_max", c(c20 = 1, c20b = 4)), rows("made", rates * 10),
                 rows("messages", rates * 10), rows("ap_queue_drops", c(c20 = 1, c20b = 3)),
                 rows("server_silent_seconds_pct", rates), rows("packets_per_message", rates / 9),
                 rows("repetition_ratio_pct", rates * 0),
                 rows("spurious_retransmissions", rates * 0))
seconds <- function(trial, sample, value) {
  data.table::data.table(study = "ufes", trial, sample, value)
}
samples <- rbind(
  seconds("c0", "delivery_per_s", c(8, 9, 9, 9)), seconds("c5", "delivery_per_s", c(8, 8)),
  seconds("c20", "delivery_per_s", c(0, 8)), seconds("c20b", "delivery_per_s", c(0, 9)),
  seconds("m20", "delivery_per_s", rep(10, 4)), seconds("m20", "frames_per_s", c(0, 10, 10, 10)),
  seconds("c20", "silence_request_ms", c(0, 2000, 6000, 6117)),
  seconds("c20", "silence_answer_ms", 6001))
share <- function(protocol, nagle, others, interval, value, share) {
  data.table::data.table(protocol, nagle, others, interval_ms = interval,
                         messages_in_a_second = value, share_of_seconds = share)
}
published <- rbind(share("coap", "", "alone", 100, 8:9, c(0.4, 0.6)),
                   share("coap", "", "beside others", 100, c(0, 8, 9), c(0.5, 0.25, 0.25)),
                   share("coap", "", "beside others", 300, 0, 1),
                   share("mqtt", "true", "beside others", 100, c(0, 10), c(0.25, 0.75)))
file <- tempfile(fileext = ".csv")
data.table::fwrite(published, file)
study <- list(name = "ufes", metrics = metrics, samples = samples, factors = factors,
              tables = list(published = file))

test_that("conditions are apart: others, queue, signal, ours; runs of one are averaged", {
  s <- summarise_ufes(ufes_runs(metrics, ufes_trials(factors)))
  expect_equal(nrow(s), 9L)
  expect_equal(levels(s$variant),
               c("MQTT QoS 0", "MQTT QoS 0, no Nagle", "CoAP CON", "CoAP CON, ours"))
  one <- s[variant == "CoAP CON" & load == 20 & queue == "25"]
  expect_equal(one[, .(runs, per_s, attempts, interval)],
               data.table::data.table(runs = 2L, per_s = 5.5, attempts = 4, interval = 100))
  expect_equal(one$lost, mean(100 * c(1, 3) / c(50, 60)))
  expect_equal(s[variant == "MQTT QoS 0", counted], 9.2) # frames, as the source counts
  expect_equal(s[variant == "CoAP CON, ours", interval], 100)
})

test_that("the distance is half the sum of the differences, and the nearest load is chosen", {
  expect_equal(total_variation(c("0" = 0.5, "8" = 0.5), c("8" = 0.25, "9" = 0.75)), 0.75)
  theirs <- ufes_distributions(published)
  expect_equal(nrow(unique(theirs[, .(kind, interval)])), 3L) # a failed run is none
  d <- ufes_distances(theirs, ufes_own_shares(samples, ufes_trials(factors)))
  beside <- d[kind == "CoAP, beside others"]
  expect_equal(c(beside$load, beside$loads, beside$seconds, beside$distance), c(20, 2, 4, 0))
  expect_equal(d[kind == "CoAP, alone", distance], 0.15)
  # frames, not messages: of those all seconds have ten
  expect_equal(d[kind == "MQTT, beside others", c(distance, silent_ours)], c(0, 0.25))
})

test_that("the programs' own time is the period alone above the interval", {
  loops <- ufes_loop_times(ufes_distributions(published))
  expect_equal(loops$median, 1000 / 8.6 - 100)
})

test_that("the longest silence is classified by its frames", {
  table <- ufes_silence_table(samples, ufes_trials(factors))
  expect_match(table, "2\\\\,000.0 & the PC asks again, after its timeout: lost", all = FALSE)
  expect_match(table, "6\\\\,001.0 & the device answers", all = FALSE)
  expect_match(table, "6\\\\,117.0 & the PC asks the next time", all = FALSE)
})

test_that("each figure draws, each number has one name, and causes have a row each", {
  report <- report_ufes(study)
  expect_equal(names(report$figures), c("distributions", paste0("figure", 4:6), "sweep"))
  for (figure in report$figures) expect_silent(ggplot2::ggplot_build(figure$plot))
  expect_false(anyDuplicated(sub("}.*", "", report$numbers)) > 0)
  loaded <- "twUfesCoAPCONOneZeroZeroOthersTwoZeroPerSecond}{5.0 to 6.0 ($n=2$)}"
  expect_true(any(grepl(loaded, report$numbers, fixed = TRUE)))
  expect_true("\\newcommand{\\twUfesCompared}{3}" %in% report$numbers)
  for (cause in c("alone", "a queue of 100 frames, 20 Mb/s", "frame error rate 0.6, alone")) {
    expect_match(report$tables$causes, cause, all = FALSE, fixed = TRUE)
  }
})

test_that("a factor that the report does not show is refused by name", {
  more <- rbind(factors, data.table::data.table(study = "ufes", trial = c("c20", "c20b"),
                                                factor = "dtim_period", value = c("1", "3")))
  expect_error(ufes_trials(more), "dtim_period", class = "thinwire_input_error")
})
