# Columns of tables, which data.table and ggplot2 find without quotes, and data.table's `.()`. Any
# other name that nothing defines is a mistake, and lint.R says so.
utils::globalVariables(c(
  ".", "25", "400", "a", "ack_rtt", "acknowledged", "acks_frame", "answered", "at", "average", "b",
  "begin", "below", "both", "broker_in_flight", "broker_nagle", "bytes", "cell",
  "cell_throughput_bps", "clients", "coap-con", "coap-non", "coap_code",
  "coap_mid", "coap_type", "column", "condition", "contradicted", "copies", "count", "counts",
  "definition",
  "device_throughput_bps", "distance", "downlink_use_pct", "dport", "dst", "dup", "effect",
  "energy_mj", "eth_dst",
  "engine", "epoch", "error", "ev", "event", "failed", "fall", "fields", "figure", "fin", "first",
  "floor",
  "frame", "hex", "high", "id", "ip_bytes", "ip_src", "kind", "last", "len", "link", "load",
  "loads",
  "location", "low", "lowest_path_gain_db", "margin", "mark", "median_lab", "metres", "metric",
  "modem_sleep", "mqtt",
  "n", "n_lab", "not reproduced",
  "not_served_pct", "off", "off_least", "off_most", "ok", "others", "others_tried", "ours", "out",
  "outward", "part", "pause", "position",
  "payload", "payload_bytes", "phase", "place", "protocol", "PUBACK", "PUBCOMP", "PUBLISH",
  "published", "PUBREC", "PUBREL", "qos", "quantity", "quirks", "reason", "recorded", "repetition",
  "reproduced", "retransmit",
  "role", "row", "rtt", "scope", "seed", "sender", "sent", "session_messages", "size", "source",
  "sport", "src", "stack", "start_spread_ms", "state", "stream", "study", "syn", "tcp_ack",
  "tcp_len", "tcp_stream", "time",
  "too few runs", "transport", "trial", "turn", "type", "unit",
  "uplink_use_pct", "value", "value_ours", "variant",
  "verdict", "way", "what", "width", "wrong"
))
