# Do command lines and printed metrics have the intended meaning, and are meaningless ones refused?

refused <- function(expression, pattern) {
  expect_error(expression, pattern, class = "thinwire_input_error")
}

test_that("command lines are named options, some with several values", {
  parse <- function(...) {
    parse_options(c(...), c("capture", "tables"), c(topic = "", format = "table"), "tables")
  }
  expect_equal(parse("--capture", "a.pcap", "--tables", "--format=csv"),
               list(topic = "", format = "csv", tables = character(), capture = "a.pcap"))
  expect_equal(parse("--tables", "x", "y", "--capture=a")$tables, c("x", "y"))
  expect_equal(parse("--tables=x", "y", "--capture=a")$tables, c("x", "y"))
  expect_equal(parse("--capture", "a", "--topic=a=b", "--tables")$topic, "a=b")
  expect_equal(parse_options(character(), lists = "tables"), list(tables = character()))
  refused(parse("--tables", "x"), "--capture: is missing; options are --capture --tables --topic")
  refused(parse("a"), "a: belongs to no option")
  refused(parse("--capture", "a", "b"), "b: belongs to no option")
  refused(parse("--topc", "t"), "--topc: no such option; options are --capture")
  refused(parse("--capture", "--tables"), "--capture: has no value")
  refused(parse("--capture", "a", "--capture", "b"), "--capture: stands twice")
})

test_that("ports are names and numbers from 1 to 65535", {
  expect_equal(parse_ports("mqtt=1884,coap=5700"), c(mqtt = 1884L, coap = 5700L))
  expect_null(parse_ports(""))
  for (bad in c("mqtt", "mqtt=0", "mqtt=65536", "mqtt=99999999999", "mqtt=1,", "=5", "mqtt=-1")) {
    refused(parse_ports(bad), "--ports: cannot read")
  }
  refused(decode_as(c(smtp = 25L)), "--ports: no such protocol: smtp; use one of mqtt")
})

test_that("a table for reading has the interval and the quantiles beside their mean", {
  names <- c("a_max_ms", "a_mean_ms", "a_mean_ms_ci95_high", "a_mean_ms_ci95_low", "a_median_ms",
             "a_p95_ms", "a_p99_ms", "b")
  rows <- data.table::data.table(metric = names, value = c(9, 1 / 3, 0.5, 0.25, 0.3, 7, 8, 1e6),
                                 unit = c(rep("ms", 7), ""), n = c(rep(3, 7), 1))
  expect_equal(format_table(rows),
               c("metric        value  unit  n  95 % interval  median  p95  p99  max",
                 "a_mean_ms  0.333333  ms    3  [0.25, 0.5]       0.3    7    8    9",
                 "b           1000000        1"))
  expect_equal(format_table(rows[c(2, 8)]), c("metric        value  unit  n  95 % interval",
                                              "a_mean_ms  0.333333  ms    3",
                                              "b           1000000        1"))
})

test_that("the version of tshark is three numbers", {
  expect_match(tshark_version(), "^[0-9]+[.][0-9]+[.][0-9]+$")
})
