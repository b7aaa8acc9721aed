# Are the seeds' numbers complete, and do the claims' rules decide as they say?

test_that("every table of the seeds is there with all its cells", {
  count <- function(seed, sources) {
    x <- read_published(published_folder(), seed)
    vapply(sources, function(s) sum(x$source == s), 0L, USE.NAMES = FALSE)
  }
  # 15 rows of 7 quantities; 6 rows of 5 protocols but for 6 that are not applicable; 4 ranges;
  # 8 conversations
  expect_equal(count("kuleuven2019", c("Fig. 25", "Table 1", "Fig. 7", "Fig. 44")),
               c(105L, 24L, 8L, 8L))
  # 5 payloads with the device passive, 9 with it active, mean, deviation and median of each
  expect_equal(count("ufrn2018", c("Table I", "Table II", "Table III", "Table IV")),
               c(15L, 15L, 27L, 27L))
  # 11 characteristics of 4 protocols
  expect_equal(count("ufes2018", "Tabela 1"), 44L)
  aamec <- paste("section V,", c("MQTT response time, number of messages",
                                 "response time, payload size", "packet sizes", "summary",
                                 "payload size over the wire", "test 1"))
  expect_equal(count("aamec2019", aamec), c(6L, 12L, 8L, 8L, 12L, 10L))
  expect_equal(count("ericsson2018", "section 2.2"), 4L)
})

test_that("every value says how its seed gives it", {
  kinds <- function(seed) unique(read_published(published_folder(), seed)$kind)
  expect_setequal(kinds("kuleuven2019"), c("table", "prose", "figure", "word"))
  expect_equal(kinds("ericsson2018"), "prose") # it has no table
  folder <- tempfile()
  dir.create(folder)
  writeLines(c("source,row,column,value,unit,kind", "T,r,c,1,ms,guess"), file.path(folder, "s.csv"))
  expect_error(read_published(folder, "s"), "s.csv: line 2, kind: is 'guess'",
               class = "thinwire_input_error")
})

test_that("a printed number is given by rounding or cutting, and by nothing else", {
  expect_true(gives_printed(171.3, "170"))
  expect_true(gives_printed(128.6, "128"))
  expect_true(gives_printed(3.743, "3.74"))
  expect_false(gives_printed(3.75, "3.74"))
  expect_false(gives_printed(204.4, "235"))
  expect_false(gives_printed(0.4, "0"))
  expect_true(gives_printed(0, "0"))
  expect_false(gives_printed(NA, "5"))
})

test_that("the floor of a round trip is the standard's sum", {
  # 64-byte ping with 20 bytes of IP and 8 of ICMP at MCS 7: data 54 us, SIFS 10, ACK 34
  data <- 36 + 4 * ceiling(ceiling((16 + 8 * (92 + 38) + 6) / 260) * 3.6 / 4) + 6
  expect_equal(frame_airtime_us(92), data)
  expect_equal(ack_airtime_us(), 34)
  expect_equal(round_trip_floor_ms(92, 92), (2 * data + 10 + 34 + 28) / 1000)
})

metrics <- data.table::data.table(
  study = "s", trial = sprintf("t%d", 1:6), metric = "m", value = c(1, 2, 3, 4, 5, 6), unit = "",
  n = 1)
factors <- data.table::data.table(
  study = "s", trial = rep(sprintf("t%d", 1:6), 2), factor = rep(c("kind", "level"), each = 6),
  value = c("a", "a", "a", "b", "b", "b", "1", "2", "3", "1", "2", "3"))
rule <- function(expect) {
  list(type = "compare", study = "s", metric = "m", a = list(kind = "a"), b = list(kind = "b"),
       expect = expect)
}

test_that("a comparison is reproduced one way, contradicted the other", {
  expect_equal(decide_compare(rule("<"), metrics, factors)$verdict, "reproduced")
  expect_equal(decide_compare(rule(">"), metrics, factors)$verdict, "contradicted")
  expect_match(decide_compare(rule("<"), metrics, factors)$reason, "n = 3 and 3, paired")
})

test_that("a comparison may ask for a multiple", {
  # twice a is 2, 4, 6 against 4, 5, 6: not clearly below; ten times a is above
  expect_equal(decide_compare(c(rule("<"), times = 2), metrics, factors)$verdict, "not reproduced")
  expect_equal(decide_compare(c(rule("<"), times = 10), metrics, factors)$verdict, "contradicted")
})

test_that("a difference has the digits that a seed printed, or not", {
  difference <- list(type = "difference", study = "s", metric = "m", a = list(kind = "b"),
                     b = list(kind = "a"))
  verdict <- function(value) {
    decide_difference(c(difference, value = value), metrics, factors)$verdict
  }
  expect_equal(verdict(3), "reproduced")
  expect_equal(verdict(2), "contradicted")
})

test_that("a bound needs the whole interval on its side, and data", {
  bound <- list(type = "bound", study = "s", metric = "m", a = list(kind = "a"), expect = "<")
  verdict <- function(value) decide_bound(c(bound, value = value), metrics, factors)$verdict
  expect_equal(verdict(10), "reproduced")
  expect_equal(verdict(0), "contradicted")
  expect_equal(verdict(2), "not reproduced")
  bound$study <- "other"
  expect_equal(verdict(2), "not testable")
})

test_that("every rule of claims.yaml can be decided, also without any results", {
  archives <- read_archives(file.path(published_folder(), "..", "archives.yaml"))
  claims <- decide_claims(published_folder(), metrics[0L], factors[0L], archives)
  expect_equal(anyDuplicated(claims$claim), 0L)
  expect_true(all(claims$verdict %in% c("reproduced", "not reproduced", "contradicted",
                                        "not testable")))
  expect_true(all(claims[section == "Fig. 25"]$verdict == "not testable"))
  expect_equal(claims[claim == "aamec-cycle-1000"]$verdict, "contradicted")
  expect_equal(claims[claim == "aamec-cycle-100"]$verdict, "reproduced")
})

test_that("intervals are reproducible and leave the random generator alone", {
  set.seed(1)
  before <- .Random.seed
  x <- c(1, 5, 2, 8, 4)
  expect_equal(bootstrap_interval(x), bootstrap_interval(x))
  expect_identical(.Random.seed, before)
  expect_true(all(is.na(bootstrap_interval(1))))
  expect_equal(cliffs_delta(c(3, 4), c(1, 2)), 1)
  expect_equal(cliffs_delta(c(1, 2, 3), c(1, 2, 3)), 0)
  expect_equal(wilson_interval(10, 10)[2], 1)
})
