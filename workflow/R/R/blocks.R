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
  connection <- gzfile(capture, "rb")
  on.exit(close(connection))
  bytes <- readBin(connection, "raw", 4 * scan_limit_bytes)
  if (length(bytes) < 28L || !identical(bytes[1:4], as.raw(c(0x0a, 0x0d, 0x0d, 0x0a)))) {
    return(invisible(NULL))
  }
  little <- bytes[9L] == as.raw(0x4d)
  # one unsigned 32-bit number at each multiple of four bytes: blocks are padded to them
  words <- readBin(bytes, "integer", length(bytes) %/% 4L, size = 4L,
                   endian = if (little) "little" else "big")
  words <- ifelse(words < 0, words + 2^32, words)
  at <- 1
  block <- 1
  while (at + 2 <= length(words)) {
    size <- words[at + 1] / 4
    end <- at + size - 1
    sound <- size >= 3 && size == floor(size) && end <= length(words) &&
      words[end] == words[at + 1] && words[at] %in% known_blocks
    if (!sound) {
      input_error(capture, "has an impossible type or length",
                  "copy the capture again; --damaged keep measures it as it is",
                  key = paste("block", block))
    }
    at <- end + 1
    block <- block + 1
  }
  invisible(NULL)
}
