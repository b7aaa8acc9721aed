# Records of TLS and DTLS: their own bytes in a frame, and the bytes that they carry.

#' One row per record, in the order of the frames.
#'
#' @param p packets table with its streams.
#' @return data.table `at` (row of `p`), `stream`, `src`, `sport`, `frame`, `protocol` ("tls",
#'   "dtls"), `type` (RFC 8446, B.1; the inner one where tshark has opened the record), `bytes`
#'   (with header), `length` (without), `data` (it carries the application's data), `read` (the
#'   capture has the session's keys), `around` (bytes that are not known to be content), `tag`
#'   (those of them that authenticate the content; NA where the content is not known).
tls_records <- function(p) {
  r <- data.table::rbindlist(list(
    record_rows(p, p$tls_type, p$tls_opaque, p$tls_len, "tls", 5),
    record_rows(p, p$dtls_type, p$dtls_special, p$dtls_len, "dtls", 13)))
  if (nrow(r) == 0L) return(r)
  data.table::setorder(r, at)
  add_connection_ids(p, r)
  r[, data := type %in% c("23", "25")]
  r[, data := data & !sealed_handshake(r)]
  r[, read := stream %in% unique(p$stream[shows_application(p)])]
  suites <- session_suites(p, r)
  grows <- record_expansion(suites) + (r$cid > 0) # the inner type
  known <- r$data & r$read & !is.na(grows)
  grows[!known] <- 0
  r[, tag := data.table::fifelse(known, record_tag(suites), NA_real_)]
  r[, around := data.table::fifelse(data, pmin(bytes - length + grows, bytes), bytes)]
  r[]
}

#' Bytes of the connection IDs in the headers of records (RFC 9146, 4), as the column `cid`: for the
#' last records of a frame, since each side has an ID in everything that it encrypts. They belong to
#' the header.
add_connection_ids <- function(p, records) {
  ids <- split_list(p$dtls_cid[records$at])
  last <- records[, .(place = .N - seq_len(.N)), by = .(at, protocol)]$place
  has <- records$protocol == "dtls" & last < lengths(ids)
  size <- vapply(ids[has], function(x) nchar(gsub(":", "", x[1L], fixed = TRUE)) / 2, 0)
  records[, cid := 0]
  records[has, `:=`(cid = size, bytes = bytes + size)]
}

#' Rows of the records of one protocol. In a frame with both kinds, records with a plain type come
#' first: each side of TLS 1.3, and of DTLS with a connection ID, has an inner type in everything
#' that it encrypts. For a decrypted record tshark prints the inner type as the plain one.
#'
#' @param plain,sealed joined record types, in clear and outer ones. @param sizes joined lengths.
#' @param header bytes of a record's header.
record_rows <- function(p, plain, sealed, sizes, protocol, header) {
  at <- which(nzchar(sizes))
  if (length(at) == 0L) return(NULL)
  length <- split_list(sizes[at])
  plain <- split_list(plain[at])
  sealed <- split_list(sealed[at])
  count <- lengths(length)
  types <- Map(c, plain, sealed)
  odd <- lengths(types) != count
  types[odd] <- Map(function(x, n) rep_len(x, n), sealed[odd], count[odd])
  opened <- lengths(plain) == count
  types[opened] <- plain[opened]
  place <- rep(seq_along(count), count)
  length <- as.numeric(unlist(length))
  rows <- data.table::data.table(
    at = at[place], protocol = protocol, type = unlist(types), bytes = length + header,
    length = length, sealed = sequence(count) > lengths(plain)[place])
  columns <- c("stream", "src", "sport", "frame")
  rows[, (columns) := p[rows$at, columns, with = FALSE]]
  rows[!is.na(bytes)]
}

#' Encrypted handshake records of TLS 1.3: without keys they look like application data (RFC 8446, 2
#' and 4.6.1). If the beginning was captured, these are the client's first record (Finished) and the
#' server's records up to the client's second: its part of the handshake and tickets. A later
#' ticket, or a server that sends data first, cannot be detected.
#'
#' @param records with `data`: type 23, and `sealed`: it has an outer type.
sealed_handshake <- function(records) {
  r <- records[, .(stream, end = paste(src, sport), open = !data, shut = data & sealed)]
  r[, from_client := end == end[1L] & any(open) & open[1L], by = stream]
  r[, begun := any(open) && open[1L], by = stream]
  r[, sent := cumsum(shut & from_client), by = stream]
  r[, begun & shut & sent < 2L]
}

#' Does a frame show the contents of a record, or an application without TLS?
shows_application <- function(p) {
  nzchar(p$mqtt_flags) | nzchar(p$amqp_type) | nzchar(p$http_method) | nzchar(p$http_status) |
    nzchar(p$ws_opcode) | nzchar(p$mqttsn_type) | nzchar(p$raw_type) | !is.na(p$coap_type)
}

#' Cipher suite of each record's session, hexadecimal: from the last ServerHello before it in its
#' conversation. NA if none was captured.
session_suites <- function(p, records) {
  types <- split_list(paste0(p$tls_handshake, p$dtls_handshake))
  answers <- which(vapply(types, function(x) "2" %in% x, NA))
  suites <- split_list(paste0(p$tls_suite, p$dtls_suite)[answers])
  hello <- data.table::data.table(stream = p$stream[answers], frame = p$frame[answers],
                                  suite = vapply(suites, function(x) c(x, NA)[1L], ""))
  hello[records, on = .(stream, frame), roll = TRUE, mult = "last", suite]
}

#' Bytes by which a record is longer than its content: explicit nonce and tag, in TLS 1.3 also the
#' inner type. NA for suites that pad (CBC) and for unknown ones.
#'
#' @param suite hexadecimal (RFC 5288, 5289, 5487, 6655, 7251, 7905, 8442; RFC 8446, 5.2 and B.4).
record_expansion <- function(suite) {
  code <- strtoi(suite, 16L)
  within <- function(...) code %in% c(...)
  data.table::fcase(within(0x1301:0x1305), 1,
                    within(0x009c:0x00ad, 0xc02b:0xc032, 0xd001:0xd002), 8,
                    within(0xc09c:0xc0af, 0xd003, 0xd005), 8,
                    within(0xcca8:0xccae), 0) + record_tag(suite)
}

#' Bytes of a record's tag: 8 for the suites with a short one (CCM_8), otherwise 16.
#'
#' @param suite hexadecimal, of those that [record_expansion()] knows.
record_tag <- function(suite) {
  short <- c(0x1305, 0xc0a0:0xc0a3, 0xc0a8:0xc0ab, 0xc0ae:0xc0af, 0xd003)
  data.table::fifelse(strtoi(suite, 16L) %in% short, 8, 16)
}

#' Bytes of each packet's payload that belong to TLS or DTLS and are not known to be content: see
#' `around` of [tls_records()].
sealed_bytes <- function(p) {
  out <- numeric(nrow(p))
  r <- tls_records(p)
  if (nrow(r) == 0L) return(out)
  sums <- r[, .(around = sum(around)), by = at]
  out[sums$at] <- sums$around
  out
}
