# Protocols and versions that the analysis does not read: it reports them by name.

#' Unread protocols, and the effect on the result.
unread_effects <- c(
  "HTTP/2 (RFC 9113)" = "its requests are not counted",
  "QUIC (RFC 9000)" = "its messages are not counted",
  "CoAP over TCP (RFC 8323)" = "its messages are not counted",
  "CoAP over WebSocket (RFC 8323)" = "the frames of WebSocket are counted in their place",
  "MQTT over WebSocket (MQTT 3.1.1, 6)" = "the frames of WebSocket are counted in their place",
  "AMQP 1.0 (ISO/IEC 19464)" = "its messages are not counted",
  "MQTT of an unknown level" = "its messages are read like those of MQTT 3.1.1",
  "MQTT-SN of an unknown version" = "its messages are read like those of MQTT-SN 1.2",
  "compressed WebSocket frames (RFC 7692)" = "their payloads are counted as compressed"
)

#' Name of the unread protocol in each packet, one of those of [unread_effects].
#'
#' @param p packets table.
#' @return character, NA where there is none.
unread_names <- function(p) {
  carries <- function(chain) grepl(paste0(":", chain, "(:|$)"), p$protocols)
  odd <- function(column, known) nzchar(column) & !grepl(known, column)
  n <- names(unread_effects)
  data.table::fcase(
    carries("http2"), n[1L], carries("quic"), n[2L], carries("(tcp|tls):coap"), n[3L],
    carries("websocket:coap"), n[4L],
    grepl("^mqtt", p$ws_protocol) & nzchar(p$http_status), n[5L], nzchar(p$amqp_doff), n[6L],
    odd(p$mqtt_level, "^[345]$"), n[7L], odd(p$mqttsn_version, "^(0x)?0*1$"), n[8L],
    grepl("[1-7]", p$ws_reserved), n[9L], default = NA_character_)
}

#' The effect of records without keys; they count as messages if there are no others.
sealed_effect <- "its records count as messages if nothing else does"

#' Name and version of TLS or DTLS in each packet with application data but without keys. TLS 1.3 is
#' known by its cipher suites (RFC 8446, B.4): its records say 1.2.
#'
#' @param p packets table. @return character, NA where there is none.
sealed_names <- function(p) {
  out <- rep(NA_character_, nrow(p))
  r <- tls_records(p)
  if (nrow(r) == 0L) return(out)
  r[, suite := session_suites(p, r)]
  r <- unique(r[data & !read], by = "at")
  code <- first_value(paste0(p$tls_version, p$dtls_version)[r$at])
  modern <- strtoi(r$suite, 16L) %in% 0x1301:0x1305
  unsure <- is.na(r$suite) & r$sealed & r$protocol == "tls"
  version <- data.table::fcase(
    modern, "1.3", unsure, "1.2 or 1.3", code == "0x0303" | code == "0xfefd", "1.2",
    code == "0x0302", "1.1", code == "0x0301" | code == "0xfeff", "1.0", default = "")
  out[r$at] <- trimws(paste(toupper(r$protocol), version))
  data.table::fifelse(is.na(out), out, paste(out, "without its keys"))
}

#' Findings about unread protocols, see [whole_finding()].
#'
#' @param counts frames by the names of [unread_names()].
unread_findings <- function(counts) {
  data.table::rbindlist(lapply(names(counts), function(name) {
    effect <- if (endsWith(name, "keys")) sealed_effect else unread_effects[[name]]
    frames <- count_text(counts[[name]], "frame holds", "frames hold")
    whole_finding(paste0(frames, " ", name, ", which is not read: ", effect),
                  "messages; frames, bytes and the ledger's sum are right")
  }))
}
