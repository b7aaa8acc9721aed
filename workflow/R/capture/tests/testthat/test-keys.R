# `--keys`: does a capture with a separate key log give the same result as one with secrets?

metrics_of <- function(name, device, keys = NULL, bare = TRUE, ports = NULL) {
  suppressMessages(examine_capture(secured_capture(name, !bare), device, ports = ports,
                                   keys = keys))$metrics
}

test_that("a key log opens what the capture's own secrets open", {
  devices <- c(mqtt_tls12 = "10.77.1.1", mqtt_tls13 = "10.77.1.1", coap_dtls12 = "10.77.1.1",
               coap_cid = "127.0.0.1", http_tls13 = "127.0.0.1")
  for (name in names(devices)) {
    ports <- if (name == "http_tls13") c(tls = 4413)
    opened <- metrics_of(name, devices[[name]], secured_keys(name), ports = ports)
    expect_equal(opened, metrics_of(name, devices[[name]], bare = FALSE, ports = ports),
                 info = name)
    expect_false(identical(opened, metrics_of(name, devices[[name]], ports = ports)), info = name)
  }
})

test_that("conversations are listed by what is inside", {
  bare <- secured_capture("mqtt_tls12", FALSE)
  expect_equal(list_conversations(bare, keys = secured_keys("mqtt_tls12"))$conversations,
               list_conversations(secured_capture("mqtt_tls12"))$conversations)
  expect_true(all(list_conversations(bare)$conversations$protocol == "tls"))
})

test_that("a capture in parts is read in one with keys, since later parts lack the handshake", {
  bare <- secured_capture("coap_dtls12", FALSE)
  found <- suppressMessages(examine_capture(bare, "10.77.1.1", part = 8L, margin = 1L,
                                            keys = secured_keys("coap_dtls12")))
  expect_equal(found$metrics, metrics_of("coap_dtls12", "10.77.1.1", bare = FALSE))
})

test_that("what a key log does not open is reported", {
  bare <- secured_capture("mqtt_tls12", FALSE)
  said <- function(keys) {
    paste(capture_messages(analyze_capture(bare, "10.77.1.1", keys = keys)), collapse = "")
  }
  whole <- secured_keys("mqtt_tls12")
  expect_false(grepl("--keys", said(whole)))
  expect_match(said(secured_keys("mqtt_tls13")), "of its 2 sessions of TLS or DTLS --keys opens 0")
  half <- tempfile()
  writeLines(readLines(whole)[1L], half)
  expect_match(said(half), "of its 2 sessions of TLS or DTLS --keys opens 1")
})

test_that("a file that is no key log is an input error", {
  wrong <- function(lines) {
    file <- tempfile()
    writeLines(lines, file)
    expect_error(parse_keys(file), "holds no key of a session", class = "thinwire_input_error")
  }
  wrong(character())
  wrong("# a comment")
  wrong("CLIENT_RANDOM 00 11")
  expect_error(parse_keys("absent.log"), "no such file", class = "thinwire_input_error")
  expect_error(parse_keys(tempdir()), "no such file", class = "thinwire_input_error")
  expect_null(parse_keys(""))
})
