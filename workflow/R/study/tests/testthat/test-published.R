# Are the sources' numbers complete, and do the claims' rules decide as they say?

test_that("every table of the sources is there with all its cells", {
  count <- function(source, locations) {
    x <- read_published(published_folder(), source)
    vapply(locations, function(s) sum(x$location == s), 0L, USE.NAMES = FALSE)
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

test_that("every value says how its source gives it", {
  kinds <- function(source) unique(read_published(published_folder(), source)$kind)
  expect_setequal(kinds("kuleuven2019"), c("table", "prose", "figure", "word"))
  expect_equal(kinds("ericsson2018"), "prose") # it has no table
  folder <- tempfile()
  dir.create(folder)
  table <- c("location,row,column,value,unit,kind", "T,r,c,1,ms,guess")
  writeLines(table, file.path(folder, "s.csv"))
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

test_that("intervals are reproducible and leave the random generator alone", {
  set.seed(1)
  before <- .Random.seed
  x <- c(1, 5, 2, 8, 4)
  expect_equal(bootstrap_interval(x), bootstrap_interval(x))
  expect_identical(.Random.seed, before)
  expect_true(all(is.na(bootstrap_interval(1))))
  other <- function(x) mean(x) # resample by resample
  expect_equal(bootstrap_interval(x, resamples = 999L),
               bootstrap_interval(x, resamples = 999L, statistic = other))
  long <- sqrt(seq_len(3000)) # more than a million draws
  expect_equal(bootstrap_interval(long), bootstrap_interval(long, statistic = other))
  expect_equal(wilson_interval(10, 10)[2], 1)
})
