# The report of the study `limits`: the largest payloads over each protocol, and the room that they
# leave in a frame.

#' @param study see [make_report()].
report_limits <- function(study) {
  list(tables = list(table = limits_table(summarise_limits(study$metrics, study$factors))))
}

#' Largest IP packet of the link, bytes.
link_mtu <- 1500

#' One row per trial, repetitions pooled.
#'
#' @param metrics,factors tables of the study.
#' @return data.table `protocol` (name, with the block size where there is one), `transport`,
#'   `payload`, `made`, `delivered`, `packets` (per message sent), `largest` (IP packet of the
#'   device, bytes), `room` (bytes that a frame has left; NA where TCP or blocks cut the message).
summarise_limits <- function(metrics, factors) {
  wide <- wide_factors(factors)
  for (name in setdiff("block_bytes", names(wide))) wide[, block_bytes := NA_character_]
  check_shown(wide, c("protocol", "payload_bytes", "block_bytes"), "limits")
  blocks <- !is.na(wide$block_bytes) & wide$block_bytes != "0"
  wide[, name := protocol_values("label")[protocol]]
  wide[blocks, name := sprintf("%s, blocks of %s", name, block_bytes)]
  wide[, `:=`(stream = protocol_uses_tcp(protocol), cut = protocol_uses_tcp(protocol) | blocks)]
  wide[, place := match(protocol, names(protocol_table())) + 0.5 * blocks]
  values <- data.table::dcast(metrics, study + trial ~ metric, value.var = "value")
  both <- values[wide, on = c("study", "trial")]
  both[, .(
    transport = if (stream[1L]) "TCP" else "UDP", made = sum(made), delivered = sum(delivered),
    packets = sum(packets_per_message * messages) / sum(sent),
    largest = max(largest_packet_bytes),
    room = if (cut[1L]) NA_real_ else link_mtu - max(largest_packet_bytes)
  ), by = .(payload = as.numeric(payload_bytes), place, protocol = name)][
    order(payload, place)][, place := NULL][]
}

#' The same as a LaTeX table.
limits_table <- function(x) {
  cells <- cbind(x$protocol, x$transport, latex_number(x$payload),
                 paste0(latex_number(x$delivered), " of ", latex_number(x$made)),
                 latex_number(x$packets, 1L), latex_number(x$largest), latex_number(x$room))
  latex_table(cells, "@{}llrrrrr@{}",
              c("", "over", "payload", "arrived", "packets", "largest", "room"))
}
