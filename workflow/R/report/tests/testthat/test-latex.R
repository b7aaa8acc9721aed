# Is text converted to LaTeX correctly?

test_that("LaTeX text is escaped, numbers are grouped, macros have letters only", {
  expect_equal(latex_text("a_b & 5 % <= $x"), "a\\_b \\& 5 \\% $\\leq$ \\$x")
  expect_equal(latex_text("128^2 ~ x"), "128\\textasciicircum 2 \\textasciitilde  x")
  expect_equal(latex_number(c(12345.6, NA), 1L), c("12\\,345.6", "--"))
  expect_equal(latex_interval(c(1, NA), c(2, NA)), c("[1, 2]", ""))
  expect_equal(macro_name("Ku", "mqtt_qos0"), "twKuMqttQosZero")
  expect_equal(latex_macro("twX", "1"), "\\newcommand{\\twX}{1}")
  cells <- matrix(c("a", "b", "1", "2"), 2)
  table <- latex_table(cells, "ll", c("x", "y"), groups = 2L)
  expect_equal(table[5:7], c("a & 1 \\\\", "\\addlinespace", "b & 2 \\\\"))
  long <- latex_long_table(cells, "ll", c("x", "y"), integer(), "name")
  expect_equal(sum(long == "\\midrule"), 2L)
  expect_true(any(grepl("\\label{tab:name}", long, fixed = TRUE)))
  file <- file.path(tempfile(), "x.tex")
  write_latex(long, file)
  expect_equal(readLines(file)[-1], long)
})

test_that("the result of runs has their number, from five on a mean with its interval", {
  expect_equal(latex_measured(c(NA, 7, 8), 1L), "7.0 to 8.0 ($n=2$)")
  expect_equal(latex_measured(4, unit = "\\,ms"), "4\\,ms ($n=1$)")
  expect_equal(latex_measured(NA_real_), "--")
  # Student's quantile for four degrees of freedom is 2.776, the standard error 0.707
  expect_equal(latex_measured(1:5, 1L), "3.0 [1.0, 5.0] ($n=5$)")
  expect_equal(latex_measured(rep(10, 5), 1L), "10.0 ($n=5$)")
})

test_that("a mean in a table has its interval from three runs on, unless that is too narrow", {
  expect_equal(latex_mean(c(NA, NA)), "--")
  expect_equal(latex_mean(c(7, NA)), "7")
  expect_equal(latex_mean(c(7, 8), 1L), "7.5")
  # Student's quantile for two degrees of freedom is 4.303, the standard error 0.577
  expect_equal(latex_mean(1:3, 1L), "2.0 [0.0, 4.5]")
  expect_equal(latex_mean(c(10, 10.01, 10.02)), "10")
  expect_equal(latex_mean(c(10, 10.01, 10.02), 2L), "10.01 [9.99, 10.03]")
})

test_that("where service ends is reported seed by seed, and what lies beyond the loads as beyond", {
  runs <- data.table::CJ(variant = "base", stack = "mqtt", payload_bytes = 25, seed = 1:2,
                         load = 1:3)
  runs[, `:=`(not_served_pct = c(0, 4, 6, 0, 1, 2), cell_throughput_bps = c(1, 2, 3, 1, 2, 3))]
  ends <- nbiot_ends(runs)
  expect_equal(ends$poor, "2.5 to > 3 ($n=2$)")
  expect_equal(ends$peak, "$\\geq$ 3.0")
})

test_that("a negative number has a macro of its own", {
  expect_equal(macro_name("MQTT-SN QoS -1", 40), "twMQTTSNQoSMinusOneFourZero")
  expect_equal(macro_name("MQTT-SN QoS 1", 40), "twMQTTSNQoSOneFourZero")
})
