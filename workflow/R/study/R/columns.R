# Columns of tables, which data.table and ggplot2 find without quotes, and data.table's `.()`. Any
# other name that nothing defines is a mistake, and lint.R says so.
utils::globalVariables(c(
  ".", "25", "400", "a", "ack_rtt", "acks_frame", "at", "average", "b", "below", "bytes", "cell",
  "cell_throughput_bps", "coap-con", "coap-non", "column", "condition", "contradicted", "copies",
  "count", "definition", "device_throughput_bps", "downlink_use_pct", "dport", "dst", "effect",
  "energy_mj", "engine", "epoch", "ev", "event", "failed", "fall", "fields", "figure", "first",
  "floor", "frame", "high", "ip_bytes", "ip_src", "kind", "last", "len", "link", "load", "loads",
  "low", "lowest_path_gain_db", "metres", "metric", "mqtt", "not reproduced", "not_served_pct",
  "ok", "others", "others_tried", "ours", "out", "part", "payload", "payload_bytes", "phase",
  "place", "protocol", "published", "quirks", "reason", "repetition", "reproduced", "retransmit",
  "role", "row", "rtt", "scope", "seed", "sender", "sent", "session_messages", "source", "sport",
  "src", "stack", "stream", "study", "syn", "tcp_ack", "tcp_len", "tcp_stream", "time",
  "too few runs", "transport", "trial", "unit", "uplink_use_pct", "value", "variant", "verdict",
  "way", "what", "width", "wrong"
))
