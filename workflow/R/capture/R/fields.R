# The packets table: one row per captured frame, the same columns for every protocol.

#' Character that joins the values of a field that occurs several times in one frame.
#'
#' U+001F, the unit separator. MQTT (1.5.3) allows it in a topic: [start_tshark()] writes one of the
#' content as `\x1f`, as tshark writes a tabulator as `\t`.
list_separator <- "\x1f"

#' Schema of the packets table.
#'
#' @return data.table with `column`, `field` (tshark's name), `type` ("integer", "double", "text",
#'   "flag" for present or not, "list" for values joined by [list_separator]), `unit`,
#'   `description`.
packet_schema <- function() {
  if (is.null(parsed$schema)) parsed$schema <- parse_schema() # each dissection asks for it
  data.table::copy(parsed$schema)
}

#' The parsed schema.
parsed <- new.env()

parse_schema <- function() {
  rows <- c(
    "frame | frame.number | integer | | number of the frame in its capture",
    "epoch | frame.time_epoch | text | s | capture time since 1970, as printed by tshark",
    "len | frame.len | integer | bytes | length on the wire",
    "cap_len | frame.cap_len | integer | bytes | length kept in the capture",
    "section | frame.section_number | integer | | section of a pcapng file that holds it",
    "interface | frame.interface_id | integer | | interface of that section",
    "protocols | frame.protocols | text | | dissectors that took part, outermost first",
    "malformed | _ws.malformed | flag | | a dissector met impossible content",
    "remarks | _ws.expert.group | list | | groups of the dissectors' remarks",
    "coap_unknown | coap.invalid_option_number | list | | remarks about CoAP options",
    "oscore_unknown | oscore.invalid_option_number | list | | likewise, within OSCORE",
    "eth_src | eth.src | text | | source MAC address",
    "eth_dst | eth.dst | text | | destination MAC address",
    "wlan_retry | wlan.fc.retry | text | | 802.11 retry bit",
    "ip_src | ip.src | text | | source address, IPv4",
    "ip_dst | ip.dst | text | | destination address, IPv4",
    "ip6_src | ipv6.src | text | | source address, IPv6",
    "ip6_dst | ipv6.dst | text | | destination address, IPv6",
    "ip_id | ip.id | text | | IPv4 identification, hexadecimal",
    "ip_sum | ip.checksum.status | text | | IP checksum: 0 wrong, 1 right, 2 not checked",
    "tcp_sum | tcp.checksum.status | text | | TCP checksum, likewise",
    "udp_sum | udp.checksum.status | text | | UDP checksum, likewise; 3 absent",
    "ip_checksum | ip.checksum | text | | IP checksum itself, hexadecimal",
    "tcp_checksum | tcp.checksum | text | | TCP checksum itself, hexadecimal",
    "udp_checksum | udp.checksum | text | | UDP checksum itself, hexadecimal",
    "ip_header | ip.hdr_len | integer | bytes | IPv4 header",
    "ip_len | ip.len | integer | bytes | IPv4 total length",
    "fragments | ip.fragment | list | | frames whose IP fragments were reassembled here",
    "fragments6 | ipv6.fragment | list | | likewise, IPv6",
    "ip6_plen | ipv6.plen | integer | bytes | IPv6 payload length",
    "tcp_stream | tcp.stream | integer | | TCP conversation in this capture",
    "udp_stream | udp.stream | integer | | UDP conversation in this capture",
    "tcp_sport | tcp.srcport | integer | | TCP source port",
    "tcp_dport | tcp.dstport | integer | | TCP destination port",
    "udp_sport | udp.srcport | integer | | UDP source port",
    "udp_dport | udp.dstport | integer | | UDP destination port",
    "tcp_header | tcp.hdr_len | integer | bytes | TCP header with options",
    "tcp_len | tcp.len | integer | bytes | TCP payload",
    "tcp_seq | tcp.seq_raw | double | | TCP sequence number",
    "tcp_ack | tcp.ack_raw | double | | TCP acknowledgement number",
    "tcp_flags | tcp.flags | text | | TCP flags, hexadecimal",
    "tcp_window | tcp.window_size_value | integer | bytes | TCP window, unscaled",
    "tcp_mss | tcp.options.mss_val | integer | bytes | MSS option",
    "ack_rtt | tcp.analysis.ack_rtt | double | s | time since the segment acknowledged here",
    "acks_frame | tcp.analysis.acks_frame | integer | | frame acknowledged here",
    "retransmit | tcp.analysis.retransmission | flag | | TCP retransmission of any kind",
    "spurious | tcp.analysis.spurious_retransmission | flag | | it repeats acknowledged data",
    "out_of_order | tcp.analysis.out_of_order | flag | | segment that came late",
    "duplicate_ack | tcp.analysis.duplicate_ack | flag | | acknowledgement of nothing new",
    "lost_segment | tcp.analysis.lost_segment | flag | | a segment before this one is missing",
    "ack_unseen | tcp.analysis.ack_lost_segment | flag | | it acknowledges what was not captured",
    "keep_alive | tcp.analysis.keep_alive | flag | | it repeats the last byte to hear of the peer",
    "probe | tcp.analysis.zero_window_probe | flag | | a byte that asks for a window",
    "udp_len | udp.length | integer | bytes | UDP length with its header",
    "udp_payload | udp.payload | text | | of MQTT-SN: its datagram, hexadecimal",
    "mqtt_level | mqtt.ver | text | | protocol level in CONNECT",
    "mqtt_flags | mqtt.hdrflags | list | | first byte of each MQTT packet",
    "mqtt_len | mqtt.len | list | bytes | remaining length of each MQTT packet",
    "mqtt_topic | mqtt.topic | list | | topics in PUBLISH, SUBSCRIBE, UNSUBSCRIBE",
    "mqtt_topic_len | mqtt.topic_len | list | bytes | their lengths",
    "mqtt_client | mqtt.clientid | list | | client identifiers",
    "mqtt_clean | mqtt.conflag.cleansess | list | | does CONNECT want a clean session",
    "mqtt_id | mqtt.msgid | list | | packet identifiers",
    "mqtt_properties | mqtt.property_len | list | bytes | MQTT 5 property lengths",
    "mqtt_connack | mqtt.connack.reason_code | list | | MQTT 5 reason codes of CONNACK",
    "mqtt_puback | mqtt.puback.reason_code | list | | likewise, PUBACK",
    "mqtt_pubrec | mqtt.pubrec.reason_code | list | | likewise, PUBREC",
    "mqtt_pubrel | mqtt.pubrel.reason_code | list | | likewise, PUBREL",
    "mqtt_pubcomp | mqtt.pubcomp.reason_code | list | | likewise, PUBCOMP",
    "mqtt_suback | mqtt.suback.reason_code | list | | likewise, SUBACK",
    "mqtt_unsuback | mqtt.unsuback.reason_code | list | | likewise, UNSUBACK",
    "mqtt_disconnect | mqtt.disconnect.reason_code | list | | likewise, DISCONNECT",
    "mqtt_auth | mqtt.auth.reason_code | list | | likewise, AUTH",
    "mqttsn_version | mqttsn.protocol.id | text | | protocol version in CONNECT",
    "mqttsn_type | mqttsn.msg.type | list | | MQTT-SN message types",
    "mqttsn_len | mqttsn.msg.len | list | bytes | MQTT-SN message lengths",
    "mqttsn_topic | mqttsn.topic.id | list | | MQTT-SN topic identifiers",
    "mqttsn_client | mqttsn.client.id | list | | client identifiers, MQTT-SN",
    "mqttsn_clean | mqttsn.clean.session | list | | MQTT-SN CleanSession flags",
    "mqttsn_id | mqttsn.msg.id | list | | MQTT-SN message identifiers",
    "mqttsn_dup | mqttsn.dup | list | | MQTT-SN DUP flags",
    "mqttsn_node | mqttsn.wireless.node.id | list | | nodes behind a forwarder of MQTT-SN",
    "coap_type | coap.type | integer | | 0 CON, 1 NON, 2 ACK, 3 RST",
    "coap_code | coap.code | integer | | CoAP code: 0 empty, 1-31 request, 64- response",
    "coap_mid | coap.mid | integer | | CoAP message ID",
    "coap_token | coap.token | text | | CoAP token",
    "coap_path | coap.opt.uri_path | list | | Uri-Path options",
    "coap_payload | coap.payload_length | integer | bytes | CoAP payload",
    "coap_options | coap.opt.name | list | | CoAP options, outside of OSCORE's ciphertext",
    "coap_option_sizes | coap.opt.length | list | bytes | their values (13: that or more)",
    "coap_option_more | coap.opt.length_ext | list | bytes | of these: the rest over 13",
    "oscore_kid | coap.opt.object_security_kid | text | | Sender ID in the option of OSCORE",
    "oscore_id_context | coap.opt.object_security_kid_context | text | | ID Context, likewise",
    "oscore_code | oscore.code | integer | | CoAP code within a decrypted message of OSCORE",
    "oscore_path | oscore.opt.uri_path | list | | Uri-Path options within it",
    "oscore_payload | oscore.payload_length | integer | bytes | CoAP payload within it",
    "http_method | http.request.method | list | | request methods",
    "http_uri | http.request.uri | list | | request targets",
    "http_status | http.response.code | list | | response codes",
    "http_length | http.content_length | list | bytes | Content-Length values",
    "http_chunks | http.chunk_size | list | bytes | sizes of chunks, 0 behind the last of a body",
    "segments | tcp.segment | list | | frames whose segments were reassembled here",
    "reassembled | tcp.reassembled.length | list | bytes | lengths of the reassembled messages",
    "ws_protocol | http.sec_websocket_protocol | text | | WebSocket subprotocol",
    "ws_reserved | websocket.rsv | list | | WebSocket reserved bits",
    "ws_opcode | websocket.opcode | list | | WebSocket opcodes",
    "ws_payload | websocket.payload_length | list | bytes | WebSocket payload lengths",
    "ws_payload_16 | websocket.payload_length_ext_16 | list | bytes | where the former is 126",
    "ws_payload_64 | websocket.payload_length_ext_64 | list | bytes | where it is 127",
    "ws_mask | websocket.mask | list | | WebSocket mask bits",
    "amqp_doff | amqp.doff | text | | place of the body of an AMQP 1.0 frame",
    "amqp_type | amqp.type | list | | AMQP 0-9-1 frame types",
    "amqp_channel | amqp.channel | list | | AMQP channel of each frame",
    "amqp_len | amqp.length | list | bytes | AMQP frame lengths",
    "amqp_class | amqp.method.class | list | | AMQP method classes",
    "amqp_method | amqp.method.method | list | | AMQP methods",
    "amqp_tag | amqp.method.arguments.delivery_tag | list | | AMQP delivery tags",
    "amqp_multiple | amqp.method.arguments.multiple | list | | a tag stands for all up to it",
    "amqp_key | amqp.method.arguments.routing_key | list | | AMQP routing keys",
    "tls_type | tls.record.content_type | list | | TLS record types",
    "tls_opaque | tls.record.opaque_type | list | | TLS 1.3 outer record types",
    "tls_version | tls.record.version | list | | TLS record versions, hexadecimal",
    "tls_len | tls.record.length | list | bytes | TLS record lengths",
    "tls_handshake | tls.handshake.type | list | | handshake messages in clear or opened",
    "tls_suite | tls.handshake.ciphersuite | list | | cipher suites offered, or the one taken",
    paste("tls_ticket_age | tls.handshake.extensions.psk.identity.obfuscated_ticket_age",
          "| list | ms | hidden ages of the tickets offered; 0: of another key"),
    "tls_segments | tls.segment | list | | frames whose TLS records were joined here",
    "tls_joined | tls.reassembled.length | list | bytes | what the records joined here carry",
    "dtls_type | dtls.record.content_type | list | | DTLS record types",
    "dtls_special | dtls.record.special_type | list | | types of records with a connection ID",
    "dtls_cid | dtls.record.connection_id | list | | connection IDs of records (RFC 9146)",
    "dtls_version | dtls.record.version | list | | DTLS record versions, hexadecimal",
    "dtls_len | dtls.record.length | list | bytes | DTLS record lengths",
    "dtls_handshake | dtls.handshake.type | list | | likewise, DTLS",
    "dtls_suite | dtls.handshake.ciphersuite | list | | likewise, DTLS",
    "raw_type | tw_raw.type | list | | raw TCP and UDP: 0 a payload alone, 1 DATA, 2 ACK",
    "raw_size | tw_raw.size | list | bytes | their payloads",
    "raw_seq | tw_raw.seq | list | | their sequence numbers",
    "data | data.data | text | | payload no dissector took, hexadecimal"
  )
  split_rows(rows, schema_columns)
}

#' The schema with the column `body`: the first bytes of each payload in a frame, by
#' workflow/wireshark, hexadecimal; as many as a recorder logs (hil/peers/log.py). It costs a call
#' of Lua per frame.
body_schema <- function() {
  rbind(packet_schema(),
        split_rows("body | tw.head | list | | first bytes of payloads, hexadecimal",
                   schema_columns))
}

schema_columns <- c("column", "field", "type", "unit", "description")

#' Split a column of type "list", which holds several values per frame.
#'
#' @param column character vector of joined values.
#' @return list of character vectors; empty vectors where the field is absent.
split_list <- function(column) {
  out <- strsplit(as.character(column), list_separator, fixed = TRUE)
  out[is.na(column) | column == ""] <- list(character(0))
  out
}
