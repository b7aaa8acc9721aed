# The block structure of pcapng files, which tshark forgives: it skips a block of unknown type, and
# with it a packet; and it cannot know that a file was cut between two blocks.

#' Words of 4 bytes that are read at a time: memory does not grow with the file.
scan_words <- 2^20

#' Block types that capture tools write (draft-ietf-opsawg-pcapng, 10.1).
known_blocks <- c(1:6, 9, 10, 0x0A0D0D0A, 0x0BAD, 0x40000BAD)

#' Words of the longest block that is plausible, 1 MiB: a packet of 256 KiB (tshark's own limit),
#' its header and a generous comment.
longest_block <- 2^18

section_block <- 0x0A0D0D0A
statistics_block <- 5
packet_block <- 6

#' Stop if a pcapng file holds a block whose type or length is impossible; warn if Dumpcap wrote it
#' and the statistics with which Dumpcap ends each file are missing: then the end is missing, too.
#'
#' @param capture file; plain, gzip, bzip2 or xz. Other formats pass.
check_blocks <- function(capture) {
  found <- scan_blocks(capture)
  if (!is.null(found$bad)) {
    input_error(capture, "has an impossible type or length",
                "copy the capture again; --damaged keep measures it as it is",
                key = paste("block", found$bad))
  }
  if (isTRUE(found$dumpcap) && !found$statistics) {
    warn(capture, "the statistics with which Dumpcap closes a file are missing: so may be packets")
  }
  invisible(found)
}

#' Walk through the blocks of a pcapng file.
#'
#' @return list: `bad` (number of the first impossible block; NULL), `dumpcap` (it wrote the file),
#'   `statistics` (a block of them is there), `blocks`. NULL for another format.
scan_blocks <- function(capture) {
  connection <- gzfile(capture, "rb")
  on.exit(close(connection))
  start <- read_section(connection)
  if (is.null(start)) return(NULL)
  found <- list(bad = NULL, statistics = FALSE, blocks = 0, dumpcap = start$dumpcap)
  words <- start$words
  repeat {
    more <- readBin(connection, "integer", scan_words, size = 4L, endian = start$endian)
    words <- c(words, more)
    step <- walk_fast(words)
    found$blocks <- found$blocks + length(step$starts)
    found$statistics <- found$statistics || step$statistics
    words <- tail(words, length(words) - step$taken)
    ended <- length(more) == 0L
    if (step$bad || (ended && length(words))) found$bad <- found$blocks + 1
    if (step$bad || ended) return(found)
  }
}

#' Read the start of a pcapng file. @return list(words, endian, dumpcap), NULL for another format.
read_section <- function(connection) {
  start <- readBin(connection, "raw", 4096L)
  section <- as.raw(c(0x0a, 0x0d, 0x0d, 0x0a))
  if (length(start) < 28L || !identical(start[1:4], section)) return(NULL)
  endian <- if (start[9L] == as.raw(0x4d)) "little" else "big"
  list(words = readBin(start, "integer", length(start) %/% 4L, size = 4L, endian = endian),
       endian = endian, dumpcap = length(grepRaw("Dumpcap", start, fixed = TRUE)) > 0L)
}

#' [walk_blocks()], compiled when it is first needed: it takes a step for each packet.
compiled <- new.env()
walk_fast <- function(words) {
  if (is.null(compiled$walk)) compiled$walk <- compiler::cmpfun(walk_blocks)
  compiled$walk(words)
}

#' Walk through the whole blocks of a vector of words; R reads 0x80000000 as NA.
#'
#' @return list: `taken` words, `starts` of the blocks, `statistics`, `bad` (the next block is
#'   impossible).
walk_blocks <- function(words) {
  at <- 1
  blocks <- 0
  end <- length(words)
  starts <- numeric(end %/% 3)
  statistics <- FALSE
  bad <- FALSE
  while (at + 2 <= end) {
    type <- words[at]
    size <- words[at + 1] / 4
    bad <- is.na(type) || is.na(size) || (type != packet_block && !type %in% known_blocks) ||
      size < 3 || size != floor(size) || size > longest_block
    last <- at + size - 1
    if (bad || last > end) break
    bad <- !identical(words[last], words[at + 1])
    if (bad) break
    if (type == statistics_block) statistics <- TRUE
    blocks <- blocks + 1
    starts[blocks] <- at
    at <- last + 1
  }
  list(taken = at - 1, starts = starts[seq_len(blocks)], statistics = statistics, bad = bad)
}
