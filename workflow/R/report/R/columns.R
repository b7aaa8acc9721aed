# Columns of tables, which data.table and ggplot2 find without quotes, and data.table's `.()`. Any
# other name that nothing defines is a mistake, and lint.R says so.
utils::globalVariables(c(
  ".", "N", "again", "air_bytes", "attempts", "background_load_mbps", "background_profile",
  "beyond", "bianchi_mbps", "block_bytes", "board_heap_peak_bytes", "board_stack_free_min_bytes",
  "bytes", "captured", "cell", "charge", "column", "con_attempts_max", "condition", "copies",
  "definition", "delay_p50_s", "delay_p99_s", "delivered", "device_throughput_bps", "distance",
  "downlink_use_pct", "duplicates", "energy_mj", "energy_mj_ci95", "engine", "flash_bytes", "good",
  "group", "half", "heap_peak", "high", "interarrival", "interarrival_max_ms", "interval",
  "interval_ms", "item", "kind", "label", "largest_packet_bytes", "level1_pct", "level2_pct",
  "line", "load", "loaded", "low", "made", "messages", "metric", "modem_sleep", "most", "n",
  "nagle", "not_served_pct", "ok", "others", "packets", "packets_per_message", "panel", "part",
  "payload", "payload_bytes", "per_s", "phy", "place", "poor_load", "protocol", "published",
  "quantity", "quirks", "radio", "ram_bytes", "rate", "ratio", "receive_uc", "reproduced",
  "request_ack_ms", "response_ms", "role", "round_trip_ms", "rtt_median", "rtt_p95", "section",
  "sent", "share", "shown", "silence", "simulated_mbps", "size", "source", "stack", "stack_free",
  "stack_peak", "stream", "study", "text", "time", "time_s", "top", "transmission", "transmit_uc",
  "trial", "uc", "unserved", "uplink_use_pct", "value", "variant", "what"
))
