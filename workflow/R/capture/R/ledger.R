# The byte ledger: every captured byte belongs to one account, and the accounts' sum is the capture.

#' Accounts, in the order of the layers.
ledger_accounts <- c("link", "network", "transport", "acknowledgement", "session", "handshake",
                     "record", "header", "properties", "payload", "retransmission", "other")

#' Ledger of a capture as events `ledger_<account>`, whose values sum to the captured bytes.
#'
#' Frames outside the workload's service are `other`. A frame that repeats data (TCP retransmission,
#' repeated CoAP or MQTT-SN message, MQTT DUP, 802.11 retry) is `retransmission`, whole; a TCP
#' retransmission of data that is not yet in the capture does not count as one. A frame that carries
#' nothing of the workload is also attributed as a whole: TCP segments without data and messages
#' that only acknowledge are `acknowledgement`; TCP's handshakes, CONNECT, SUBSCRIBE, keep-alives
#' and the like are `session`; records of TLS and DTLS that carry nothing of the application are
#' `handshake`, in any frame. A frame that carries the workload is split: `link` (everything before
#' the network header and after its packet), `network`, `transport`, the overhead of records
#' (`record`, see [tls_records()]), then the messages' `payload`, their `properties` (MQTT 5, with
#' the length of these), acknowledgements and session messages in the same segment, and the rest:
#' the application's `header`.
ledger_events <- function(ctx) {
  s <- ctx$service
  outside <- events_of("ledger_other", ctx$others, ctx$others$len)
  if (nrow(s) == 0L) return(outside)
  class <- frame_class(ctx)
  whole <- class != "workload"
  carrying <- s[!whole]
  network <- carrying$ip_bytes - carrying$transport_header - carrying$payload
  inside <- ctx$messages[frame %in% carrying$frame]
  sides <- inside[message_class(inside, ctx) != "workload"]
  data.table::rbindlist(list(
    outside,
    events_by(paste0("ledger_", class[whole]), s[whole], s$len[whole]),
    guest_events(ctx, s$frame, class),
    events_of("ledger_link", carrying, carrying$len - carrying$ip_bytes),
    events_of("ledger_network", carrying, network),
    events_of("ledger_transport", carrying, carrying$transport_header),
    record_events(carrying, sides),
    header_events(carrying, inside, sides, ctx),
    events_by(paste0("ledger_", message_class(sides, ctx)), sides, sides$bytes)
  ))
}

#' Records of the handshake in frames that belong to another account as a whole.
guest_events <- function(ctx, frames, class) {
  host <- class[match(ctx$messages$frame, frames)]
  at <- which(ctx$messages$kind == "handshake" & host %in% c("session", "acknowledgement"))
  guests <- ctx$messages[at]
  data.table::rbindlist(list(events_of("ledger_handshake", guests, guests$bytes),
                             events_by(paste0("ledger_", host[at]), guests, -guests$bytes)))
}

#' The overhead of records in the frames that carry the workload.
record_events <- function(carrying, sides) {
  whole <- sides[kind == "handshake"]
  data.table::rbindlist(list(events_of("ledger_record", carrying, carrying$sealed),
                             events_of("ledger_record", whole, -whole$bytes)))
}

#' Payload, properties and header of the frames that carry the workload.
header_events <- function(carrying, inside, sides, ctx) {
  main <- inside[message_class(inside, ctx) == "workload"]
  records <- record_events(carrying, sides)
  data.table::rbindlist(list(
    events_of("ledger_payload", main, main$payload_bytes),
    events_of("ledger_header", carrying, carrying$payload),
    events_of("ledger_properties", main, main$property_bytes),
    events_of("ledger_header", main, -main$payload_bytes - main$property_bytes),
    events_of("ledger_header", sides, -sides$bytes),
    if (!is.null(records)) events_of("ledger_header", records, -records$value)
  ))
}

#' Account of each frame of the service: "workload", or the account of the whole frame.
#'
#' The byte of a keep-alive, or of a repeated probe, is TCP's own (RFC 9293, 3.8.4, 3.8.6.1).
#' A segment that tshark needed for a message completed later is of that message's kind. Payload
#' that no dissector claimed is `session` before a conversation's first workload message (AMQP
#' opens with 8 bytes that are no frame, 4.2.2), and part of the workload's `header` afterwards.
frame_class <- function(ctx) {
  s <- ctx$service
  m <- ctx$messages[frame %in% s$frame]
  m[, class := message_class(m, ctx)]
  rank <- c(workload = 1L, session = 2L, handshake = 3L, acknowledgement = 4L)
  best <- m[, .(class = names(rank)[min(rank[class])], repeated = all(dup)), by = frame]
  at <- match(s$frame, best$frame)
  class <- inherit_class(s, best$class[at], s$segments)
  again <- (s$retransmit & is.na(class)) | s$wlan_retry %in% c("1", "True") |
    best$repeated[at] %in% TRUE
  empty <- s$payload == 0L | (s$keep_alive & is.na(best$class[at]))
  control <- s$syn | s$fin | s$rst | s$keep_alive
  opening <- s$frame < opening_ends(ctx)[s$stream] | nrow(ctx$workload) == 0L
  class <- data.table::fcase(empty & control, "session", empty, "acknowledgement",
                             !is.na(class), class, opening %in% TRUE, "session",
                             default = "workload")
  class[again] <- "retransmission"
  inherit_class(s, class, s$fragments, all = TRUE)
}

#' Frame in which the first workload message of each conversation begins.
opening_ends <- function(ctx) {
  first <- unique(ctx$workload[order(begun)], by = "stream")
  stats::setNames(first$begun, first$stream)
}

#' Give the earlier segments of a message, or all fragments of a packet, the class of the frame that
#' completes it.
#'
#' @param parts joined frame numbers, for each frame. @param all also those that have a class.
inherit_class <- function(s, class, parts, all = FALSE) {
  parts <- split_list(parts)
  owner <- rep(seq_along(parts), lengths(parts))
  piece <- match(as.integer(unlist(parts)), s$frame)
  inherits <- !is.na(piece)
  if (!all) inherits[inherits] <- is.na(class[piece[inherits]])
  class[piece[inherits]] <- class[owner[inherits]]
  class
}

#' Account of each message: "workload", "acknowledgement", "handshake" or "session".
message_class <- function(m, ctx) {
  pair <- m$kind %in% c("request", "response")
  data.table::fcase(m$kind == "ack", "acknowledgement", m$kind == "handshake", "handshake",
                    m$kind == "data" | (pair & ctx$protocol %in% request_protocols()), "workload",
                    default = "session")
}

#' Ledger of reduced events: bytes by account, and the bytes captured.
#'
#' @param sums named sums of the events.
#' @return named numeric in the order of [ledger_accounts]. An error if an account is negative,
#'   which means that a dissector counted a byte twice.
ledger_of <- function(sums, source = "capture") {
  names <- paste0("ledger_", ledger_accounts)
  values <- sums[names]
  values[is.na(values)] <- 0
  if (any(values < 0)) {
    account <- ledger_accounts[which(values < 0)[1L]]
    input_error(source, paste0("the byte ledger does not close: account '", account,
                               "' is negative"),
                "the capture holds messages that overlap; check --ports")
  }
  stats::setNames(values, ledger_accounts)
}
