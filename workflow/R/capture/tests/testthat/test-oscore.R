# Is a message under OSCORE measured by what is inside, and its own bytes as record? The bytes are
# from the firmware and aiocoap, with the context of data/oscore.

device <- "10.0.0.2"
request <- paste0("44029a138885e743920900ff59c8b33f88c57ce5b87d968acec06aaacad1442aadf8959b8a",
                  "d721830b23168710fa5e8c2e14dab4b7502c3fa4c24d8da1")
response <- "64449a138885e74390ffd643074fbb7c7db016"

from_digits <- function(text) {
  at <- seq(1, nchar(text), 2)
  as.raw(strtoi(substring(text, at, at + 1), 16L))
}
talk <- function(bytes = c(request, response)) {
  write_pcap(list(udp(from_digits(bytes[1L]), device, "10.0.0.1", 4000, 5683),
                  udp(from_digits(bytes[2L]), "10.0.0.1", device, 5683, 4000)), c(0, 0.01))
}
measured <- function(file) {
  rows <- capture_metrics(reduce_capture(dissect(file), device, NULL, file))
  setNames(rows$value, rows$metric)
}

test_that("path and payload are those inside", {
  m <- messages(dissect(talk()))
  expect_equal(m$kind, c("request", "response"))
  expect_equal(m$topic[1L], "tw/data")
  expect_equal(m$payload_bytes, c(30, 0))
})

test_that("the option, a code, a marker and the tag are record", {
  m <- measured(talk())
  expect_equal(m[["oscore_request_bytes"]], 13)
  expect_equal(m[["oscore_response_bytes"]], 11)
  expect_equal(m[["ledger_record_bytes"]], 24)
  expect_equal(m[["ledger_payload_bytes"]], 30)
  # header of 4, token of 4, Uri-Path of 3 and 5, Content-Format, marker; header and token
  expect_equal(m[["ledger_header_bytes"]], 18 + 8)
})

test_that("without the key the payload is the ciphertext less code and tag", {
  other <- sub("0$", "1", c(request, response)) # a tag that does not fit
  other[1L] <- sub("1$", "2", request)
  m <- messages(dissect(talk(other)))
  expect_equal(m$payload_bytes, c(40, 0))
})

test_that("the context is that of the project", {
  file <- file.path(Sys.getenv("THINWIRE_TOP"), "data/oscore/settings.json")
  given <- jsonlite::read_json(file)
  expect_match(oscore_contexts()[1L], given$secret_hex, fixed = TRUE)
  expect_match(oscore_contexts()[1L], given$salt_hex, fixed = TRUE)
  server <- paste(charToRaw(given[["sender-id_ascii"]]), collapse = "")
  expect_match(oscore_contexts()[1L], paste0("\"\",\"", server, "\""), fixed = TRUE)
  expect_match(oscore_contexts()[12L], "\"3132\"", fixed = TRUE)
  code <- readLines(file.path(Sys.getenv("THINWIRE_TOP"), "hil/design/addressing.py"))
  line <- grep("^OSCORE_DEVICES_MAX = ", code, value = TRUE)
  most <- as.integer(sub("^.* = ", "", line))
  expect_length(oscore_contexts(), most)
})

# Appendix B.2 with a message of 30 bytes: requests 1 and 2 and their responses, then one request
# that names the new context, and its response. tshark cannot open the first four.
renewed <- c(
  paste0("44029a138885e7439c19000948a1e04d50303299bbff66a1908609bd165ba3f674a7b69c54",
         "10ea4aadca8548aeb4fca242696c4bf19bd1cfd091704d442dbf814fa03586c7f072"),
  "64449a138885e7439c110009480000000100000001ffac40c2ecf96441fb50",
  paste0("44029a148885e7439d07190011500000000100000001e34c7c0013faa34affb586e73854bc",
         "0a3140054b4fe459a3b5692158d6ff739cf3a6210bd3b68040e6c835a258cabe46fe8c6622",
         "c5dcf07f9aef"),
  "64449a148885e74390ff03b398d9f513d83ed5",
  paste0("44029a158885e7449d061901100000000100000001e34c7c0013faa34aff4f60d840c19a7a",
         "b60403edf4dd5fd5707617070b9ebc41afdfce32b1179badae5935122991bfbddf8b14dc4d",
         "72f4f11250"),
  "64449a158885e74490ff4e8754a802e3b5ac45"
)

renewal <- function() {
  write_pcap(Map(function(digits, way) {
    if (way) udp(from_digits(digits), device, "10.0.0.1", 4000, 5683)
    else udp(from_digits(digits), "10.0.0.1", device, 5683, 4000)
  }, renewed, rep(c(TRUE, FALSE), 3)), seq(0, 0.5, 0.1))
}

test_that("request 1 and response 1 of appendix B.2 are a handshake", {
  m <- messages(dissect(renewal()))
  expect_equal(m$kind, c("handshake", "handshake", rep(c("request", "response"), 2)))
})

test_that("a context that a request names is known from then on", {
  p <- dissect(renewal())
  expect_equal(is.na(p$oscore_code), c(rep(TRUE, 4), FALSE, FALSE))
  m <- messages(p)
  expect_equal(m$topic[5L], "tw/data")
  expect_equal(m$payload_bytes[5L], 30)
})

test_that("the handshake is no message, and the option counts with its ID Context", {
  m <- measured(renewal())
  expect_equal(m[["messages"]], 2)
  sizes <- nchar(renewed) / 2 + 14 + 28 # with Ethernet, IPv4 and UDP
  expect_equal(m[["connect_bytes"]], sum(sizes[1:2]))
  expect_equal(m[["ledger_handshake_bytes"]], sum(sizes[1:2]))
  # an ID Context of 16 bytes, in CBOR of 17; its size; one byte more of the option header
  expect_equal(m[["oscore_request_bytes"]], mean(13 + 1 + 1 + c(17, 16)))
})
