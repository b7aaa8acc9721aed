# Does the report of UFES's design separate its conditions, and state where a statement holds?

trial <- function(name, mode, load, interval = 100, payload = 30, nagle = NULL, sleep = "0") {
  values <- c(protocol = sub("-.*", "", mode), mode = mode, payload_bytes = as.character(payload),
              interval_ms = as.character(interval), modem_sleep = sleep, duration_s = "10",
              background_profile = if (load > 0) "web,video,bulk" else "none",
              background_load_mbps = as.character(load), nagle = nagle)
  data.table::data.table(study = "ufes", trial = name, factor = names(values),
                         value = unname(values))
}
factors <- rbind(
  trial("c0", "coap-con", 0), trial("c20", "coap-con", 20), trial("c60", "coap-con", 60),
  trial("c60b", "coap-con", 60), trial("m20", "mqtt-qos0", 20, nagle = "1"),
  trial("m60", "mqtt-qos0", 60, nagle = "1"), trial("n60", "mqtt-qos0", 60, nagle = "0"),
  trial("s0", "coap-con", 0, sleep = "1"), trial("z", "coap-con", 0, 1000, 500)
)
rates <- c(c0 = 10, c20 = 9.95, c60 = 7, c60b = 8, m20 = 10, m60 = 10, n60 = 10, s0 = 9, z = 1)
rows <- function(metric, values) {
  data.table::data.table(study = "ufes", trial = names(values), metric = metric,
                         value = unname(values), unit = "", n = 1)
}
metrics <- rbind(rows("server_delivery_per_s_mean", rates),
                 rows("interarrival_mean_ms", 1000 / rates),
                 rows("interarrival_max_ms", 2000 / rates),
                 rows("con_attempts_max", c(c60 = 1, c60b = 4)), rows("made", rates * 10),
                 rows("rtt_median_ms", 1500 / rates), rows("rtt_mean_ms", 1500 / rates),
                 rows("packets_per_message", rates * 0 + 1),
                 rows("repetition_ratio_pct", rates * 0),
                 rows("spurious_retransmissions", rates * 0))
samples <- data.table::rbindlist(lapply(names(rates), function(name) {
  data.table::data.table(study = "ufes", trial = name, sample = "delivery_per_s", value = 9:11)
}))
study <- list(name = "ufes", metrics = metrics, samples = samples, factors = factors)

test_that("conditions are apart: others, Nagle's algorithm, sleep; runs of one are averaged", {
  s <- summarise_ufes(ufes_runs(metrics, ufes_trials(factors)))
  expect_equal(nrow(s), 8L)
  expect_equal(levels(s$variant), c("MQTT QoS 0", "MQTT QoS 0, no Nagle", "CoAP CON",
                                    "CoAP CON, radio sleeps"))
  one <- s[variant == "CoAP CON" & load == 60]
  expect_equal(one$runs, 2L)
  expect_equal(one$per_s, 7.5)
  expect_equal(one$attempts, 4) # the maximum over all runs, not their mean
})

test_that("the report says from which load on MQTT delivers more than CoAP", {
  numbers <- report_ufes(study)$numbers
  expect_true("\\newcommand{\\twUfesHoldsFrom}{60}" %in% numbers)
  expect_true("\\newcommand{\\twUfesNotYetAt}{20}" %in% numbers)
  loaded <- "twUfesCoAPCONOneZeroZeroOthersSixZeroPerSecond}{7.0 to 8.0 ($n=2$)}"
  expect_true(any(grepl(loaded, numbers, fixed = TRUE)))
  expect_false(anyDuplicated(sub("}.*", "", numbers)) > 0)
})

test_that("each figure draws, and Figure 3 shows the loaded cell alone", {
  report <- report_ufes(study)
  expect_equal(names(report$figures), c(paste0("figure", 2:6), "sweep"))
  for (figure in report$figures) expect_silent(ggplot2::ggplot_build(figure$plot))
  expect_setequal(as.character(report$figures$figure3$plot$data$variant),
                  c("MQTT QoS 0", "MQTT QoS 0, no Nagle", "CoAP CON"))
  expect_match(report$tables$table, "CoAP CON, radio sleeps", all = FALSE, fixed = TRUE)
})

test_that("a bad signal is a condition of its own", {
  more <- rbind(factors, data.table::data.table(study = "ufes", trial = "c60b",
                                                factor = "frame_error_rate", value = "0.82"))
  trials <- ufes_trials(more)
  expect_equal(as.character(trials[trial == "c60b", variant]), "CoAP CON, bad signal")
  expect_equal(as.character(trials[trial == "c60", variant]), "CoAP CON")
})

test_that("a factor that the report does not show is refused by name", {
  more <- rbind(factors, data.table::data.table(study = "ufes", trial = c("c60", "c60b"),
                                                factor = "dtim_period", value = c("1", "3")))
  expect_error(ufes_trials(more), "dtim_period", class = "thinwire_input_error")
})
