# The beacons in a capture of the air: more than half of the frames of an hour with a message a
# second, and no part of any conversation. tshark takes as long for one as for any other frame.

radiotap_link <- 127L
beacon_control <- 0x80L # the first byte of its frame control (IEEE 802.11-2016, 9.2.4.1)

#' A copy of a pcapng file with radiotap without its beacons, but for one that begins it: all times
#' count from the first frame.
#'
#' @param capture file, plain or compressed.
#' @return the copy, a temporary file; `capture` itself where there is nothing to leave out, or
#'   something that tshark has to judge: another format, another link, a damaged block.
without_beacons <- function(capture) {
  connection <- gzfile(capture, "rb")
  on.exit(close(connection))
  section <- read_section(connection)
  if (is.null(section)) return(capture)
  words <- list(section$words)
  while (length(more <- readBin(connection, "integer", scan_words, size = 4L,
                                endian = section$endian))) {
    words[[length(words) + 1L]] <- more
  }
  words <- unlist(words)
  starts <- compiler::cmpfun(block_starts)(words)
  drop <- if (length(starts)) is_beacon(words, starts)
  if (!any(drop)) return(capture)
  copy <- tempfile(fileext = ".pcapng")
  kept <- words[rep(!drop, diff(c(starts, length(words) + 1L)))]
  writeBin(kept, copy, size = 4L, endian = section$endian)
  copy
}

#' Where the blocks of a vector of words begin; NULL if it is none of whole blocks.
block_starts <- function(words) {
  starts <- integer(length(words) %/% 3L)
  at <- 1L
  count <- 0L
  while (at + 2L <= length(words)) {
    bytes <- words[at + 1L]
    if (is.na(bytes) || bytes < 12L || bytes %% 4L) return(NULL)
    count <- count + 1L
    starts[count] <- at
    at <- at + bytes %/% 4L
  }
  if (at != length(words) + 1L) return(NULL)
  starts[seq_len(count)]
}

#' Which blocks hold a beacon that is not the first packet; none where a link has no radiotap.
is_beacon <- function(words, starts) {
  type <- words[starts]
  links <- bitwAnd(words[starts[type %in% 1L] + 2L], 0xffffL)
  packets <- which(type %in% packet_block)[-1L]
  if (!all(links %in% radiotap_link)) packets <- integer()
  at <- starts[packets] + 7L # behind type, length, interface, time and the two lengths
  radiotap <- bitwShiftR(words[at], 16L)
  whole <- radiotap < words[at - 2L]
  packets <- packets[whole %in% TRUE]
  at <- at[whole %in% TRUE]
  radiotap <- radiotap[whole %in% TRUE]
  control <- bitwShiftR(words[at + radiotap %/% 4L], 8L * (radiotap %% 4L))
  seq_along(starts) %in% packets[bitwAnd(control, 0xffL) %in% beacon_control]
}
