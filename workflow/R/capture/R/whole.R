# Findings about a capture as a whole: missing and duplicated packets.

#' A finding about the whole capture, see [integrity_findings()].
#'
#' @param text what was found; NULL: nothing. @param distorts what of a result it may change.
whole_finding <- function(text, distorts) {
  if (is.null(text)) no_findings else file_finding("", text, distorts, fatal = FALSE)
}

#' Duplicated packets.
stand_twice <- function(copies) {
  whole_finding(if (copies > 0L) paste(
    copies, "packets stand twice, as if two interfaces were recorded; the second copies count as",
    "frames of nobody"), "nothing, unless they were sent twice")
}

#' TCP segments missing from the capture.
unseen_segments <- function(metrics) {
  unseen <- metrics[metric == "unseen_segments", value]
  whole_finding(if (unseen > 0) paste0(
    "TCP segments are missing from the capture (", count_text(unseen, "frame shows", "frames show"),
    " it); counts are too low"), "messages, bytes and losses")
}

#' A capture with one direction only: it shows no answers.
#'
#' @param ways packets c(from, to) the device.
one_way <- function(ways, device) {
  missing <- c("from", "to")[ways == 0]
  whole_finding(if (length(missing)) paste0(
    "holds no packet ", missing, " ", device, ": its losses are those of the capture"), "losses")
}

#' A first or last packet whose distance from the others is more than ten times their own span.
#'
#' @param f packets table.
far_packets <- function(f) {
  gaps <- diff(f$time)
  n <- length(gaps)
  if (n < 10L) return(no_findings)
  far <- c(gaps[1L], gaps[n]) > 10 * max(gaps[-c(1L, n)], 0.1)
  one <- function(i, text) {
    whole_finding(if (far[i]) sprintf(text, format_short(round(gaps[c(1L, n)[i]], 1))),
                  time_distorts)
  }
  rbind(one(1L, "its first packet is %s s before all others"),
        one(2L, "its last packet is %s s after all others"))
}

#' The end of a capture in the middle of an exchange, as if it was cut between two packets: in its
#' last second (RFC 6298, 2.1: the initial timeout) there is TCP data that the other side has not
#' acknowledged, or in its last 2 s (RFC 7252, 4.8: ACK_TIMEOUT) a request without response or a
#' confirmable CoAP response without acknowledgement.
#'
#' @param ctx context of the capture's last part.
torn_end <- function(ctx) {
  end <- max(c(ctx$packets$time, ctx$others$time))
  late <- ctx$service[time > end - 1 & transport == "tcp" & payload > 0L & !keep_alive]
  open <- nrow(unacknowledged_segments(late, ctx$service)) + open_exchanges(ctx, end - 2)
  whole_finding(if (open > 0L) paste0(
    "it ends before ", count_text(open, "message or segment", "messages or segments"),
    " of its last exchanges ", if (open > 1L) "were" else "was",
    " answered: packets at the end may be missing"), "counts and losses at the end")
}

#' Number of requests (HTTP, confirmable CoAP) after a time that got no response, and of confirmable
#' responses that got no acknowledgement.
open_exchanges <- function(ctx, after) {
  if (!ctx$protocol %in% request_protocols()) return(0L)
  m <- ctx$messages[protocol == ctx$protocol]
  requests <- ctx$workload[dup == FALSE & time > after & type != "NON"]
  answer <- response_times(ctx, requests)
  confirmable <- m[kind == "response" & type == "CON" & time > after]
  acks <- m[type == "ACK"]
  sum(is.na(answer)) + sum(is.na(first_reply(confirmable, acks, confirmable$id, acks$id)))
}
