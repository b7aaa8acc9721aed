# Does the matrix name each mode, and pool the right trials?

trial <- function(name, ...) {
  values <- c(...)
  data.table::data.table(study = "matrix", trial = name, factor = names(values),
                         value = unname(values))
}
condition <- c(payload_bytes = "100", interval_ms = "100", background_profile = "none")
factors <- rbind(
  trial("a1", mode = "mqttsn-qos-1", protocol = "mqttsn", qos = "-1", repetition = "1", condition),
  trial("a2", mode = "mqttsn-qos-1", protocol = "mqttsn", qos = "-1", repetition = "2", condition),
  trial("b", mode = "http-each", protocol = "http", keep_alive = "0", repetition = "1", condition),
  trial("c", mode = "udp-ack", protocol = "udp", confirmable = "1", repetition = "1",
        replace(condition, "background_profile", "web"))
)
metrics <- data.table::CJ(trial = c("a1", "a2", "b", "c"),
                          metric = c("made", "delivered", "bytes_per_message"))
metrics[, `:=`(study = "matrix", value = c(30, 8, 10, 50, 9, 10, 1, 1, 1, 1, 1, 1))]
samples <- data.table::data.table(study = "matrix", trial = rep(c("b", "c"), c(3, 2)),
                                  sample = "rtt_ms", value = c(1, 2, 9, 4, 4))

test_that("every trial has the name of its mode", {
  modes <- matrix_trials(factors)
  expect_equal(as.character(modes$mode), c("MQTT-SN QoS -1", "MQTT-SN QoS -1",
                                           "HTTP connection each", "raw UDP ACK"))
  expect_equal(modes$loaded, c(FALSE, FALSE, FALSE, TRUE))
})

test_that("repetitions are pooled: counts add up, means are averaged, round trips are one sample", {
  s <- summarise_matrix(metrics, factors, samples)
  expect_equal(s[mode == "MQTT-SN QoS -1", c(made, delivered, bytes)], c(20, 17, 40))
  expect_equal(s[mode == "HTTP connection each", rtt_median], 2)
  expect_true(is.na(s[mode == "MQTT-SN QoS -1", rtt_median]))
})

test_that("a mean of three runs or more has the interval of Student's t", {
  values <- c(40, 44, 45)
  test <- stats::t.test(values)
  expect_equal(half_interval(values), diff(test$conf.int) / 2, ignore_attr = TRUE)
  expect_true(is.na(half_interval(values[1:2])))
  s <- summarise_matrix(metrics, factors, samples)
  expect_true(all(is.na(s$bytes_half)))
  expect_equal(widest_pct(s, "bytes"), "--")
})

test_that("the stack of the board is as large as its linker script says", {
  script <- readLines(file.path(Sys.getenv("THINWIRE_TOP"), "firmware/boards/lx106/link.ld"))
  expect_equal(grep("__stack_bytes = ", script, value = TRUE),
               sprintf("__stack_bytes = %dK;", lx106_stack_bytes / 1024))
})

test_that("a factor that the report does not show is refused by name", {
  more <- rbind(factors, trial("a1", delay_ms = "2"), trial("a2", delay_ms = "5"))
  expect_error(matrix_trials(more), "study matrix: delay_ms: varies, and the report 'matrix'",
               class = "thinwire_input_error")
  # a factor that differs between modes, or follows from a shown condition, hides nothing
  expect_silent(matrix_trials(rbind(factors, trial("c", delay_ms = "2"))))
})

test_that("a bar three times as long as the next is cut from its end; others are not", {
  bars <- data.table::data.table(
    mode = factor(rep(c("a", "b", "c", "a", "b"), each = 2L)),
    panel = rep(c("one", "two"), c(6L, 4L)),
    part = factor(rep(c("frames", "listening"), 5L), c("listening", "frames")),
    uc = c(1, 2, 4, 6, 5, 95, 1, 1, 2, 3))
  shown <- cut_bars(bars)
  expect_equal(shown[panel == "one" & mode == "c"][order(part), shown], c(10, 5))
  expect_equal(shown[!(panel == "one" & mode == "c"), shown],
               shown[!(panel == "one" & mode == "c"), uc])
})
