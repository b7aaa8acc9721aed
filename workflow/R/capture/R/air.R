# The capture of the air: the frames that a message causes, their duration and sender.

#' Fields of an 802.11 frame, in the form of [packet_schema()].
air_schema <- function() {
  rows <- c(
    "radiotap_len | radiotap.length | integer | bytes | radiotap header",
    "short_preamble | radiotap.flags.preamble | text | | short DSSS preamble",
    "ampdu | radiotap.ampdu.reference | text | | A-MPDU that the frame is a part of",
    "phy | wlan_radio.phy | text | | modulation, see radio_modulations",
    "rate | wlan_radio.data_rate | double | Mb/s | data rate",
    "subtype | wlan.fc.type_subtype | text | | type and subtype, hexadecimal",
    "receiver | wlan.ra | text | | receiver address",
    "transmitter | wlan.ta | text | | transmitter address; absent in an acknowledgement",
    "sequence | wlan.seq | integer | | sequence number"
  )
  rbind(packet_schema(), split_rows(rows, schema_columns))
}

#' Dissect a radiotap capture: the packets table with the columns of [air_schema()],
#' `modulation`, `bytes` (of the MAC frame with its 4 bytes of check sequence, which the capture
#' leaves out) and `airtime_us`. The frames of an A-MPDU share its airtime by their bytes.
#'
#' @param capture radiotap capture of a cell.
#' @param ports see [dissect()].
dissect_air <- function(capture, ports = NULL) {
  read <- without_beacons(capture)
  if (read != capture) on.exit(unlink(read))
  p <- dissect(read, ports, schema = air_schema())
  if (!any(nzchar(p$phy))) {
    input_error(capture, "is no capture of 802.11 with radiotap", "give a bundle's air.pcapng.gz")
  }
  p[, modulation := radio_modulations[phy]]
  p[, bytes := len - radiotap_len + 4]
  short <- p$short_preamble %in% c("1", "True")
  p[, airtime_us := ppdu_airtime_us(modulation, rate, bytes, short)]
  p[nzchar(ampdu), airtime_us := bytes / sum(bytes) *
      ppdu_airtime_us(modulation[1L], rate[1L], ampdu_bytes(bytes)), by = .(ampdu, transmitter)]
  back <- c(FALSE, diff(p$time) < 0)
  odd <- which(back | !is.finite(p$airtime_us) | p$airtime_us <= 0)[1L]
  if (!is.na(odd)) {
    input_error(capture, if (back[odd]) "is older than the frame before it" else
                  "has no modulation, rate or length that gives its time on the air",
                "run the trial again", key = paste("frame", p$frame[odd]))
  }
  p[]
}

#' Frames of the device's conversations, with the acknowledgements and retransmissions of 802.11.
#'
#' A frame belongs to the conversations if it carries TCP or UDP to or from the device, or if it has
#' the transmitter and sequence number of one that does (a damaged frame, which is not dissected).
#' An acknowledgement belongs to the frame before it, a CTS to the frame behind it. Beacons, ARP,
#' management and null frames and the traffic of others are excluded.
#'
#' @param p result of [dissect_air()]. @param device IP address. @param mac address of its radio.
#' @return rows of `p` with `role` ("data", "retry", "ack"), `sent` (by the device) and
#'   `received` (addressed to the device's radio: not the way between the access point and a server
#'   on the air).
conversation_frames <- function(p, device, mac) {
  own <- p$transport %in% c("tcp", "udp") & (p$src == device | p$dst == device)
  name <- paste(p$transmitter, p$receiver, p$sequence)
  data <- p$subtype %in% c("0x0020", "0x0028")
  own <- own | (data & name %in% name[own & data])
  control <- p$subtype %in% c("0x0019", "0x001d")
  clear <- p$subtype == "0x001c"
  owner <- cummax(data.table::fifelse(control | clear, 0L, seq_len(nrow(p))))
  answers <- control & owner > 0L & p$transmitter[pmax(owner, 1L)] == p$receiver
  own[answers] <- own[owner[answers]]
  own[clear] <- own[pmin(which(clear) + 1L, nrow(p))]
  sent <- data.table::fifelse(answers, p$receiver[pmax(owner, 1L)] == mac, p$transmitter == mac)
  sent[clear] <- p$receiver[clear] == mac
  received <- !sent & p$receiver == mac
  received[clear] <- !sent[clear] & (p$receiver == mac)[pmin(which(clear) + 1L, nrow(p))]
  out <- p[own]
  again <- out$wlan_retry %in% c("1", "True")
  out[, role := data.table::fcase(control[own] | clear[own], "ack", again, "retry",
                                  default = "data")]
  data.table::set(out, j = c("sent", "received"), value = list(sent[own], received[own]))
  out[]
}

