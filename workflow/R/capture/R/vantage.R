# The vantage point of a capture, which decides what its times mean.

#' The shortest time in which each end acknowledges, s; Inf if TCP does not show it.
#'
#' The time from a segment to its acknowledgement includes the path to an end and back, except for
#' the end at which the capture was made. The shortest one counts, since acknowledgements can be
#' delayed.
#'
#' @param s packets of the service. @param ctx its context.
#' @return c(device = , peer = ).
acknowledged_within <- function(s, ctx) {
  known <- s[!is.na(ack_rtt) & ack_rtt >= 0]
  own <- if (all(s$src == s$dst)) known$dport == ctx$port else known$src == ctx$device
  c(device = min(Inf, known$ack_rtt[own]), peer = min(Inf, known$ack_rtt[!own]))
}

#' The factor by which the near end must acknowledge faster: a shorter path alone is no proof.
near_ratio <- 4

#' Where a capture was made.
#'
#' @param within result of [acknowledged_within()]. @param direction of the workload, "" if none.
#' @return list: `place` ("device", "peer", "between", "unknown"), `text` (place, and what the
#'   times are there), `chosen` (how it was decided).
vantage_point <- function(within, direction) {
  place <- if (!all(is.finite(within))) "unknown" else
    if (near_ratio * within[["device"]] < within[["peer"]]) "device" else
      if (near_ratio * within[["peer"]] < within[["device"]]) "peer" else "between"
  answers <- if (direction == "to") "device" else "peer"
  where <- c(device = "at the device", peer = "at the other end", between = "between the ends",
             unknown = "not known")[[place]]
  of_answers <- if (place == answers) "without the network" else
    if (place %in% c("device", "peer")) "with the whole network" else
      if (place == "between") "with the way to the answering end alone" else
        "with the network only if the capture was made at the asking end"
  of_device <- if (place == "device") "; device_ack_rtt without the network"
  least <- format_short(1000 * within[is.finite(within)])
  named <- c(device = "the device", peer = "the other end")[names(within)[is.finite(within)]]
  list(place = place,
       text = paste0(where, ": times to an ACK or response are ", of_answers, of_device),
       chosen = if (length(least)) {
         paste("guessed: least time to a TCP ACK,", paste0(named, " ", least, " ms",
                                                           collapse = ", "))
       } else {
         "no TCP ACK to decide by"
       })
}

#' The items of a header with the vantage point of a bundle, which is known.
#'
#' @param items see [capture_header()].
at_the_servers <- function(items) {
  direction <- sub(" .*$", "", items[item == "direction", value])
  known <- vantage_point(c(device = 1, peer = 0), direction)
  data.table::copy(items)[item == "vantage", `:=`(
    value = known$text, chosen = "a bundle: the laboratory captures at its servers")][]
}
