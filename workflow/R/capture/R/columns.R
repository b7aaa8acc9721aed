# Columns of tables, which data.table and ggplot2 find without quotes, and data.table's `.()`. Any
# other name that nothing defines is a mistake, and lint.R says so.
utils::globalVariables(c(
  ".", "a", "ack_rtt", "ack_unseen", "acks_frame", "agree", "airtime_us", "alone", "ampdu",
  "amqp_type", "aport", "around", "at", "attempted", "b", "base", "begin", "begun", "bport",
  "bytes", "called", "channel", "chosen", "cid", "closed", "coap_code", "coap_mid", "coap_token",
  "coap_type", "column", "complete", "count", "data", "delay", "device_first", "device_last",
  "dport", "dst", "dtls_cid", "dtls_len", "dtls_type", "dup", "early", "end", "ended", "ending",
  "ends", "epoch", "established", "eth_src", "event", "exchange", "fin", "first", "forward",
  "fragments", "fragments6", "frame", "frames", "from", "from_a", "from_b", "from_client",
  "from_server", "group", "heard", "hole", "home", "host", "http_chunks", "http_method",
  "http_status", "i.base", "i.frame", "i.home", "i.opened", "i.ready", "i.stream", "i.sum",
  "i.time", "id", "ip6_dst", "ip6_plen", "ip6_src", "ip_bytes", "ip_dst", "ip_id", "ip_len",
  "ip_src", "kind", "known", "last", "len", "life", "limit", "listen_uc", "listen_us", "location",
  "lost_segment", "lowest", "malformed", "message", "metric", "modulation", "most", "most_uc",
  "mqtt_flags", "mqttsn_len", "mqttsn_type", "mss", "N", "n", "n.x", "n.y", "name", "open",
  "open_syn", "opened", "other", "others", "outcome", "outward", "own", "pair", "part", "payload",
  "payload_bytes", "peer", "phy", "port", "position", "problem", "protocol", "protocols",
  "quantity", "radiotap_len", "rate", "raw_type", "reached", "read", "ready", "received",
  "receiver", "reply", "resumed", "retransmit", "role", "row", "rst", "run", "sealed", "segments",
  "sent", "server", "share", "shut", "silent", "spoke", "sport", "spurious", "src", "started",
  "step", "stray", "stream", "suite", "syn", "tag", "tcp", "tcp_ack", "tcp_checksum", "tcp_dport",
  "tcp_flags", "tcp_header", "tcp_len", "tcp_mss", "tcp_seq", "tcp_sport", "tcp_stream",
  "tcp_window", "thinwire", "time", "tls_len", "tls_segments", "to", "to_server", "topic",
  "transmitter", "transport", "tshark", "turn", "type", "uc", "udp_checksum", "udp_dport",
  "udp_len", "udp_payload", "udp_sport", "udp_stream", "udp_sum", "unit", "unread", "unseen", "V1",
  "value", "value.x", "value.y", "way", "window", "wlan_retry", "wrong", "ws_opcode", "x.time",
  "x.to"
))
