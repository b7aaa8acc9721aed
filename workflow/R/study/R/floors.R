# Physical floors: no round trip can be shorter than the airtime of its own frames.

#' Airtime of one 802.11 data frame, microseconds.
#'
#' HT-mixed format at 2.4 GHz, 20 MHz, one stream (IEEE 802.11-2016, 19.4.3): preamble and signal
#' fields 36 us, symbols of 3.6 us with short guard interval rounded up to 4 us, signal extension
#' 6 us; ERP-OFDM (18.4, 17.4.3): 20 us, symbols of 4 us, signal extension 6 us.
#'
#' @param packet_bytes the network packet. MAC header with QoS, LLC and FCS are 38 bytes more.
#' @param bits_per_symbol data bits per symbol: 260 for MCS 7, 216 for 54 Mb/s.
#' @param ht HT-mixed format.
frame_airtime_us <- function(packet_bytes, bits_per_symbol = 260, ht = TRUE) {
  symbols <- ceiling((16 + 8 * (packet_bytes + 38) + 6) / bits_per_symbol)
  if (ht) 36 + 4 * ceiling(symbols * 3.6 / 4) + 6 else 20 + 4 * symbols + 6
}

#' Airtime of an ACK at 24 Mb/s, the highest mandatory rate: 14 bytes, 96 bits per symbol.
ack_airtime_us <- function() 20 + 4 * ceiling((16 + 8 * 14 + 6) / 96) + 6

sifs_us <- 10
difs_us <- 28

#' The shortest round trip between a station and a server behind its access point, ms: the frame
#' out, its acknowledgement, DIFS and the frame back. Backoff, access point, server and the device's
#' software are assumed to take no time, at the highest rate of an ESP8266 (72.2 Mb/s).
#'
#' @param out_bytes,back_bytes network packets.
round_trip_floor_ms <- function(out_bytes, back_bytes) {
  us <- frame_airtime_us(out_bytes) + sifs_us + ack_airtime_us() + difs_us +
    frame_airtime_us(back_bytes)
  us / 1000
}

#' Published round trips against their floors.
#'
#' @param published rows of a source with `row` ending in "N bytes". @param overhead_bytes what
#'   network, transport and application add to the payload; the answer carries no payload.
#' @return data.table `location`, `row`, `value` (ms), `floor` (ms), `below`.
floor_table <- function(published, overhead_bytes) {
  out <- published[column == "rtt_mean" & grepl("[0-9]+ bytes$", row)]
  payload <- as.numeric(sub("^.* ([0-9]+) bytes$", "\\1", out$row))
  out[, value := as.numeric(value)]
  out[, floor := round_trip_floor_ms(payload + overhead_bytes, overhead_bytes)]
  out[, below := value < floor]
  out[, .(location, row, value, floor, below)]
}
