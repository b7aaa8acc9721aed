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
  most <- as.integer(sub("^DEVICES_MAX = ", "", grep("^DEVICES_MAX = ", code, value = TRUE)))
  expect_length(oscore_contexts(), most)
})
