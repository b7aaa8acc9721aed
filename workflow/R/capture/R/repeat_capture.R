# Large captures for the benchmark: copies of a recorded one, each with later times and another
# address of the device's peer, so that every conversation is new.

#' Write a capture of at least `bytes` by repetition.
#'
#' @param source pcapng as Dumpcap writes it: little-endian, one Ethernet interface with times in
#'   nanoseconds, IPv4. @param device IP address. @param bytes size to reach. @param out file.
#' @return number of repetitions.
repeat_capture <- function(source, device, bytes, out) {
  original <- readBin(source, "raw", file.size(source))
  records <- pcapng_records(original)
  frames <- records[kind == "packet", data]
  first <- min(frames) - 28
  end <- c(records[location == "file statistics" & from > max(frames), from], length(original) + 1)
  p <- dissect(source)
  peer <- most_common(c(p$dst[p$src == device & p$transport != "other"],
                        p$src[p$dst == device & p$transport != "other"]))
  moves <- address_moves(p, frames, device, peer)
  times <- records[location == "record time", from]
  span <- ceiling(p$time[nrow(p)]) + 1
  body <- original[first:(min(end) - 1)]
  file <- file(out, "wb")
  on.exit(close(file))
  writeBin(original[seq_len(first - 1L)], file)
  count <- ceiling((bytes - first) / length(body))
  for (k in seq_len(count)) {
    again <- shift_times(body, times - first + 1, (k - 1) * span)
    if (k > 1L) again <- move_address(again, moves, first, k)
    writeBin(again, file)
  }
  writeBin(original[seq(min(end), length.out = length(original) + 1 - min(end))], file)
  count
}

#' Where the peer's address stands, and the checksums that cover it: byte positions in the file.
address_moves <- function(p, frames, device, peer) {
  both <- which((p$src == device & p$dst == peer) | (p$src == peer & p$dst == device))
  ip <- frames[both] + 14
  transport <- ip + p$ip_header[both]
  sum <- transport + data.table::fifelse(p$transport[both] == "tcp", 16, 6)
  known <- p$transport[both] %in% c("tcp", "udp")
  list(address = ip + data.table::fifelse(p$src[both] == peer, 12, 16),
       sums = c(ip + 10, sum[known]), old = as.integer(strsplit(peer, ".", fixed = TRUE)[[1L]]))
}

#' Add seconds to 64-bit times in nanoseconds, high word first.
shift_times <- function(body, at, seconds) {
  shift <- seconds * 1e9
  low <- read_words(body, at + 4) + shift %% 2^32
  high <- read_words(body, at) + shift %/% 2^32 + low %/% 2^32
  write_words(write_words(body, at, high), at + 4, low %% 2^32)
}

#' Set the peer's address to 10.x.y.z of repetition k and update the checksums (RFC 1624, equation
#' 3).
move_address <- function(body, moves, first, k) {
  new <- c(10L, k %/% 65536L, k %/% 256L %% 256L, k %% 256L)
  at <- moves$address - first + 1
  for (i in 1:4) body[at + i - 1] <- as.raw(new[i])
  half <- function(x) c(x[1L] * 256 + x[2L], x[3L] * 256 + x[4L])
  at <- moves$sums - first + 1
  sum <- 65535 - (as.integer(body[at]) * 256 + as.integer(body[at + 1])) +
    sum(65535 - half(moves$old)) + sum(half(new))
  for (fold in 1:3) sum <- sum %% 65536 + sum %/% 65536
  sum <- 65535 - sum
  body[at] <- as.raw(sum %/% 256)
  body[at + 1] <- as.raw(sum %% 256)
  body
}

#' 32-bit words, least significant byte first, at each of the places `at`.
read_words <- function(bytes, at) {
  value <- function(i) as.integer(bytes[at + i])
  value(0) + value(1) * 2^8 + value(2) * 2^16 + value(3) * 2^24
}

write_words <- function(bytes, at, value) {
  for (i in 0:3) bytes[at + i] <- as.raw(value %/% 256^i %% 256)
  bytes
}