#' When each message's exchange begins on the air, s: with the first attempt of the first frame that
#' carries a part of it, or with the conversation, if the conversation carries no other message
#' (HTTP without keep-alive).
#'
#' @return times; attribute `life` of the conversation: "shared" with other messages, the message's
#'   "own", or "resumed": its own, which resumes a session of TLS or DTLS.
#' @param p result of [dissect_air()].
#' @param device,topic,source,ports see [measure_context()]. @param mac address of its radio: if the
#'   server is on the air, too, the capture has each frame twice, and the device's own transmission
#'   counts.
exchange_starts <- function(p, device, mac, topic, source, ports = NULL) {
  first <- p[!wlan_retry %in% c("1", "True") & (transmitter == mac | receiver == mac)]
  ctx <- measure_context(first, device, topic, source, ports = ports)
  repeats <- first[retransmit == TRUE, frame]
  starts <- unique(message_starts(ctx)[!complete %in% repeats, .(frame, stream)])
  starts[first, time := i.time, on = "frame"]
  starts[, alone := .N == 1L, by = stream]
  opened <- ctx$service[, .(opened = time[1L]), by = stream]
  starts[opened, opened := i.opened, on = "stream"]
  starts[, life := data.table::fcase(!alone, "shared", stream %in% resumed_streams(first),
                                     "resumed", default = "own")]
  starts[, begin := data.table::fifelse(alone, opened, time)]
  each <- unique(starts[order(begin)], by = "begin")
  structure(each$begin, life = each$life)
}

#' Frames and bytes of each exchange on the air, and the time for which it keeps the radio awake.
#'
#' An exchange holds all frames from its start to the start of the next one; the last exchange is
#' left out, since the end of the session follows it. The device listens from the start to the end
#' of the last data frame that it receives, or of its own if it receives none: later frames of its
#' own, such as a delayed TCP acknowledgement, do not need an open receiver before.
#'
#' @param frames result of [conversation_frames()]. @param starts result of [exchange_starts()].
#' @return data.table, one row per exchange, number 0 for what comes before the first (the set-up):
#'   `exchange`, `life`, `frames`, `bytes`, `retries`, `airtime_us`, and of the device's radio
#'   `transmit_us`, `receive_us`, `listen_us` (with nothing of its own on the air), `transmit_uc`,
#'   `receive_uc`, `listen_uc`, and `most_uc`, the three with the greatest published currents.
exchanges <- function(frames, starts) {
  currents <- esp8266_currents_ma
  greatest <- esp8266_greatest_ma
  x <- frames[, .(time, role, sent, received, modulation, bytes, airtime_us,
                  exchange = findInterval(time + 1e-9, starts))]
  of_frame <- function(airtime_us, sent, modulation, currents) {
    charge_uc(airtime_us, data.table::fifelse(sent, currents$transmit[modulation],
                                              currents$receive[modulation]))
  }
  x[, uc := of_frame(airtime_us, sent, modulation, currents)]
  x[, most := of_frame(airtime_us, sent, modulation, greatest)]
  x[, end := time * 1e6 + airtime_us]
  x[, heard := last_heard(end, role != "ack", sent, received), by = exchange]
  out <- x[exchange < length(starts), .(
    frames = .N, bytes = sum(bytes), retries = sum(role == "retry"),
    airtime_us = sum(airtime_us),
    transmit_us = sum(airtime_us[sent]), receive_us = sum(airtime_us[received]),
    listen_us = max(0, heard[1L] - time[1L] * 1e6 -
                      sum(airtime_us[(sent | received) & end <= heard[1L]])),
    transmit_uc = sum(uc[sent]), receive_uc = sum(uc[received]),
    most_uc = sum(most[sent | received])
  ), by = exchange]
  out[, listen_uc := charge_uc(listen_us, currents$listen)]
  out[, life := c("shared", attr(starts, "life"))[exchange + 1L]]
  out[, most_uc := most_uc + charge_uc(listen_us, greatest$listen)]
  data.table::setorder(out, exchange)
  out[]
}

#' End of the last data frame received; of the last one sent, if none is received.
last_heard <- function(end, data, sent, received) {
  heard <- data & received
  max(end[if (any(heard)) heard else if (any(data & sent)) data & sent else data])
}

#' Metrics of a trial's air capture, per message delivered; docs/metrics.md lists them.
#'
#' @param each result of [exchanges()]. @param delivered share of the messages that arrived; NaN if
#'   none was sent.
air_metrics <- function(each, delivered) {
  setup <- each[exchange == 0L]
  each <- each[exchange > 0L]
  if (nrow(each) == 0L || !isTRUE(delivered > 0)) return(NULL)
  mean_of <- function(metric, unit, values) {
    mean_rows(metric, unit, add_moments(NULL, values / delivered))
  }
  per_session <- function(metric, unit, value) metric_row(metric, sum(value), unit, nrow(setup))
  data.table::rbindlist(list(
    mean_of("air_frames_per_message", "frames", each$frames),
    mean_of("air_bytes_per_message", "bytes", each$bytes),
    mean_of("air_retries_per_message", "frames", each$retries),
    mean_of("airtime_per_message_us", "us", each$airtime_us),
    mean_of("airtime_transmit_per_message_us", "us", each$transmit_us),
    mean_of("airtime_with_connection_us", "us", each[life == "own", airtime_us]),
    mean_of("airtime_with_resumed_connection_us", "us", each[life == "resumed", airtime_us]),
    mean_of("listen_per_message_us", "us", each$listen_us),
    mean_of("charge_transmit_per_message_uc", "uC", each$transmit_uc),
    mean_of("charge_receive_per_message_uc", "uC", each$receive_uc),
    mean_of("charge_listen_per_message_uc", "uC", each$listen_uc),
    mean_of("charge_per_message_uc", "uC", each$transmit_uc + each$receive_uc + each$listen_uc),
    mean_of("charge_greatest_per_message_uc", "uC", each$most_uc),
    per_session("air_setup_bytes", "bytes", setup$bytes),
    per_session("charge_setup_uc", "uC", setup$transmit_uc + setup$receive_uc)
  ))
}
