# Malformed packets: what tshark or a rule of the protocol's specification calls so.

#' Event `malformed`, one for each frame of the service that holds a malformed packet.
#'
#' tshark marks what its dissector cannot read to the end. Beyond it MQTT's fixed header is checked
#' here, since tshark accepts any. Bytes that a session leaves unfinished are not malformed: the
#' device may have been cut off.
#'
#' @param ctx result of [measure_context()].
malformed_events <- function(ctx) {
  s <- ctx$service
  events_of("malformed", s[malformed | invalid_mqtt(s)])
}

#' Clear `malformed` where tshark only does not know an option of CoAP. A receiver ignores such an
#' option or refuses the message (RFC 7252, 5.4.1): the message is well-formed. Wireshark 4.0 does
#' not know Echo (RFC 9175).
#'
#' @param p packets table, which changes.
forgive_unknown_options <- function(p) {
  rows <- which(nzchar(p$coap_unknown) | nzchar(p$oscore_unknown))
  unknown <- lengths(split_list(p$coap_unknown[rows])) + lengths(split_list(p$oscore_unknown[rows]))
  bad <- vapply(split_list(p$remarks[rows]), function(x) sum(x == malformed_group), 0L)
  data.table::set(p, rows, "malformed", bad > unknown)
}

#' PI_MALFORMED of Wireshark (epan/proto.h).
malformed_group <- "117440512"

#' Does a frame hold an MQTT packet with an invalid fixed header (MQTT 3.1.1, 2.2.1 and 2.2.2; MQTT
#' 5, 2.1.2 and 2.1.3): a reserved type, flags that its type does not have, or QoS 3?
#'
#' @param p packets table. @return logical, one for each row.
invalid_mqtt <- function(p) {
  out <- rep(FALSE, nrow(p))
  flags <- split_list(p$mqtt_flags)
  header <- strtoi(unlist(flags), 16L)
  if (!length(header)) return(out)
  type <- bitwShiftR(header, 4L)
  low <- bitwAnd(header, 15L)
  fifth <- any(p$mqtt_level == "5")
  needs_two <- type %in% c(6L, 8L, 10L) # PUBREL, SUBSCRIBE, UNSUBSCRIBE
  bad <- type == 0L | (type == 15L & !fifth) | (type == 3L & bitwAnd(low, 6L) == 6L) |
    (type != 3L & low != data.table::fifelse(needs_two, 2L, 0L))
  out[unique(rep(seq_along(flags), lengths(flags))[bad])] <- TRUE
  out
}
