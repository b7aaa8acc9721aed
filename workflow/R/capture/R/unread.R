# Protocols and versions of them that the analysis does not read: it reports them by name.

#' What is not read, and what that does to the result.
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

#' Findings about what is not read, see [whole_finding()].
#'
#' @param counts frames by the names of [unread_names()].
unread_findings <- function(counts) {
  data.table::rbindlist(lapply(names(counts), function(name) {
    frames <- count_text(counts[[name]], "frame holds", "frames hold")
    whole_finding(paste0(frames, " ", name, ", which is not read: ", unread_effects[[name]]),
                  "messages; frames, bytes and the ledger's sum are right")
  }))
}
