# Do command lines, tables and LaTeX say what was meant, and refuse what cannot be meant?

refused <- function(expression, pattern) {
  expect_error(expression, pattern, class = "thinwire_input_error")
}

test_that("command lines are split into words and options", {
  parse <- function(...) parse_options(c(...), c(topic = "", format = "table"), "CAPTURE")
  expect_equal(parse("a.pcap", "--topic", "t", "--format=csv"),
               list(topic = "t", format = "csv", CAPTURE = "a.pcap"))
  expect_equal(parse("a.pcap", "--topic=a=b")$topic, "a=b")
  refused(parse(), "missing CAPTURE; give CAPTURE --topic --format")
  refused(parse("a", "b"), "b: not expected")
  refused(parse("a", "--topc", "t"), "--topc: no such option; options are --topic --format")
  refused(parse("a", "--topic"), "--topic: has no value")
  many <- parse_options(c("x", "y", "z"), c(out = ""), "FIRST", rest = "FILE")
  expect_equal(many$FILE, c("y", "z"))
  expect_equal(parse_options(c("x", "y"), c(out = ""), rest = "FILE")$FILE, c("x", "y"))
})

test_that("ports are names and numbers from 1 to 65535", {
  expect_equal(parse_ports("mqtt=1884,coap=5700"), c(mqtt = 1884L, coap = 5700L))
  expect_null(parse_ports(""))
  for (bad in c("mqtt", "mqtt=0", "mqtt=65536", "mqtt=99999999999", "mqtt=1,", "=5", "mqtt=-1")) {
    refused(parse_ports(bad), "--ports: cannot read")
  }
  refused(decode_as(c(smtp = 25L)), "--ports: no such protocol: smtp; use one of mqtt")
})

test_that("metrics print as CSV, as JSON and as an aligned table with intervals", {
  names <- c("a_mean_ms", "a_mean_ms_ci95_high", "a_mean_ms_ci95_low", "b")
  rows <- data.table::data.table(metric = names,
                                 value = c(1 / 3, 0.5, 0.25, 1e6), unit = c("ms", "ms", "ms", ""),
                                 n = c(3, 3, 3, 1))
  expect_equal(format_metrics(rows, "csv")[1:2], c("metric,value,unit,n",
                                                   "a_mean_ms,0.3333333333,ms,3"))
  expect_equal(jsonlite::fromJSON(format_metrics(rows, "json"))$value, signif(rows$value, 10))
  expect_equal(format_metrics(rows, "table"),
               c("metric        value  unit  n  95 % interval",
                 "a_mean_ms  0.333333  ms    3  [0.25, 0.5]",
                 "b           1000000        1"))
})

test_that("LaTeX text is escaped, numbers are grouped, macros have letters only", {
  expect_equal(latex_text("a_b & 5 % <= $x"), "a\\_b \\& 5 \\% $\\leq$ \\$x")
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

test_that("tables survive writing and reading, and are told apart by their columns", {
  metrics <- data.table::data.table(study = "s", trial = c("t2", "t1", "t2"),
                                    metric = c("m", "m", "outcome_ok"), value = c(1 / 3, 2, 0),
                                    unit = "", n = 1)
  factors <- data.table::data.table(study = "s", trial = "t1", factor = "qos", value = "1")
  file <- function(table, name) {
    out <- file.path(tempdir(), "tables", name)
    write_table(table, out)
    out
  }
  one <- file(metrics, "m.csv")
  two <- file(factors, "f.csv.gz")
  expect_equal(read_table(one)$value, c(0.3333333333, 2, 0))
  expect_equal(read_factors(two)$value, "1")
  expect_equal(collect_tables(c(one, one))$trial, c("t1", "t1", "t2", "t2", "t2", "t2"))
  results <- read_results(c(two, one))
  expect_equal(results$metrics$trial, "t1") # the other trial went wrong
  expect_equal(results$factors$value, "1")
  refused(read_table(file.path(tempdir(), "none.csv")), "no such file")
  refused(read_table(one, "factor"), "has no column 'factor'")
  refused(read_results(file(data.table::data.table(a = 1), "a.csv")), "has no column 'study'")
})

test_that("Hedges' g is the corrected difference in pooled deviations", {
  expect_equal(hedges_g(c(1, 2, 3), c(4, 5, 6)), -3 * (1 - 3 / 15))
  expect_true(is.na(hedges_g(1, c(1, 2))))
  expect_true(is.na(hedges_g(c(1, 1), c(2, 2))))
})

test_that("the version of tshark is three numbers", {
  expect_match(tshark_version(), "^[0-9]+[.][0-9]+[.][0-9]+$")
})
