# The minimum cost of a message in any protocol: no answer is below it.

#' Headers before the payload of a message on the wire, bytes: Ethernet, IPv4, and TCP (RFC 9293,
#' 3.1) or UDP (RFC 768) without options.
least_headers <- c(tcp = 14 + 20 + 20, udp = 14 + 20 + 8)

#' What an 802.11 data frame adds to an IP packet, bytes: QoS header, LLC and SNAP, check sequence.
mac_overhead <- 26 + 8 + 4

#' The highest rate of the cell, Mb/s: MCS 7, one stream, 20 MHz, long guard interval.
highest_rate_mbps <- 65

#' Floors of a mode's quantities as straight lines over the payload.
#'
#' On the wire: payload and headers. On the air: one frame with these at the highest rate, see
#' [ppdu_airtime_us()], without rounding up to whole symbols. Charge: sending that frame.
#' Acknowledgements, further segments and answers only add to these.
#'
#' @param transport "tcp" or "udp".
#' @return list by quantity: c(value at payload 0, growth by byte).
decide_floors <- function(transport) {
  headers <- least_headers[[transport]]
  ethernet <- 14
  whole <- headers - ethernet + mac_overhead
  airtime <- c(ppdu_airtime_us("ht", highest_rate_mbps, 0) - 4 + 8 * whole / highest_rate_mbps,
               8 / highest_rate_mbps)
  list(bytes = c(headers, 1), airtime_us = airtime,
       frames_uc = charge_uc(airtime, esp8266_currents_ma$transmit[["ht"]]),
       ack_ms = airtime / 1000)
}

#' A floor at payloads; -Inf where there is none.
floor_at <- function(floor, payload) {
  if (is.null(floor)) -Inf else floor[1L] + floor[2L] * payload
}
