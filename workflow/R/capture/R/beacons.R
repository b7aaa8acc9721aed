# The beacons in a capture of the air: more than half of the frames of an hour with one message per
# second, and part of no conversation. tshark needs as long for a beacon as for any other frame.

radiotap_link <- 127L
beacon_control <- 0x80L # the first byte of its frame control (IEEE 802.11-2016, 9.2.4.1)

#' Copy a pcapng file with radiotap without its beacons, except a beacon that is its first frame,
#' since all times count from that frame.
#'
#' @param capture file, plain or compressed.
#' @return the copy, a temporary file; `capture` itself if there is nothing to remove, or if tshark
#'   has to decide: no file, another format or link layer, a damaged block.
without_beacons <- function(capture) {
  if (!file.exists(capture)) return(capture)
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
  blocks <- walk_fast(words)
  if (blocks$taken < length(words)) return(capture)
  drop <- is_beacon(words, blocks$starts)
  if (!any(drop)) return(capture)
  copy <- tempfile(fileext = ".pcapng")
  kept <- words[rep(!drop, diff(c(blocks$starts, length(words) + 1)))]
  writeBin(kept, copy, size = 4L, endian = section$endian)
  copy
}

#' Which blocks hold a beacon that is not the first packet; none where a link has no radiotap.
is_beacon <- function(words, starts) {
  type <- words[starts]
  links <- bitwAnd(words[starts[type %in% 1L] + 2L], 0xffffL)
  packets <- which(type %in% packet_block)[-1L]
  if (!all(links %in% radiotap_link)) packets <- integer()
  at <- starts[packets] + 7L # after type, length, interface, time and the two lengths
  radiotap <- bitwShiftR(words[at], 16L)
  control <- bitwShiftR(words[at + radiotap %/% 4L], 8L * (radiotap %% 4L))
  beacon <- radiotap < words[at - 2L] & bitwAnd(control, 0xffL) == beacon_control
  seq_along(starts) %in% packets[which(beacon)]
}
