# Columns of tables, which data.table and ggplot2 find without quotes, and data.table's `.()`. Any
# other name that nothing defines is a mistake, and lint.R says so.
utils::globalVariables(c(
  ".", "N", "ack", "again", "air_bytes", "airtime_per_message_us", "airtime_us", "answer_fields",
  "attempts", "await_connack", "awake_ms", "awake_s", "background_load_mbps",
  "background_profile", "background_stations", "base", "behind", "beyond", "bianchi_mbps",
  "block_bytes", "board_heap_peak_bytes", "board_stack_free_min_bytes", "broker_in_flight",
  "broker_nagle", "bytes", "bytes_per_message", "captured", "cell", "cell_s", "chain_bytes",
  "charge", "charge_receive_per_message_uc", "charge_transmit_per_message_uc", "clients",
  "column", "con_attempts_max", "condition", "conversations", "copies", "definition",
  "delay_p50_s", "delay_p99_s", "delivered", "device_ack_rtt_mean_ms", "device_throughput_bps",
  "digest", "distance", "downlink_use_pct", "dst", "duplicates", "ends_http", "ends_mqtt",
  "energy_mj", "energy_mj_ci95", "engine", "epoch", "error", "even", "exchange_bytes_per_message",
  "fields", "flash_bytes", "frames", "frames_with_messages", "from", "good", "group", "half",
  "heap", "heap_peak", "high", "interarrival", "interarrival_max_ms", "interval", "interval_ms",
  "ip_id", "ip_len", "item", "kind", "label", "largest_packet_bytes", "len", "level1_pct",
  "level2_pct", "line", "link", "load", "load_label", "loaded", "low", "made", "mbps",
  "message_http", "message_mqtt", "messages", "messages_behind_first_pct", "metric",
  "modem_sleep", "most", "ms", "n", "nagle", "not_served_pct", "ok", "others", "ours", "packets",
  "packets_per_message", "panel", "part", "payload", "payload_bytes", "per_s", "phy", "place",
  "poor_load", "processed", "processed_of_reached_pct", "protocol", "published", "qos",
  "quantity", "quirks", "radio", "radio_awake_s", "ram_bytes", "rate", "ratio", "receive_uc",
  "reproduced", "request_ack_ms", "response_ms", "retransmissions", "role", "round_trip_ms",
  "row", "rtt_median", "rtt_median_ms", "rtt_p95", "section", "sent", "session_messages", "share",
  "shown", "silence", "simulated_mbps", "size", "sleep", "source", "src", "stack", "stack_free",
  "stack_peak", "start_spread_ms", "stream", "study", "subtype", "text", "time", "time_s", "tls",
  "tls_resume", "token", "top", "transmission", "transmit_uc", "transmitter", "transport",
  "trial", "uc", "unserved", "uplink_use_pct", "value", "variant", "what"
))
