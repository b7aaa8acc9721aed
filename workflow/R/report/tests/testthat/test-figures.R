# Are figures and tables drawn from bundles, the same bytes each time?

test_that("figures and tables are the same bytes twice, and the packets table survives its file", {
  folder <- file.path(tempfile(), c("t1", "t2"))
  captures <- vapply(folder, write_bundle, "")
  label <- function(rows, b) cbind(study = b$trial$study, trial = b$trial$trial, rows)
  bundles <- lapply(folder, read_bundle)
  metrics <- data.table::rbindlist(lapply(bundles, function(b) label(trial_metrics(b), b)))
  samples <- data.table::rbindlist(lapply(bundles, function(b) label(bundle_samples(b), b)))
  factors <- data.table::rbindlist(lapply(bundles, function(b) label(trial_factors(b), b)))
  for (name in c("delivery", "rtt", "bytes")) {
    files <- tempfile(fileext = c(".pdf", ".pdf"))
    for (file in files) {
      figure <- study_figure(name, metrics, samples, factors)
      save_figure(figure$plot, file, figure$width, figure$height)
    }
    expect_identical(unname(tools::md5sum(files[1])), unname(tools::md5sum(files[2])), info = name)
  }
  summary <- summarise_study(metrics, factors, samples)
  expect_equal(summary$made, 40)
  expect_equal(summary$rtt_n, 38)
  packets <- dissect(captures[1])
  file <- tempfile(fileext = ".csv.gz")
  write_packets(packets, file)
  again <- capture_metrics(reduce_capture(read_packets(file), "10.0.0.2"))
  expect_equal(again, capture_metrics(reduce_capture(packets, "10.0.0.2")))
})

#' Tables of a study with one trial for each row of its factors; each trial has its own values.
study_of <- function(...) {
  levels <- data.table::data.table(...)
  levels[, trial := paste0("t", seq_len(.N))]
  factors <- data.table::melt(levels[, lapply(.SD, as.character)], id.vars = "trial",
                              variable.name = "factor", variable.factor = FALSE)
  factors <- rbind(factors[!is.na(value)], levels[, .(trial, factor = "outcome", value = "ok")])
  sampled <- data.table::CJ(trial = levels$trial, sample = c("rtt_ms", "delivery_per_s"), i = 1:9)
  ledger <- data.table::CJ(trial = levels$trial, metric = c("messages", "ledger_payload_bytes",
                                                            "ledger_header_bytes", "made",
                                                            "delivered"))
  name <- function(table) cbind(study = "s", table)
  list(name = "s", factors = name(factors),
       samples = name(sampled[, .(trial, sample, value = i + match(trial, levels$trial))]),
       metrics = name(ledger[, value := 10 * match(trial, levels$trial)]))
}
drawn <- function(name, s) {
  ggplot2::ggplot_build(study_figure(name, s$metrics, s$samples, s$factors)$plot)
}
panels <- function(built) nrow(built$layout$layout)

test_that("three payloads are three panels and never one curve", {
  s <- study_of(protocol = "mqtt", mode = "mqtt-qos1", qos = 1, payload_bytes = c(500, 536, 600),
                interval_ms = 200,
                repetition = 1)
  for (name in c("delivery", "rtt", "bytes")) {
    built <- drawn(name, s)
    expect_equal(panels(built), 3L, info = name)
    expect_equal(as.character(built$layout$layout$column), paste(c(500, 536, 600), "bytes"))
  }
  summary <- summarise_study(s$metrics, s$factors, s$samples)
  expect_equal(as.character(summary$payload_bytes), paste(c(500, 536, 600), "bytes"))
  expect_equal(sum(grepl("536 bytes", study_table(summary), fixed = TRUE)), 1L)
  numbers <- study_numbers("s", summary, s$metrics)
  expect_equal(anyDuplicated(sub("}.*", "", numbers)), 0L)
})

test_that("repetitions, and what goes with a factor that is shown, are no factors of their own", {
  s <- study_of(protocol = "mqtt", mode = "mqtt-qos1", qos = 1, interval_ms = c(100, 100, 700),
                repetition = c(1, 2, 1),
                duration_s = c(30, 30, 60), nagle = 0)
  expect_equal(attr(trial_conditions(s$factors), "shown"), "interval_ms")
  expect_equal(panels(drawn("rtt", s)), 2L)
})

test_that("a factor that a figure has no room for is refused by name", {
  s <- study_of(protocol = "mqtt", mode = "mqtt-qos1", qos = 1, payload_bytes = c(1, 2, 1, 1),
                interval_ms = c(100, 100, 700, 100), loss_pct = c(0, 0, 0, 5))
  for (name in c("delivery", "rtt")) {
    expect_error(drawn(name, s), "study s: payload_bytes: varies, and the figure",
                 class = "thinwire_input_error")
  }
  expect_equal(panels(drawn("bytes", s)), 2L) # its rows have names: they hold any number
})

test_that("a colour is a protocol's, the same in every figure", {
  s <- study_of(protocol = c("mqtt", "mqtt", "coap"), mode = c("mqtt-qos1", "mqtt-qos2",
                "coap-con"),
                qos = c(1, 2, NA),
                confirmable = c(NA, NA, 1), interval_ms = 100)
  expected <- unname(protocol_colours()[c("MQTT", "MQTT", "CoAP")])
  built <- drawn("rtt", s)
  expect_setequal(built$data[[1]]$colour, expected)
  expect_equal(data.table::uniqueN(built$data[[1]][c("colour", "linetype")]), 3L)
  expect_setequal(built$plot$scales$get_scales("linetype")$get_labels(),
                  c("MQTT QoS 1", "MQTT QoS 2", "CoAP CON"))
  for (name in c("delivery", "bytes")) {
    fills <- unlist(lapply(drawn(name, s)$data, function(layer) layer$fill))
    expect_setequal(setdiff(fills, c("white", NA)), expected)
  }
  expect_equal(anyDuplicated(protocol_colours()), 0L)
})

test_that("what runs over UDP stands beside both settings of Nagle's algorithm", {
  s <- study_of(protocol = c("mqtt", "mqtt", "coap"), mode = c("mqtt-qos1", "mqtt-qos1",
                "coap-con"),
                qos = c(1, 1, NA), nagle = c(0, 1, NA),
                confirmable = c(NA, NA, 1), interval_ms = 100)
  built <- drawn("rtt", s)
  expect_equal(as.character(built$layout$layout$column), c("TCP, Nagle off", "TCP, Nagle on"))
  expect_equal(data.table::uniqueN(built$data[[1]][c("PANEL", "colour")]), 4L)
})

test_that("a study in which nothing is acknowledged has a table without round trips", {
  s <- study_of(protocol = "udp", mode = "udp-plain", interval_ms = 100)
  s$samples <- s$samples[sample != "rtt_ms"]
  table <- make_report("common", s)$tables$table
  expect_true(any(grepl("raw UDP & -- & 100", table, fixed = TRUE)))
})

test_that("a report is found by its name, and says which there are", {
  s <- study_of(protocol = "mqtt", mode = "mqtt-qos1", qos = 1, interval_ms = 100)
  s$figures <- "rtt"
  report <- make_report("common", s)
  folder <- tempfile()
  save_report(report, folder)
  expect_setequal(list.files(folder), c("rtt.pdf", "table.tex", "numbers.tex"))
  expect_error(make_report("none", s), "report: there is no report 'none'; use one of .*limits",
               class = "thinwire_input_error")
  s$factors[factor == "outcome", value := "failed"]
  expect_equal(make_report("common", s), list(numbers = "\\newcommand{\\twSTrials}{0}"))
})
