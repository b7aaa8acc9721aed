# Protocols on ports of their own: what the first bytes of unknown payload say.

#' Guess the protocols of the device's ports that no dissector took.
#'
#' @param p packets table. @param device IP addresses of the device, or of all ends.
#' @param packets how many packets of unknown payload to look at.
#' @return named integer vector for `ports` of [dissect()]; NULL if nothing is recognised.
guess_ports <- function(p, device, packets = 2000L) {
  rows <- head(p[nzchar(data) & (src %in% device | dst %in% device)], packets)
  guesses <- data.table::rbindlist(list(guess_side(rows[transport == "tcp"], guess_tcp),
                                        guess_side(rows[transport == "udp"], guess_udp)))
  if (nrow(guesses) == 0L) return(NULL)
  stats::setNames(guesses$port, guesses$protocol)
}

#' Guess per server port: of the two ports of a conversation the one that more conversations share,
#' or the lower. UDP protocols have no opening of their own, so nearly all datagrams must agree.
guess_side <- function(rows, guess) {
  if (nrow(rows) == 0L) return(NULL)
  ends <- data.table::data.table(port = c(rows$sport, rows$dport),
                                 other = c(rows$dport, rows$sport), data = rep(rows$data, 2L))
  ends[, protocol := guess(data)]
  known <- ends[!is.na(protocol)]
  if (nrow(known) == 0L) return(NULL)
  votes <- ends[port %in% known$port,
                .(others = data.table::uniqueN(other), share = mean(!is.na(protocol)),
                  protocol = most_common(protocol[!is.na(protocol)])), by = port]
  if (identical(guess, guess_udp)) votes <- votes[share >= 0.9]
  data.table::setorder(votes, -others, port)
  head(votes[, .(port, protocol)], 1L)
}

#' TCP: an opening that only one protocol has.
guess_tcp <- function(hex) {
  data.table::fcase(
    grepl("^10.{2,8}00044d515454|^10.{2,8}00064d5149736470", hex), "mqtt",
    grepl("^414d5150000009", hex), "amqp",
    grepl("^(474554|504f5354|505554|48454144|44454c455445)20", hex), "http",
    grepl("^1603(00|01|02|03)", hex), "tls",
    default = NA_character_)
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
