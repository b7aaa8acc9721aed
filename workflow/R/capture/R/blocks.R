# The block structure of pcapng files (draft-ietf-opsawg-pcapng). tshark tolerates errors in it: it
# skips a block of unknown type, which may be a packet, and it cannot detect that a file was cut
# between two blocks.

#' Words of 4 bytes that are read at a time: memory does not grow with the file.
scan_words <- 2^20

#' Block types that are registered, packets apart (draft-ietf-opsawg-pcapng, 10.1): interfaces,
#' names, statistics, those of IRIG, ARINC 429 and systemd, secrets, Hone, Sysdig, custom.
known_blocks <- c(1:6, 7:10, 0x101:0x102, 0x201:0x227, 0x0BAD, 0x40000BAD)

#' Words of the longest block that tshark reads, 16 MiB.
longest_block <- 2^22

section_block <- 0x0A0D0D0A
interface_block <- 1
simple_block <- 3
statistics_block <- 5
packet_block <- 6

#' Blocks that tshark counts as frames although they hold no packet: systemd's journal, custom ones.
frame_blocks <- c(9, 0x0BAD, 0x40000BAD)

#' The byte-order magic of a section in the other byte order (4.1).
other_order <- 0x4D3C2B1AL

#' Text on a result whose packets have no time.
no_times <- "nothing: there are no times and rates, only counts and bytes"

#' Findings about the blocks of a pcapng file, see [integrity_findings()].
#'
#' @param blocks result of [scan_blocks()], NULL for another format.
block_findings <- function(blocks) {
  lost <- "counts: packets may be missing"
  row <- function(number, ...) if (!is.null(number)) file_finding(paste("block", number), ...)
  data.table::rbindlist(list(
    no_findings,
    row(blocks$bad, "has an impossible length", lost),
    row(blocks$strange, "has an unknown type, which is skipped", lost),
    row(blocks$fine, "has times of a resolution that tshark misreads", no_times, FALSE),
    row(blocks$untimed, "is a packet without a time", no_times, FALSE),
    row(blocks$local, "is for local use and skipped", "nothing, unless its type is wrong", FALSE),
    if (isTRUE(blocks$dumpcap) && !blocks$statistics) {
      file_finding("end", "the statistics with which Dumpcap closes a file are missing", lost,
                   fatal = FALSE)
    }))
}

#' Walk through the blocks of a pcapng file.
#'
#' @return list: `bad` (number of the first block of impossible length; NULL), `strange` (of the
#'   first one of unknown type; NULL), `local` (likewise, of a type for local use), `fine`
#'   (likewise, see [fine_times()]), `dumpcap` (it wrote the file), `statistics` (a block of them is
#'   there), `untimed` (of the first packet without a time), `others` (number of [frame_blocks]),
#'   `blocks`. NULL for another format.
scan_blocks <- function(capture) {
  connection <- gzfile(capture, "rb")
  on.exit(close(connection))
  start <- read_section(connection)
  if (is.null(start)) return(NULL)
  found <- list(statistics = FALSE, others = 0, blocks = 0, dumpcap = start$dumpcap)
  words <- start$words
  endian <- start$endian
  repeat {
    more <- readBin(connection, "integer", scan_words, size = 4L, endian = endian)
    words <- c(words, more)
    repeat { # each section has its own order of bytes
      step <- walk_fast(words, endian)
      for (kind in c("strange", "local", "fine", "untimed")) {
        if (is.null(found[[kind]]) && step[[kind]]) found[[kind]] <- found$blocks + step[[kind]]
      }
      found$blocks <- found$blocks + length(step$starts)
      found$statistics <- found$statistics || step$statistics
      found$others <- found$others + step$others
      words <- tail(words, length(words) - step$taken)
      if (!step$swapped) break
      words <- readBin(writeBin(words, raw(), endian = endian), "integer", length(words), size = 4L,
                       endian = setdiff(c("little", "big"), endian))
      endian <- setdiff(c("little", "big"), endian)
    }
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

#' [walk_blocks()], compiled at its first use: it has one iteration per packet.
compiled <- new.env()
walk_fast <- function(words, endian = "little") {
  if (is.null(compiled$walk)) compiled$walk <- compiler::cmpfun(walk_blocks)
  compiled$walk(words, endian)
}

#' Walk through the whole blocks of a vector of words. Types with the highest bit, which R reads as
#' negative or NA, are for local use (draft-ietf-opsawg-pcapng, 10.1) and skipped as unknown ones
#' are (3.1).
#'
#' @return list: `taken` words, `starts` of the blocks, `strange` (the first block whose type is not
#'   registered; 0), `local` (likewise, for local use), `fine` (likewise, see [fine_times()]),
#'   `untimed` (likewise, see [simple_block]), `statistics`, `others`, `bad` (the length of the next
#'   block is impossible), `swapped` (the next block begins a section in the other order of bytes).
walk_blocks <- function(words, endian) {
  at <- 1
  blocks <- 0
  end <- length(words)
  starts <- numeric(end %/% 3)
  strange <- own <- fine <- untimed <- others <- 0
  statistics <- bad <- swapped <- FALSE
  while (at + 2 <= end) {
    type <- words[at]
    local <- is.na(type) || type < 0
    swapped <- !local && type == section_block && identical(words[at + 2], other_order)
    if (swapped) break
    size <- words[at + 1] / 4
    bad <- is.na(size) || size < 3 || size != floor(size) || size > longest_block
    last <- at + size - 1
    if (bad || last > end) break
    bad <- !identical(words[last], words[at + 1])
    if (bad) break
    blocks <- blocks + 1
    starts[blocks] <- at
    if (!local && type == interface_block) {
      if (fine_times(words[(at + 4):last], endian)) fine <- blocks
    }
    at <- last + 1
    if (local && own == 0) own <- blocks
    if (local || type == packet_block) next
    if (type == statistics_block) statistics <- TRUE
    if (type == simple_block && untimed == 0) untimed <- blocks
    if (type %in% frame_blocks) others <- others + 1
    if (strange == 0 && type != section_block && !type %in% known_blocks) strange <- blocks
  }
  list(taken = at - 1, starts = starts[seq_len(blocks)], strange = strange, local = own,
       fine = fine, others = others, statistics = statistics, untimed = untimed,
       bad = bad, swapped = swapped)
}

#' Does an interface have times of a resolution (option if_tsresol, 4.2) with which tshark 4
#' overflows 64 bits, and gives another time: finer than 10^-10 or 2^-34 s?
#'
#' @param words its options, and the length behind them. @param endian order of the file's bytes.
fine_times <- function(words, endian) {
  at <- 1
  while (at < length(words)) {
    word <- words[at] %% 2^32
    halves <- c(word %% 65536, word %/% 65536)
    if (endian == "big") halves <- rev(halves)
    if (anyNA(halves) || halves[1L] == 0) return(FALSE)
    if (halves[1L] == 9) {
      value <- if (endian == "little") words[at + 1] %% 256 else words[at + 1] %% 2^32 %/% 2^24
      return(value %in% c(11:127, 163:255))
    }
    at <- at + 1 + ceiling(halves[2L] / 4)
  }
  FALSE
}
