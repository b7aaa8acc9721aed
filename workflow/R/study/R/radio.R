# The board's radio, as the cell counts it.

#' Modulation of each 802.11 standard at its own rates.
standard_modulations <- c(b = "dsss", g = "ofdm", n = "ht")

#' The board as a station of the cell, and how long the cell ran, by `lab.json`.
#'
#' @param bundle result of [read_bundle()].
#' @return list: `mac`, `standard`, `awake_s`, `off_s` (in deep sleep; 0 if it stays in the cell),
#'   `airtime_s` (of its own frames), `queue_drops` (frames for it that found the access point's
#'   queue full; NULL if not counted), `joins` (a row each, the times of its steps; NULL if it does
#'   not join), `cell_s`.
station_of_board <- function(bundle) {
  stations <- part_of(bundle$lab, "link", "stations")
  at <- which(part_of(stations, "name") == "board")
  joins <- part_of(stations, "joins")
  of_board <- function(...) {
    column <- part_of(stations, ...)
    if (length(at) == 1L && is.atomic(column)) column[at]
  }
  board <- list(mac = of_board("mac"), standard = of_board("standard"),
                awake_s = of_board("awake_s"), airtime_s = of_board("up", "airtime_s"),
                queue_drops = of_board("down", "queue_drops"), off_s = of_board("off_s"),
                joins = if (is.list(joins) && length(at) == 1L) joins[[at]],
                cell_s = part_of(bundle$lab, "link", "duration_s"))
  number <- function(x) is.numeric(x) && length(x) == 1L && is.finite(x)
  known <- is.character(board$mac) && board$standard %in% names(standard_modulations) &&
    number(board$awake_s) && number(board$airtime_s) && number(board$cell_s)
  if (!known) {
    input_error(file.path(bundle$folder, "lab.json"),
                "does not describe a station 'board' its address, standard, and times",
                "run the trial again", key = "link.stations")
  }
  board
}

#' How long the board's radio was awake, how long the cell ran, and the mean current of such a radio
#' by the least and by the greatest published currents; what the access point's full queue lost.
#'
#' @param board result of [station_of_board()].
radio_metrics <- function(board) {
  current <- function(currents) {
    mean_current_ma(board$cell_s, board$awake_s, board$airtime_s,
                    standard_modulations[[board$standard]], currents,
                    if (is.null(board$off_s)) 0 else board$off_s)
  }
  rbind(metric_row("radio_awake_s", board$awake_s, "s", 1),
        metric_row("cell_s", board$cell_s, "s", 1),
        if (!is.null(board$queue_drops)) {
          metric_row("ap_queue_drops", board$queue_drops, "frames", 1)
        },
        metric_row(c("radio_current_least_ma", "radio_current_greatest_ma"),
                   c(current(esp8266_currents_ma), current(esp8266_greatest_ma)), "mA", 1),
        join_metrics(board$joins))
}

#' How long the board took to join the cell, means, and the charge of one join; NULL if it did not.
#'
#' The radio listens all the while. The few frames that it sends are not counted apart.
#'
#' @param joins data.frame of lab.json: `began_s`, `scanned_s`, `associated_s`, `joined_s`.
join_metrics <- function(joins) {
  if (is.null(joins) || NROW(joins) == 0L) return(NULL)
  step <- function(name, from, to) {
    mean_rows(name, "ms", add_moments(NULL, 1e3 * (joins[[to]] - joins[[from]])))
  }
  charge <- function(currents) {
    charge_uc(1e6 * mean(joins$joined_s - joins$began_s), currents$listen)
  }
  rbind(step("join_mean_ms", "began_s", "joined_s"),
        step("join_scan_mean_ms", "began_s", "scanned_s"),
        step("join_association_mean_ms", "scanned_s", "associated_s"),
        step("join_keys_mean_ms", "associated_s", "joined_s"),
        metric_row(c("join_charge_least_uc", "join_charge_greatest_uc"),
                   c(charge(esp8266_currents_ma), charge(esp8266_greatest_ma)), "uC",
                   NROW(joins)))
}

#' Metrics of a trial's capture of the air, see [air_metrics()].
trial_air_metrics <- function(bundle, capture = NULL) {
  file <- file.path(bundle$folder, "air.pcapng.gz")
  board <- station_of_board(bundle)
  p <- dissect_air(file)
  starts <- exchange_starts(p, bundle$device, board$mac, bundle$trial$parameters[["topic"]], file,
                            foreign_port(bundle$trial$parameters))
  each <- exchanges(conversation_frames(p, bundle$device, board$mac), starts)
  rbind(metric_row("largest_packet_bytes", p[src == bundle$device, max(ip_bytes)], "bytes", 1),
        radio_metrics(board), wake_phase_metrics(bundle, p, board),
        air_metrics(each, message_table(bundle, capture)[sent == TRUE, mean(!is.na(time))]))
}
