# 802.11 frames that hold several packets (A-MSDU, IEEE 802.11-2020, 9.3.2.2): each becomes a frame,
# since a row of the packets table is one packet. The lengths of the new frames add up to that of
# the old one.

#' Link layers in whose frames [split_aggregate()] finds an 802.11 header: plain, radiotap, PPI.
wireless_links <- c(105, 127, 192)

#' A copy of a capture in which each packet of an A-MSDU is a frame; NULL if it holds none.
#'
#' @param link the capture's link layer, as capinfos names it.
#' @return list: `file`, `frames` (numbers of those that were split).
split_aggregates <- function(capture, link) {
  if (!grepl("802-11|ppi|per-packet", link)) return(NULL)
  lines <- finish_tshark(start_tshark(capture, c("frame.number", "wlan_aggregate.a_mdsu.length"),
                                      c("-Y", "wlan.qos.amsdupresent == 1")))
  on.exit(unlink(lines))
  found <- strsplit(readLines(lines), "\t", fixed = TRUE)
  several <- vapply(found, function(x) length(x) > 1L && grepl(list_separator, x[2L]), NA)
  frames <- as.numeric(vapply(found[several], `[`, "", 1L))
  if (!length(frames)) return(NULL)
  plain <- tempfile(fileext = ".pcapng")
  on.exit(unlink(plain), add = TRUE)
  run_program("editcap", c("-F", "pcapng", capture, plain), stdout = FALSE, stderr = FALSE)
  out <- tempfile(fileext = ".pcapng")
  list(file = rewrite_blocks(plain, out, frames), frames = frames)
}

#' Copy a pcapng file as editcap writes it, block by block, and split some of its frames.
#'
#' After each interface a second one is added for its packets, with the same time resolution and
#' link layer Ethernet: a subframe has the header of an 802.3 frame.
rewrite_blocks <- function(source, out, frames) {
  from <- file(source, "rb")
  on.exit(close(from))
  to <- file(out, "wb")
  on.exit(close(to), add = TRUE)
  word <- function(x) writeBin(as.integer(x), raw(), endian = .Platform$endian)
  links <- integer()
  number <- 0
  repeat {
    head <- readBin(from, "integer", 2L)
    if (length(head) < 2L) return(out)
    block <- c(word(head), readBin(from, "raw", head[2L] - 8L))
    if (head[1L] == interface_block) {
      links <- c(links, block_word(block, 9L) %% 65536L)
      twin <- block
      twin[9:10] <- word(1L)[if (.Platform$endian == "little") 1:2 else 3:4]
      block <- c(block, twin)
    } else if (head[1L] == packet_block) {
      number <- number + 1
      link <- links[block_word(block, 9L) + 1L]
      block[9:12] <- word(2L * block_word(block, 9L))
      if (number %in% frames && link %in% wireless_links) block <- split_packet(block, link, word)
    } else if (head[1L] == statistics_block) {
      next # its interface now has another number
    }
    writeBin(block, to)
  }
}

block_word <- function(block, at) readBin(block[at + 0:3], "integer")

#' Convert the block of a frame to blocks of its packets.
split_packet <- function(block, link, word) {
  kept <- block_word(block, 21L)
  data <- block[28L + seq_len(kept)]
  parts <- split_aggregate(data, link)
  if (length(parts) < 2L) return(block)
  interface <- block_word(block, 9L) + (seq_along(parts) > 1L)
  cut <- c(block_word(block, 25L) - kept, integer(length(parts) - 1L))
  unlist(Map(function(part, interface, cut) {
    filled <- c(part, raw(-length(part) %% 4L))
    size <- word(length(filled) + 32L)
    c(word(packet_block), size, word(interface), block[13:20], word(length(part)),
      word(length(part) + cut), filled, size)
  }, parts, interface, cut))
}

#' Split the bytes of an A-MSDU: its headers with the first subframe and everything after the last
#' one, then each other subframe. A truncated subframe stays with the first.
split_aggregate <- function(data, link) {
  byte <- as.integer(data)
  start <- if (link == 105L) 0L else byte[3L] + 256L * byte[4L]
  control <- byte[start + 1:2]
  start <- start + 26L + 6L * (bitwAnd(control[2L], 3L) == 3L) +
    4L * (bitwAnd(control[2L], 128L) > 0L)
  if (link == 127L && bitwAnd(radiotap_flags(byte), 32L) > 0L) start <- start + -start %% 4L
  first <- last <- integer()
  at <- start
  while (at + 14L <= length(byte)) {
    size <- byte[at + 13L] * 256L + byte[at + 14L]
    end <- at + 14L + size
    if (size < 8L || end > length(byte)) break
    first <- c(first, at + 1L)
    last <- c(last, end)
    at <- end + -(end - start) %% 4L # padding
  }
  if (length(first) < 2L) return(list(data))
  others <- Map(seq, first[-1L], c(first[-(1:2)] - 1L, last[length(last)]))
  c(list(data[-unlist(others)]), lapply(others, function(bytes) data[bytes]))
}

#' The flags of a radiotap header, 0 if absent.
radiotap_flags <- function(byte) {
  at <- 8L
  while (byte[at] > 127L) at <- at + 4L # further words of the "present" bitmap
  if (bitwAnd(byte[5L], 2L) == 0L) return(0L)
  if (bitwAnd(byte[5L], 1L) > 0L) at <- at + -at %% 8L + 8L # after a time stamp
  byte[at + 1L]
}
