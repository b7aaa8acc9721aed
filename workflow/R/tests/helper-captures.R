# Captures of TLS and DTLS with their keys (a Decryption Secrets Block of pcapng), from trials of
# the study `security`, and of Python's HTTPS client and server on one host.

#' @param name mqtt_tls12: two connections of a message of 100 bytes each, the second one resumed;
#'   mqtt_tls13: five, of which four resume by ticket; coap_dtls12: ten of 100 bytes, with a
#'   pre-shared key; http_tls13: POST of 10 and 100 bytes, answered by 5 and 300.
#' @param keys with them, or a copy without.
secured_capture <- function(name, keys = TRUE) {
  file <- file.path(Sys.getenv("THINWIRE_TOP"), "workflow", "R", "tests", "captures",
                    paste0(name, ".pcapng.gz"))
  if (keys) return(file)
  bare <- tempfile(fileext = ".pcapng")
  stopifnot(run_program("editcap", c("--discard-all-secrets", file, bare)) == 0L)
  bare
}

#' The key log that such a capture holds, as a file of its own.
secured_keys <- function(name) {
  capture <- gzfile(secured_capture(name), "rb")
  on.exit(close(capture))
  bytes <- readBin(capture, "raw", 1e6)
  text <- rawToChar(bytes[bytes != 0L])
  line <- "[A-Z0-9_]+ [0-9a-f]{64} [0-9a-f]+"
  file <- tempfile(fileext = ".log")
  writeLines(regmatches(text, gregexpr(line, text, useBytes = TRUE))[[1L]], file)
  file
}
