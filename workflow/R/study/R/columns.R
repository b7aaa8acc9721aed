# Columns of tables, which data.table and ggplot2 find without quotes, and data.table's `.()`. Any
# other name that nothing defines is a mistake, and lint.R says so.
utils::globalVariables(c(
  ".", "25", "400", "ack_rtt", "acks_frame", "average", "below", "bytes", "cell",
  "cell_throughput_bps", "coap-con", "coap-non", "column", "copies", "definition",
  "downlink_use_pct", "dport", "dst", "energy_mj", "engine", "ev", "event", "failed", "first",
  "frame", "ip_bytes", "last", "loads", "lowest_path_gain_db", "metric", "mqtt", "not_served_pct",
  "ok", "others", "others_tried", "ours", "part", "payload", "payload_bytes", "reason",
  "reproduced", "retransmit", "scope", "seed", "sender", "sent", "sport", "src", "stack", "stream",
  "study", "syn", "tcp_ack", "time", "transport", "trial", "uplink_use_pct", "value", "variant",
  "way", "width"
))
