# Do the trials have what a claim needs, and what happens if they do not?

withr::local_options(thinwire.discrepancy = lab_error()) # a lab without error

#' Factors of one trial with these parameters.
factors_of <- function(..., trial = "t") {
  values <- c(...)
  data.table::data.table(study = "s", trial = trial, factor = names(values),
                         value = unname(values))
}

lacks <- function(needs, ...) lacking(needs, "s", "t", factors_of(...))

test_that("a cell without errors loses nothing; an error rate or a full shared queue does", {
  expect_equal(lacks("loss", link = "air"), "loss")
  expect_equal(lacks("loss", link = "air", frame_error_rate = "0"), "loss")
  expect_equal(lacks("loss", link = "air", frame_error_rate = "0.82"), character())
  expect_equal(lacks("loss", link = "netem", loss_pct = "1.2"), character())
  expect_equal(lacks("loss", link = "netem", outage_spans_s = "10,12"), character())
  expect_equal(lacks("loss", link = "air", background_profile = "web,video", ap_queue = "shared"),
               character())
  # a shared queue that nobody else fills
  expect_equal(lacks(c("queue", "loss"), link = "air", ap_queue = "shared"), c("queue", "loss"))
})

test_that("who is wired and who asks follows from the parameters and their defaults", {
  expect_equal(lacks(c("wired-peer", "role-publish"), link = "air"), character())
  expect_equal(lacks(c("wired-peer", "role-serve"), link = "air", server_link = "station",
                     role = "serve"), "wired-peer")
  expect_equal(lacks("role-serve", link = "air"), "role-serve")
})

test_that("a connection is kept unless each message has one", {
  expect_equal(lacks("kept-connection", protocol = "http", keep_alive = "0"), "kept-connection")
  expect_equal(lacks("kept-connection", protocol = "http", keep_alive = "1"), character())
  expect_equal(lacks("own-connection", protocol = "coap", socket_each = "1"), character())
  expect_equal(lacks("kept-connection", protocol = "mqtt", connection_messages = "1"),
               "kept-connection")
})

test_that("our own engine is no library, and only a library on the chip can crash as one", {
  expect_equal(lacks(c("library", "crash"), board = "lx106"), c("library", "crash"))
  expect_equal(lacks("crash", board = "host", library = "libcoap"), "crash")
  expect_equal(lacks("crash", board = "lx106", library = "lwipmqtt"), character())
})

test_that("one trial that lacks it is enough", {
  two <- rbind(factors_of(trial = "a", link = "netem", loss_pct = "1"),
               factors_of(trial = "b", link = "netem"))
  expect_equal(lacking("loss", "s", c("a", "b"), two), "loss")
  expect_equal(lacking("loss", "s", "a", two), character())
})

test_that("a claim whose trials lack what it needs is outside, whatever they gave", {
  study <- list(
    metrics = data.table::data.table(study = "s", trial = paste0("t", 1:5), value = 0,
                                     metric = "device_loss_pct", unit = "%", n = 100),
    factors = data.table::rbindlist(lapply(1:5, function(r) {
      factors_of(trial = paste0("t", r), repetition = as.character(r), link = "air")
    })))
  claim <- list(id = "x", source = "ufes2018", section = "1", statement = "S.", needs = "loss",
                rule = list(type = "bound", study = "s", metric = "device_loss_pct", a = NULL,
                            expect = "<", value = 10))
  row <- decide_claim(claim, "", study$metrics, study$factors)
  expect_equal(row$verdict, "outside what the lab can decide")
  expect_match(row$reason, "the trials lack loss \\(frames .* there: reproduced$")
  expect_equal(row$needs, "loss")
  claim$needs <- NULL
  expect_equal(decide_claim(claim, "", study$metrics, study$factors)$verdict, "reproduced")
})

test_that("a statement that nothing here can decide is outside if it says what it needs", {
  claim <- list(id = "x", source = "ufes2018", section = "1", statement = "S.", needs = "judgement",
                counted = "repeated", rule = list(type = "none", reason = "people judge"))
  row <- decide_claim(claim, "", NULL, NULL)
  expect_equal(row[, c(verdict, reason, counted)],
               c("outside what the lab can decide", "people judge", "repeated"))
})

test_that("an entry names only known needs, and only where trials decide", {
  file <- "claims/s.yaml"
  entry <- list(id = "x", section = "1", statement = "S.", needs = "luck",
                rule = list(type = "none", reason = "r"))
  expect_error(check_claim(entry, file), "x, needs: has 'luck'", class = "thinwire_input_error")
  entry$needs <- "loss"
  entry$counted <- "twice"
  expect_error(check_claim(entry, file), "x, counted: is none of once, repeated, trivial",
               class = "thinwire_input_error")
  entry$counted <- NULL
  entry$rule <- list(type = "floor", table = "T", overhead_bytes = 1)
  expect_error(check_claim(entry, file), "needs: applies to compare, bound and none",
               class = "thinwire_input_error")
})

test_that("the README has every word with its meaning", {
  lines <- readLines(file.path(published_folder(), "claims", "README.md"))
  rows <- regmatches(lines, regexec("^[|] `([a-z-]+)` [|] (.*) [|]$", lines))
  rows <- do.call(rbind, rows[lengths(rows) == 3L])
  known <- abilities()
  listed <- rows[match(names(known), rows[, 2L]), 3L]
  expect_equal(listed, unname(vapply(known, `[[`, "", "meaning")))
})
