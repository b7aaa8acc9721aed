# Columns of tables, which data.table and ggplot2 find without quotes, and data.table's `.()`. Any
# other name that nothing defines is a mistake, and lint.R says so.
utils::globalVariables(c(
  ".", "25", "400", "a", "ack_rtt", "acknowledged", "acks_frame", "answered", "at", "average", "b",
  "begin", "below", "bytes", "cell", "cell_throughput_bps", "coap-con", "coap-non", "coap_code",
  "coap_mid", "coap_type", "column", "condition", "contradicted", "copies", "count", "definition",
  "device_throughput_bps", "downlink_use_pct", "dport", "dst", "dup", "effect", "energy_mj",
  "engine", "epoch", "ev", "event", "failed", "fall", "fields", "figure", "fin", "first", "floor",
  "frame", "hex", "high", "id", "ip_bytes", "ip_src", "kind", "last", "len", "link", "load", "loads",
  "location", "low", "lowest_path_gain_db", "margin", "mark", "metres", "metric", "mqtt",
  "not reproduced",
  "not_served_pct", "ok", "others", "others_tried", "ours", "out", "outward", "part", "pause", "position",
  "payload", "payload_bytes", "phase", "place", "protocol", "PUBACK", "PUBCOMP", "PUBLISH",
  "published", "PUBREC", "PUBREL", "quirks", "reason", "repetition", "reproduced", "retransmit",
  "role", "row", "rtt", "scope", "seed", "sender", "sent", "session_messages", "size", "source",
  "sport", "src", "stack", "stream", "study", "syn", "tcp_ack", "tcp_len", "tcp_stream", "time",
  "too few runs", "transport", "trial", "turn", "type", "unit",
  "uplink_use_pct", "value", "variant",
  "verdict", "way", "what", "width", "wrong"
))
