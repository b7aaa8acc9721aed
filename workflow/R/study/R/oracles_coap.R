# Oracles of CoAP: message IDs and the back-off of retransmissions.

#' EXCHANGE_LIFETIME and NON_LIFETIME, s (RFC 7252, 4.8.2), and ACK_TIMEOUT, s, MAX_RETRANSMIT
#' (4.8).
coap_lifetime_s <- c(CON = 247, NON = 145)
coap_ack_timeout_s <- 2
coap_max_retransmit <- 4L
#' The share of a timeout that counts as too early.
coap_tolerance <- 0.9

#' Within this time a device sends what has waited for an answer of ARP, s.
released_within_s <- 0.001

#' Kinds of faults that change the times between the copies of a frame.
timing_faults <- c("duplicate", "delay", "reorder", "rate_limit")

#' The oracles of a capture with CoAP; NULL for others.
#'
#' `message_id_violations`: messages of the device with the message ID of another one within its
#' lifetime (RFC 7252, 4.4). `backoff_violations`: copies of a confirmable message that came earlier
#' after the one before than ACK_TIMEOUT, doubled for each earlier copy, allows, or after
#' MAX_RETRANSMIT of them (4.2). Copies that were lost before the capture make times longer, so they
#' raise no alarm. Not counted are times that overlap a fault which changes them, the device's first
#' messages after a fault that hid them, which have waited together for an answer of ARP, and
#' damaged messages, see [undamaged()]. A device that was reset does not know the IDs of before.
#'
#' @param ctx result of [oracle_context()]. @param spans result of [fault_spans()].
coap_oracles <- function(ctx, spans) {
  m <- ctx$messages[protocol == "coap" & outward == TRUE & type %in% names(coap_lifetime_s)]
  if (nrow(m) == 0L) return(NULL)
  m <- undamaged(m[order(frame)], ctx, spans)
  m[, start := findInterval(time, spans[kind == "device_reset", from])]
  m[, life := coap_lifetime_s[type]]
  m[, `:=`(age = time - data.table::shift(time), lived = data.table::shift(life)),
    by = .(start, sport, dst, dport, id)]
  m[, use := cumsum(!dup), by = .(start, sport, dst, dport, id)]
  copies <- m[type == "CON"]
  copies[, opens := min(time), by = .(start, dst)]
  copies[, `:=`(before = data.table::shift(time), turn = seq_len(.N) - 1L),
         by = .(start, sport, dst, dport, id, use)]
  hidden <- min(spans[kind %in% hiding_faults, from], Inf)
  released <- copies[, before == opens & before >= hidden & time - before < released_within_s]
  again <- copies[turn > 0L & !released]
  timing <- spans[kind %in% timing_faults, .(from, to = to + arrival_s)]
  again <- again[!disturbed(before, time, timing)]
  early <- again[, time - before < coap_tolerance * coap_ack_timeout_s * 2^(turn - 1L)]
  rbind(
    metric_row("message_id_violations", m[dup == FALSE, sum(age < lived, na.rm = TRUE)],
               "messages", nrow(m)),
    metric_row("backoff_violations", sum(early | again$turn > coap_max_retransmit), "messages",
               nrow(copies))
  )
}
