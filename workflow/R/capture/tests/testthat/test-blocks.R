# pcapng as the draft allows it (draft-ietf-opsawg-pcapng): each block and option is used or
# skipped.

device <- "10.0.0.2"
words <- function(order, ...) {
  unlist(lapply(c(...), function(x) if (order == "big") be32(x %% 2^32) else le32(x %% 2^32)))
}
halves <- function(order, ...) unlist(lapply(c(...), if (order == "big") be16 else le16))
block <- function(type, body, order = "little") {
  body <- c(body, raw(-length(body) %% 4))
  size <- length(body) + 12
  c(words(order, type, size), body, words(order, size))
}
option <- function(code, value, order = "little") {
  c(halves(order, code, length(value)), value, raw(-length(value) %% 4))
}
section <- function(order = "little", length = c(-1, -1)) {
  block(0x0A0D0D0A, c(words(order, 0x1A2B3C4D), halves(order, 1, 0), words(order, length)), order)
}
interface <- function(options = raw(), order = "little", limit = 0) {
  block(1, c(halves(order, 1, 0), words(order, limit), options), order)
}
enhanced <- function(data, units, number = 0, order = "little", kept = length(data)) {
  block(6, c(words(order, number, units %/% 2^32, units %% 2^32, kept, length(data)),
             data[seq_len(kept)], raw(-kept %% 4)), order)
}
simple <- function(data, order = "little") block(3, c(words(order, length(data)), data), order)
obsolete <- function(data, units, order = "little") {
  block(2, c(halves(order, 0, 0), words(order, units %/% 2^32, units %% 2^32, length(data),
                                        length(data)), data), order)
}
talk <- tcp_conversation()
talk$open()
for (i in 1:6) {
  talk$say("client", mqtt_publish("t", "hello", qos = 1, id = i), ack = FALSE)
  talk$say("server", mqtt_puback(i))
}
talk$close()
each <- function(form, at = seq_along(talk$frames)) {
  unlist(lapply(at, function(i) form(talk$frames[[i]], round(talk$times[i] * 1e6))))
}
measured <- function(..., strict = FALSE) {
  file <- tempfile(fileext = ".pcapng")
  writeBin(c(...), file)
  on.exit(unlink(file))
  examine_capture(file, device, strict = strict)
}
value <- function(found, name) found$metrics$value[match(name, found$metrics$metric)]
plain <- measured(section(), interface(), each(enhanced), strict = TRUE)

test_that("blocks that hold no packet are skipped, those for local use with a word", {
  others <- list(
    local = block(0x80000001, raw(8)), lowest = block(0x80000000, raw()),
    names = block(4, halves("little", 0, 0)), statistics = block(5, words("little", 0, 0, 0)),
    secrets = block(10, c(words("little", 0x544c534b, 3), text_raw("# \n"))),
    custom = block(0xBAD, c(words("little", 32473), text_raw("custom"))),
    long = block(0x40000BAD, c(words("little", 32473), raw(2^21))),
    journal = block(9, text_raw("__REALTIME_TIMESTAMP=1\n\n")))
  for (name in names(others)) {
    found <- measured(section(), interface(), others[[name]], each(enhanced), strict = TRUE)
    expect_equal(found$metrics, plain$metrics, info = name)
    expect_equal(found$findings$finding,
                 if (startsWith(name, "lo") && name != "long") "is for local use and skipped" else
                   character(), info = name)
  }
})

test_that("each section has an order of bytes, a length or none, and interfaces of its own", {
  half <- seq_len(length(talk$frames) %/% 2)
  big <- function(data, units) enhanced(data, units, order = "big")
  rest <- setdiff(seq_along(talk$frames), half)
  body <- c(interface(), each(enhanced))
  expect_equal(measured(section("big"), interface(order = "big"), each(big))$metrics,
               plain$metrics)
  expect_equal(measured(section(), interface(), each(enhanced, half), section("big"),
                        interface(order = "big"), each(big, rest), strict = TRUE)$metrics,
               plain$metrics)
  expect_equal(measured(section("big"), interface(order = "big"), each(big, half), section(),
                        interface(), each(enhanced, rest), strict = TRUE)$metrics, plain$metrics)
  expect_equal(measured(section(length = c(length(body), 0)), body)$metrics, plain$metrics)
  expect_equal(measured(section(), interface(), each(obsolete))$metrics, plain$metrics)
})

test_that("times have the resolution and offset of their interface", {
  nine <- interface(option(9, as.raw(9)))
  nano <- function(data, units) enhanced(data, units * 1e3)
  expect_equal(measured(section(), nine, each(nano))$metrics, plain$metrics)
  binary <- function(data, units) enhanced(data, floor(units * 2^20 / 1e6 + 0.5))
  found <- measured(section(), interface(option(9, as.raw(0x94))), each(binary))
  expect_equal(value(found, "request_ack_mean_ms"), value(plain, "request_ack_mean_ms"),
               tolerance = 1e-3)
  early <- function(data, units) enhanced(data, units - 900e6)
  offset <- interface(option(14, words("little", 900, 0)))
  expect_equal(measured(section(), offset, each(early))$metrics, plain$metrics)
  second <- function(data, units) enhanced(data, units * 1e3, number = 1)
  expect_equal(measured(section(), interface(), nine, each(second))$metrics, plain$metrics)
})

test_that("packets without times, or with times that tshark misreads, give counts and bytes", {
  timed <- "_per_10ms|_per_s|_(ms|s)(_ci95|$)|device_crashes"
  counts <- plain$metrics[!grepl(timed, metric)]
  big <- function(data, units) simple(data, "big")
  pico <- function(data, units) enhanced(data, units * 1e6)
  mixed <- c(each(enhanced, 1:9), simple(talk$frames[[10]]),
             each(enhanced, 11:length(talk$frames)))
  for (file in list(
    c(section(), interface(), each(function(data, units) simple(data))),
    c(section("big"), interface(order = "big"), each(big)), c(section(), interface(), mixed),
    c(section(), interface(option(9, as.raw(12))), each(pico)))) {
    found <- measured(file, strict = TRUE)
    expect_equal(found$metrics, counts)
    expect_match(found$findings$finding, "a packet without a time|resolution that tshark misreads")
    expect_equal(nrow(found$times), 0)
  }
})

test_that("each interface has a snapshot length", {
  short <- function(data, units) {
    even <- units %% 20000 == 0
    enhanced(data, units, number = even, kept = if (even) length(data) else min(60, length(data)))
  }
  found <- measured(section(), interface(limit = 60), interface(), each(short))$findings
  expect_equal(found$finding, "was cut to 60 bytes, the snapshot length of the capture")
})

test_that("a block of unknown type is a finding, one of impossible length, too", {
  strange <- measured(section(), interface(), block(0x777, raw(4)), each(enhanced))
  expect_equal(strange$findings[, .(which, finding)], data.table::data.table(
    which = "block 3", finding = "has an unknown type, which is skipped"))
  expect_equal(strange$metrics, plain$metrics)
  expect_error(measured(section(), interface(), block(0x777, raw(4)), each(enhanced),
                        strict = TRUE), "block 3: has an unknown type.* without --strict",
               class = "thinwire_input_error")
  cut <- measured(head(c(section(), interface(), each(enhanced)), -30L))
  expect_match(cut$findings$finding[1], "cannot be read: measured are the [0-9]+ packets")
})
