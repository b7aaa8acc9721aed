# The trials behind the choice of a mode: one device that publishes over the cell to a wired server.
# The page and `thinwire ask` use these.

#' What these trials have in common besides the defaults of parameters.schema.json.
decide_held <- c(role = "publish", link = "air", wifi_standard = "n", nagle = "0")

#' Boards with the ESP8266's TCP/IP stack; others would represent another device.
decide_boards <- c("lx106", "esp8266")

#' Parameters that a reader chooses, and those that distinguish modes and repetitions.
decide_asked <- c("payload_bytes", "interval_ms", "modem_sleep", "background_profile",
                  "background_stations", "background_load_mbps", "background_direction",
                  "messages", "duration_s", "qos", "confirmable", "keep_alive", "engine")

#' Which trials can be compared for a decision.
#'
#' A trial counts if each parameter that the reader does not ask for has the value of
#' [decide_held], else its default, and its board is one of [decide_boards].
#'
#' @param wide result of [wide_factors()], any studies.
#' @return logical, a value a row.
decide_comparable <- function(wide) {
  wanted <- parameter_defaults()
  wanted[names(decide_held)] <- decide_held
  same <- !is.na(wide$mode)
  for (name in setdiff(names(wide), c(decide_asked, not_shown, trial_facts))) {
    level <- wide[[name]]
    same <- same & (is.na(level) | level == wanted[name]) %in% TRUE
  }
  same & wide$role %in% "publish" & wide$link %in% "air" & wide$board %in% decide_boards
}

#' The load of the cell in a word: "idle", "web-10", "web-video-bulk-60".
#'
#' @param profile,mbps factors of a trial, text.
load_name <- function(profile, mbps) {
  ifelse(profile == "none", "idle", paste0(gsub(",", "-", profile, fixed = TRUE), "-", mbps))
}

#' The same in words.
load_words <- function(profile, mbps, stations) {
  ifelse(profile == "none", "nobody else",
         sprintf("%s stations, %s Mb/s of %s", stations, mbps, gsub(",", ", ", profile)))
}

#' The trials to decide from, a row each.
#'
#' @param factors,metrics tables of any studies, of trials that went well.
#' @return data.table `study`, `trial`, `mode` (name), `payload` (bytes), `interval` (s), `load`,
#'   `load_label`, `mbps`, `sleep` (0 or 1), `condition`, `messages` (made), `delivered`, and the
#'   quantities of [decide_quantities()], NA where a trial has none.
decide_trials <- function(factors, metrics) {
  wide <- wide_factors(factors)
  needed <- c("mode", "role", "link", "board", "payload_bytes", "interval_ms", "background_profile",
              "background_load_mbps", "background_stations", "modem_sleep")
  for (name in setdiff(needed, names(wide))) wide[, (name) := NA_character_]
  wide <- wide[decide_comparable(wide)]
  out <- wide[, .(study, trial, mode, payload = as.numeric(payload_bytes),
                  interval = as.numeric(interval_ms) / 1000,
                  load = load_name(background_profile, background_load_mbps),
                  load_label = load_words(background_profile, background_load_mbps,
                                          background_stations),
                  mbps = ifelse(background_profile == "none", 0,
                                as.numeric(background_load_mbps)),
                  sleep = as.integer(modem_sleep))]
  out[, condition := paste(payload, interval, load, sleep)]
  measured <- decide_measured(metrics)[out, on = c("study", "trial")]
  measured[, awake_ms := ifelse(sleep == 1L, 1000 * awake_s / made, NA)][, awake_s := NULL]
  data.table::setorder(measured, study, trial)
  measured[]
}

#' The loads of the cell among these trials, the least first.
#'
#' @param factors,trials tables of any studies, result of [decide_trials()].
#' @return list of lists: `name`, `label`, `mbps`, `parameters` (of a study that makes it).
decide_loads <- function(factors, trials) {
  first <- trials[, .SD[1L], by = load, .SDcols = c("study", "trial", "load_label", "mbps")]
  data.table::setorder(first, mbps, load)
  lapply(seq_len(nrow(first)), function(i) {
    level <- factors[factors$study == first$study[i] & factors$trial == first$trial[i]]
    level <- stats::setNames(level$value, level$factor)
    profile <- strsplit(level[["background_profile"]], ",", fixed = TRUE)[[1L]]
    list(name = first$load[i], label = first$load_label[i], mbps = first$mbps[i],
         parameters = c(list(background_profile = profile),
                        if (profile[1L] != "none") {
                          list(background_stations = as.integer(level[["background_stations"]]),
                               background_load_mbps = as.numeric(level[["background_load_mbps"]]),
                               background_direction = level[["background_direction"]])
                        }))
  })
}

#' The quantities that the answer ranks by: name, label and unit. Less is better.
decide_quantities <- function() {
  split_rows(c(
    "bytes | bytes on the wire, per message | bytes",
    "airtime_us | airtime, per message | \u00b5s",
    "frames_uc | charge of its frames, per message | \u00b5C",
    "awake_ms | radio awake for a message, beyond its beacons | ms",
    "ack_ms | median time to the acknowledgement | ms"
  ), c("name", "label", "unit"))
}

#' Share of the time that a sleeping radio is awake for beacons: 3 ms around each
#' (`beacon_window_ms` of the cell), one each 102.4 ms (the defaults that these trials have).
beacon_share <- 3 / 102.4

#' The quantities of each trial from its metrics. A session's one-time cost is not part of a
#' message's bytes, but a connection for a single message is.
#'
#' @param metrics long table.
decide_measured <- function(metrics) {
  wanted <- c("made", "delivered", "messages", "conversations", "bytes_per_message",
              "exchange_bytes_per_message", "airtime_per_message_us",
              "charge_transmit_per_message_uc", "charge_receive_per_message_uc",
              "radio_awake_s", "cell_s", "rtt_median_ms", "board_heap_peak_bytes",
              "board_stack_free_min_bytes")
  wide <- data.table::dcast(metrics[metric %in% wanted], study + trial ~ metric,
                            value.var = "value")
  for (name in setdiff(wanted, names(wide))) wide[, (name) := NA_real_]
  wide[, .(study, trial, made, delivered,
           bytes = ifelse(conversations >= messages & conversations > 1L, bytes_per_message,
                          exchange_bytes_per_message),
           airtime_us = airtime_per_message_us,
           frames_uc = charge_transmit_per_message_uc + charge_receive_per_message_uc,
           awake_s = radio_awake_s - beacon_share * cell_s, ack_ms = rtt_median_ms,
           heap = board_heap_peak_bytes, stack = lx106_stack_bytes - board_stack_free_min_bytes)]
}
