# Who sent each message of a capture, by its payload. A device that reads only the first message of
# each TCP segment (KU Leuven, 4.1) hears of some clients more than of others.

#' Payloads that state their sender and number: KU Leuven's (its MQTT/main.c: "MQTT client #3 send
#' message 17") and the laboratory's (hil/design/payload.py).
sender_forms <- c("^MQTT client #([0-9]+) send message [0-9]+$",
                  "^([!-9;-~]{1,23}) [0-9]{1,10} [0-9]+ ?[.]*$",
                  "^([!-9;-~]{0,23}):[0-9]{1,10}[.]*$")

#' The senders of payloads.
#'
#' @param hex first bytes of payloads, hexadecimal, with or without colons; NA where unknown.
#' @return character vector; NA for payloads of other forms.
payload_senders <- function(hex) {
  plain <- sub("(00)+$", "", gsub(":", "", hex, fixed = TRUE)) # C's end of a string
  text <- vapply(plain, hex_text, "", USE.NAMES = FALSE)
  out <- rep(NA_character_, length(hex))
  for (form in sender_forms) {
    mine <- is.na(out) & grepl(form, text, perl = TRUE)
    out[mine] <- sub(form, "\\1", text[mine], perl = TRUE)
  }
  out
}

#' Does a trial's device receive a stream of messages from several clients?
has_segments_of_clients <- function(bundle) {
  parameters <- bundle$trial$parameters
  identical(parameters$role, "subscribe") && isTRUE(parameters$clients > 1L)
}

#' Share of each client's messages that come first in their TCP segment.
#'
#' A segment's first message is the first of the workload: KU Leuven counts segments so.
#'
#' @param ctx result of [measure_context()]. @param packets its packets, with the column `body`.
#' @return data.table `sender`, `messages`, `first` (%), sorted by `sender`; NULL where the device
#'   receives no stream of messages, or where fewer than two senders are known.
client_segments <- function(ctx, packets) {
  rows <- ctx$workload
  if (ctx$direction != "to" || ctx$transport != "tcp" || !"body" %in% names(packets) ||
        ctx$protocol %in% request_protocols()) {
    return(NULL)
  }
  all <- ctx$messages[outward == FALSE & payload_bytes > 0 & frame %in% rows$frame]
  bodies <- split_list(packets$body[match(unique(all$frame), packets$frame)])
  all[, hex := take_values(match(frame, unique(frame)), rep(1L, .N), bodies)]
  mine <- all[rows[dup == FALSE, .(frame, position)], on = c("frame", "position"), nomatch = NULL]
  mine[, sender := payload_senders(hex)]
  if (anyNA(mine$sender) || data.table::uniqueN(mine$sender) < 2L) return(NULL)
  mine[, leads := position == min(position), by = frame]
  mine[, .(messages = .N, first = 100 * mean(leads)), keyby = sender]
}

#' Metrics of [client_segments()]: see docs/metrics.md.
client_segment_metrics <- function(clients) {
  if (is.null(clients)) return(NULL)
  rbind(over_clients("client_first_of_segment_%s_pct", clients$first, "%"),
        metric_row("clients_never_first", sum(clients$first == 0), "clients", nrow(clients)))
}

#' The sample `client_first_of_segment_pct`: a value for each client.
#'
#' @param clients result of [client_segments()].
client_segment_samples <- function(clients) {
  if (is.null(clients)) return(NULL)
  data.table::data.table(sample = "client_first_of_segment_pct", value = clients$first)
}
