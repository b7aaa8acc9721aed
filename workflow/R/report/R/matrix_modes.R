# The study `matrix`: the mode of a trial in words, and one row per mode and condition.

#' Modes in the order of the tables: a name, and the factors that make it.
matrix_modes <- function() {
  rows <- c("mqtt | qos | 0 | MQTT QoS 0", "mqtt | qos | 1 | MQTT QoS 1",
            "mqtt | qos | 2 | MQTT QoS 2", "mqttsn | qos | -1 | MQTT-SN QoS -1",
            "mqttsn | qos | 0 | MQTT-SN QoS 0", "mqttsn | qos | 1 | MQTT-SN QoS 1",
            "mqttsn | qos | 2 | MQTT-SN QoS 2", "coap | confirmable | 0 | CoAP NON",
            "coap | confirmable | 1 | CoAP CON", "http | keep_alive | 1 | HTTP keep-alive",
            "http | keep_alive | 0 | HTTP connection each",
            "websocket | confirmable | 0 | WebSocket",
            "websocket | confirmable | 1 | WebSocket ping", "amqp | confirmable | 0 | AMQP",
            "amqp | confirmable | 1 | AMQP confirms", "tcp | confirmable | 0 | raw TCP",
            "tcp | confirmable | 1 | raw TCP ACK", "udp | confirmable | 0 | raw UDP",
            "udp | confirmable | 1 | raw UDP ACK")
  modes <- split_rows(rows, c("protocol", "factor", "level", "mode"))
  modes[, mode := factor(mode, mode)]
  modes[]
}

#' Mode and condition of each trial: `mode`, `protocol`, `payload` (bytes), `interval` (ms),
#' `loaded`.
matrix_trials <- function(factors) {
  wide <- wide_factors(factors)
  modes <- matrix_modes()
  for (name in setdiff(unique(modes$factor), names(wide))) wide[, (name) := NA_character_]
  level <- ifelse(wide$protocol %in% c("mqtt", "mqttsn"), wide$qos,
                  ifelse(wide$protocol == "http", wide$keep_alive, wide$confirmable))
  at <- match(paste(wide$protocol, level), paste(modes$protocol, modes$level))
  wide[, .(study, trial, protocol, mode = modes$mode[at], payload = as.numeric(payload_bytes),
           interval = as.numeric(interval_ms), loaded = background_profile != "none")]
}

#' One row per mode and condition, repetitions pooled.
#'
#' Messages are pooled, so a share has one binomial interval; round trips are pooled, so their
#' median has one bootstrap interval; what a trial gives as a mean is averaged over the trials.
#'
#' @param metrics,factors,samples tables of the study.
#' @return data.table `mode`, `protocol`, `payload`, `interval`, `loaded`, `sent`, `delivered`,
#'   `duplicates`, `rtt_n`, `rtt_median`, `rtt_low`, `rtt_high`, `rtt_p95` (ms), and a column for
#'   each of [matrix_means].
summarise_matrix <- function(metrics, factors, samples) {
  trials <- matrix_trials(factors)
  kind <- c("mode", "protocol", "payload", "interval", "loaded")
  wanted <- c("sent", "delivered", "duplicates", "board_heap_peak_bytes",
              "board_stack_free_min_bytes", names(matrix_means))
  wide <- data.table::dcast(metrics[metric %in% wanted], study + trial ~ metric,
                            value.var = "value")
  for (name in setdiff(wanted, names(wide))) wide[, (name) := NA_real_]
  counted <- wide[trials, on = c("study", "trial")][
    , c(list(sent = sum(sent), delivered = sum(delivered), duplicates = sum(duplicates),
             heap_peak = max(board_heap_peak_bytes),
             stack_free = min(board_stack_free_min_bytes)),
        lapply(.SD, mean)), by = kind, .SDcols = names(matrix_means)]
  data.table::setnames(counted, names(matrix_means), unname(matrix_means))
  times <- samples[sample == "rtt_ms"][trials, on = c("study", "trial"), nomatch = NULL][
    , acknowledgement_row(value), by = kind]
  out <- merge(counted, times, by = kind, all.x = TRUE)
  out[, radio := transmit_uc + receive_uc]
  data.table::setorder(out, mode, payload, interval, loaded)
  out[]
}

#' Metrics that are averaged, and what the summary calls them.
matrix_means <- c(
  bytes_per_message = "bytes", packets_per_message = "packets", goodput_bytes_per_s = "goodput",
  air_frames_per_message = "air_frames", air_bytes_per_message = "air_bytes",
  air_retries_per_message = "air_retries", airtime_per_message_us = "airtime",
  charge_transmit_per_message_uc = "transmit_uc", charge_receive_per_message_uc = "receive_uc",
  charge_listen_per_message_uc = "listen_uc", charge_per_message_uc = "charge",
  air_setup_bytes = "setup_bytes", charge_setup_uc = "setup_uc"
)

#' Median of round trips with its bootstrap interval, and the 95th percentile.
acknowledgement_row <- function(x) {
  limits <- bootstrap_interval(x, statistic = median)
  list(rtt_n = length(x), rtt_median = median(x), rtt_low = limits[["low"]],
       rtt_high = limits[["high"]], rtt_p95 = quantile(x, 0.95, names = FALSE))
}

#' The rows that tables and text compare: 100 bytes, ten messages a second, nobody else on the air.
matrix_reference <- function(summary) summary[payload == 100 & interval == 100 & !loaded]
