# Protocols on nonstandard ports, recognised by the first bytes of unknown payload.

#' Guess the protocols of the device's ports that no dissector handles.
#'
#' Only packets whose whole payload no dissector handled are examined: the contents of a known
#' protocol's message say nothing about its port. A port on which dissectors read more packets than
#' they leave unread keeps their result.
#'
#' @param p packets table. @param device IP addresses of the device, or of all ends.
#' @param packets how many packets of unknown payload to examine.
#' @return named integer vector for `ports` of [dissect()]; NULL if nothing is recognised.
guess_ports <- function(p, device, packets = 2000L) {
  mine <- p[payload > 0L & transport != "other" & (src %in% device | dst %in% device)]
  rows <- head(mine[is_unread(mine)], packets)
  if (nrow(rows) == 0L) return(NULL)
  rows[, port := server_ports(rows)]
  rows <- rows[!paste(transport, port) %in% dissected_ports(mine)]
  tcp <- rows[transport == "tcp"]
  udp <- rows[transport == "udp"]
  guesses <- data.table::rbindlist(list(
    guess_openings(tcp, p[syn == TRUE, unique(stream)]),
    guess_side(tcp, guess_flow(tcp$data)), guess_side(udp, guess_udp(udp$data))))
  guesses <- unique(guesses, by = c("transport", "port"))
  if (nrow(guesses) == 0L) NULL else stats::setNames(guesses$port, guesses$protocol)
}

#' Is the whole payload of a packet unknown to tshark? The contents of a message follow its protocol
#' in `protocols`.
is_unread <- function(p) nzchar(p$data) & grepl(":(tcp|udp):data$", p$protocols)

#' Ports, as "tcp 80", on which dissectors read at least as many packets as they leave unread.
dissected_ports <- function(p) {
  read <- shows_application(p) | nzchar(p$tls_len) | nzchar(p$dtls_len)
  votes <- data.table::data.table(end = paste(rep(p$transport, 2L), c(p$sport, p$dport)),
                                  read = rep(read, 2L), unread = rep(is_unread(p), 2L))
  votes[, .(read = sum(read), unread = sum(unread)), by = end][read > 0 & read >= unread, end]
}

#' TCP ports without dissected payload: a dissector is registered for the port but handled none of
#' it.
#'
#' @return named integer vector that makes [dissect()] show the payload.
silent_ports <- function(p, device) {
  rows <- p[transport == "tcp" & payload > 0L & (src == device | dst == device)]
  if (nrow(rows) == 0L) return(NULL)
  rows[, port := server_ports(rows)]
  silent <- rows[, .(silent = all(endsWith(protocols, ":tcp"))), by = port][silent == TRUE, port]
  stats::setNames(silent, rep("tcp", length(silent)))
}

#' Ports on which an HTTP handshake opened WebSockets, since later parts of a capture lack it.
#'
#' @return named integer vector for `ports` of [dissect()]; NULL if there is none.
opened_websockets <- function(p) {
  rows <- p[nzchar(ws_opcode) & transport == "tcp" & !nzchar(tls_len)]
  if (nrow(rows) == 0L) return(NULL)
  ports <- unique(server_ports(rows))
  stats::setNames(ports, rep("websocket", length(ports)))
}

#' Protocol of each server port that nearly all of its packets, and more than one, agree on.
#'
#' @param found the guess for each row, NA for none.
guess_side <- function(rows, found) {
  if (all(is.na(found))) return(NULL)
  rows <- data.table::copy(rows)[, protocol := found]
  votes <- rows[, .(agree = mean(!is.na(protocol)), N = .N,
                    protocol = most_common(protocol)), by = .(transport, port)]
  votes[!is.na(protocol) & agree >= 0.9 & N > 1L, .(transport, port, protocol)]
}

#' Protocol of each TCP port whose conversations begin as only one protocol does. A conversation is
#' weighted by its packets, so that a port scanner with another protocol does not decide.
#'
#' @param rows packets of unknown payload with `port`.
#' @param begun the conversations whose beginning was captured; one that does not open with a known
#'   protocol also counts.
guess_openings <- function(rows, begun) {
  if (nrow(rows) == 0L) return(NULL)
  rows <- data.table::copy(rows)[, protocol := guess_tcp(data)]
  talks <- rows[, .(N = .N, protocol = opening_of(protocol)), by = .(transport, port, stream)]
  talks <- talks[!is.na(protocol) | stream %in% begun]
  votes <- talks[, .(N = sum(N)), by = .(transport, port, protocol)][order(-N, protocol)]
  unique(votes, by = c("transport", "port"))[!is.na(protocol), .(transport, port, protocol)]
}

#' The protocol with which a conversation opens, or with which at least half of its packets begin.
#'
#' @param found the guess for each of its packets, NA for none.
opening_of <- function(found) {
  if (!is.na(found[1L])) return(found[1L])
  best <- most_common(found)
  if (mean(found %in% best) >= 0.5) best else NA_character_
}

