# Columns of tables, which data.table and ggplot2 find without quotes, and data.table's `.()`. Any
# other name that nothing defines is a mistake, and lint.R says so.
utils::globalVariables(c(
  ".", "N", "V1", "ack_rtt", "ack_unseen", "acks_frame", "airtime_us", "alone", "ampdu",
  "amqp_type", "at", "attempted", "base", "bytes", "coap_code", "coap_mid", "coap_token",
  "coap_type", "column", "data", "device_first", "device_last", "dport", "dst", "dtls_type",
  "dup", "end", "ended", "ends", "epoch", "established", "eth_src", "event", "exchange", "fin",
  "first", "frame", "from", "heard", "http_method", "http_status", "i.base", "i.opened",
  "i.time", "id", "ip6_dst", "ip6_src", "ip_bytes", "ip_dst", "ip_src", "kind", "last", "len",
  "listen_uc", "listen_us", "location", "lost_segment", "malformed", "metric", "modulation",
  "mqtt_flags", "mqttsn_len", "mqttsn_type", "mss", "n", "n.x", "n.y", "open_syn", "opened",
  "other", "others", "outcome", "own", "pair", "part", "payload", "payload_bytes", "phy",
  "port", "position", "problem", "protocol", "protocols", "quantity", "radiotap_len", "rate",
  "raw_type", "reply", "retransmit", "role", "rst", "sent", "share", "sport", "spurious", "src",
  "started",
  "stream", "syn", "tag", "tcp_ack", "tcp_dport", "tcp_flags", "tcp_len", "tcp_mss",
  "tcp_sport", "tcp_stream", "tcp_window", "thinwire", "time", "transmitter", "transport",
  "tshark", "turn", "type", "uc", "udp_dport", "udp_len", "udp_sport", "udp_stream", "udp_sum",
  "value", "value.x", "value.y", "window", "wlan_retry", "ws_opcode", "x.time"
))
