# Keys of TLS and DTLS sessions in a file beside a capture: a key log (SSLKEYLOGFILE).

#' A line that opens a session: label, client random, secret (draft-ietf-tls-keylogfile).
key_line <- "^[A-Z0-9_]+ ([0-9A-Fa-f]{64}) [0-9A-Fa-f]+\r?$"

#' The client randoms of the sessions that a key log opens, in lower case.
#'
#' @param keys file. Input error if it is none.
key_randoms <- function(keys) {
  if (!file.exists(keys) || dir.exists(keys)) {
    input_error("--keys", paste0("no such file: ", keys), "check the path")
  }
  if (file.access(keys, 4L) != 0L) {
    input_error("--keys", paste0(keys, " cannot be read"), "check its permissions")
  }
  lines <- grep(key_line, readLines(keys, warn = FALSE, skipNul = TRUE), value = TRUE,
                useBytes = TRUE)
  if (!length(lines)) {
    input_error("--keys", paste0(keys, " holds no key of a session"),
                "give what a program wrote to the file that SSLKEYLOGFILE names")
  }
  unique(tolower(sub(key_line, "\\1", lines, useBytes = TRUE)))
}

#' The option `--keys`, checked.
#'
#' @param text file, or an empty text: none.
#' @return the file, or NULL. Input error as [key_randoms()] has it.
parse_keys <- function(text) {
  if (!nzchar(text)) return(NULL)
  key_randoms(text)
  text
}

#' A copy of a capture that also holds a key log (a Decryption Secrets Block of pcapng).
#'
#' @param capture that can be read to its end. @param keys file.
with_keys <- function(capture, keys) {
  file <- tempfile(fileext = ".pcapng")
  words <- c("--inject-secrets", paste0("tls,", keys), capture, file)
  status <- run_program("editcap", words, stdout = FALSE, stderr = FALSE)
  if (status != 0L) {
    input_error(capture, "editcap cannot add keys to it", "check the space in TMPDIR")
  }
  file
}

#' A finding if a key log does not open all sessions of a capture, see [whole_finding()].
#'
#' @param copy see [with_keys()]. @param keys file. @param ports see [decode_as()].
unopened <- function(copy, keys, ports) {
  fields <- c("tls.handshake.random", "dtls.handshake.random")
  hello <- c("-Y", "tls.handshake.type==1 || dtls.handshake.type==1")
  lines <- finish_tshark(start_tshark(copy, fields, c(decode_as(ports), hello)))
  on.exit(unlink(lines))
  found <- unlist(strsplit(readLines(lines), paste0("[\t", list_separator, "]")))
  sessions <- unique(tolower(gsub(":", "", found[nzchar(found)], fixed = TRUE)))
  known <- sum(sessions %in% key_randoms(keys))
  text <- if (!length(sessions)) {
    "holds the beginning of no session of TLS or DTLS: --keys opens nothing"
  } else if (known < length(sessions)) {
    paste("of its", length(sessions), "sessions of TLS or DTLS --keys opens", known)
  }
  whole_finding(text, "messages and payload of the others")
}