#' TCP: openings that are unique to one protocol.
guess_tcp <- function(hex) {
  data.table::fcase(
    grepl("^10.{2,8}00044d515454|^10.{2,8}00064d5149736470", hex), "mqtt",
    grepl("^414d5150000009", hex), "amqp",
    grepl("^(474554|504f5354|505554|48454144|44454c455445)20|^485454502f312e3[01]20", hex), "http",
    grepl("^(14|15|16|17)03(00|01|02|03|04)[0-4]", hex), "tls",
    default = NA_character_)
}

#' TCP in the middle of a session: segments that consist exactly of whole MQTT packets, AMQP or
#' WebSocket frames.
guess_flow <- function(hex) {
  fills <- function(frame_digits) vapply(hex, fills_segment, NA, frame_digits, USE.NAMES = FALSE)
  data.table::fcase(fills(mqtt_digits), "mqtt", fills(amqp_digits), "amqp",
                    fills(websocket_digits), "websocket", default = NA_character_)
}

#' Do frames fill a segment? @param digits function of the rest that gives the hexadecimal digits of
#'   its first frame, NA if it begins with none.
fills_segment <- function(hex, digits) {
  while (nzchar(hex)) {
    size <- digits(hex)
    if (is.na(size) || size > nchar(hex)) return(FALSE)
    hex <- substr(hex, size + 1L, nchar(hex))
  }
  TRUE
}

#' Hexadecimal of a printable character in UTF-8 (RFC 3629, 4), as topics are made of.
printable <- "([2-6].|7[0-9a-e]|(c[2-9a-f]|d.|e.[89ab].|f[0-4][89ab].[89ab].)[89ab].)"

#' MQTT 3.1.1, 2.2: valid types and flags; a PUBLISH begins with a topic of printable text.
mqtt_digits <- function(hex) {
  if (!grepl("^(10|20|3[0-5a-d]|40|50|62|70|82|90|a2|b0|c000|d000|e0)", hex)) return(NA)
  bytes <- strtoi(substring(hex, c(3L, 5L, 7L, 9L), c(4L, 6L, 8L, 10L)), 16L)
  used <- which(bytes < 128L)[1L]
  if (is.na(used)) return(NA)
  length <- sum(bitwAnd(bytes[seq_len(used)], 127L) * 128^(seq_len(used) - 1L))
  at <- 3L + 2L * used
  topic <- strtoi(substr(hex, at, at + 3L), 16L)
  name <- substr(hex, at + 4L, at + 3L + 2L * min(topic, 200L))
  if (startsWith(hex, "3") && !(topic %in% seq_len(length) &&
                                  grepl(paste0("^", printable, "*$"), name))) {
    return(NA)
  }
  at - 1L + 2 * length
}

#' AMQP 0-9-1, 4.2.3: type, channel, size, and an end byte.
amqp_digits <- function(hex) {
  size <- 16 + 2 * strtoi(substr(hex, 7L, 14L), 16L)
  whole <- grepl("^0[1238]", hex) && !is.na(size) && size <= nchar(hex) &&
    substr(hex, size - 1L, size) == "ce"
  if (whole) size else NA
}

#' RFC 6455, 5.2: a final frame of text, data, close, ping or pong.
websocket_digits <- function(hex) {
  if (!grepl("^8[1289a]", hex)) return(NA)
  second <- strtoi(substr(hex, 3L, 4L), 16L)
  length <- bitwAnd(second, 127L)
  wide <- c(0L, 2L, 8L)[1L + (length == 126L) + 2L * (length == 127L)]
  if (wide > 0L) length <- strtoi(substr(hex, 5L, 4L + 2L * wide), 16L)
  4 + 2 * wide + 8 * (second > 127L) + 2 * length
}

#' UDP: a CoAP header of version 1 with a token of at most 8 bytes and a known code class; an
#' MQTT-SN message whose length is the datagram's; DTLS records.
guess_udp <- function(hex) {
  bytes <- nchar(hex) / 2
  first <- strtoi(substr(hex, 1L, 2L), 16L)
  second <- strtoi(substr(hex, 3L, 4L), 16L)
  coap <- !is.na(second) & bytes >= 4 & bitwShiftR(first, 6L) == 1L & bitwAnd(first, 15L) <= 8L &
    (second %in% 0:7 | bitwShiftR(second, 5L) %in% c(2L, 4L, 5L))
  mqttsn <- !is.na(second) & first == bytes & first >= 2 & second <= 0x1d
  data.table::fcase(grepl("^(14|15|16|17|18)fe(ff|fd)", hex), "dtls", mqttsn, "mqttsn",
                    coap, "coap", default = NA_character_)
}
