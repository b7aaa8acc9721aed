# The block structure of pcapng files, which tshark forgives: it skips a block of unknown type, and
# with it a packet.

#' Files above this many bytes are not scanned; each block takes some microseconds.
scan_limit_bytes <- 50e6

#' Block types that capture tools write (draft-ietf-opsawg-pcapng, 10.1).
known_blocks <- c(1:6, 9, 10, 0x0A0D0D0A, 0x0BAD, 0x40000BAD)

#' Stop if a pcapng file holds a block whose type or length is impossible.
#'
#' @param capture file, gzip or not. Other formats and files above [scan_limit_bytes] pass.
check_blocks <- function(capture) {
  if (file.size(capture) > scan_limit_bytes) return(invisible(NULL))
  words <- pcapng_words(capture)
  bad <- if (is.null(words)) NA else first_bad_block(words)
  if (is.na(bad)) return(invisible(NULL))
  input_error(capture, "has an impossible type or length",
              "copy the capture again; --damaged keep measures it as it is",
              key = paste("block", bad))
}

#' A pcapng file as unsigned 32-bit words: blocks are padded to them. NULL for another format.
pcapng_words <- function(capture) {
  connection <- gzfile(capture, "rb")
  on.exit(close(connection))
  bytes <- readBin(connection, "raw", 4 * scan_limit_bytes)
  section <- as.raw(c(0x0a, 0x0d, 0x0d, 0x0a))
  if (length(bytes) < 28L || !identical(bytes[1:4], section)) return(NULL)
  endian <- if (bytes[9L] == as.raw(0x4d)) "little" else "big"
  words <- readBin(bytes, "integer", length(bytes) %/% 4L, size = 4L, endian = endian)
  ifelse(words < 0, words + 2^32, words)
}

#' Number of the first impossible block, NA if there is none.
first_bad_block <- function(words) {
  at <- 1
  block <- 1
  while (at + 2 <= length(words)) {
    size <- words[at + 1] / 4
    end <- at + size - 1
    fits <- size >= 3 && size == floor(size) && end <= length(words)
    if (!fits || words[end] != words[at + 1] || !words[at] %in% known_blocks) return(block)
    at <- end + 1
    block <- block + 1
  }
  NA_real_
}
