# The phases of a wake-up from deep sleep: time, frames, bytes and charge of each, by the device's
# log, the cell's times of its joins (lab.json) and the capture of the air.

#' The phases in their order, and the event of the log that ends each (the first of several that
#' occurs). Scan and join are the cell's: its times of a join end them.
#'
#' - `start`: from the start of the firmware until its radio is on;
#' - `scan`: until the station knows its access point;
#' - `join`: authentication, association and keys;
#' - `address`, `name`, `time`: DHCP, DNS, SNTP;
#' - `tls`: the transport's handshake and that of TLS or DTLS;
#' - `session`: the protocol's connection, without TLS with the transport's handshake;
#' - `message`: until the first message is handed to the network;
#' - `answer`: until its acknowledgement;
#' - `wind_down`: until the device sleeps again.
wake_phase_ends <- list(
  start = NULL, scan = NULL, join = c("linked", "up"), address = "leased", name = "resolved",
  time = "clock_set", tls = "secured", session = "connected", message = "sent", answer = "acked",
  wind_down = "sleeping")

#' The same of a physical board, by its log alone.
wake_logged_ends <- c(list(start = "joining", scan_join = wake_phase_ends$join),
                      wake_phase_ends[-(1:3)])

#' When each phase of each waking begins and ends, s on the cell's clock.
#'
#' The log's clock and the cell's meet where the radio has joined.
#'
#' @param board the log, see [read_bundle()].
#' @param joins times of lab.json, see [station_of_board()]: a row for each start of the device.
#' @return data.table: `waking` (its number), `phase`, `begin`, `end`; only the phases that occur. A
#'   waking begins from deep sleep and ends in it: neither the device's first start is one, nor the
#'   last, which ends the run. NULL if there is none, or the joins are not those of the starts (an
#'   outage ends one, too).
wake_phase_times <- function(board, joins) {
  starts <- sum(board$ev == "boot")
  if (is.null(joins) || NROW(joins) == 0L || NROW(joins) != starts) return(NULL)
  waking_phases(board, function(first, start) {
    join <- joins[start, ]
    shift <- join$joined_s - first(wake_phase_ends$join)
    ends <- vapply(wake_phase_ends, function(names) first(names) + shift, 0)
    ends[c("start", "scan", "join")] <- c(join$began_s, join$scanned_s, join$joined_s)
    list(begin = first("boot") + shift, ends = ends)
  })
}

#' The phases of a physical board's wakings by its log alone, on the board's clock. It says when its
#' radio is turned on and when it has joined, so that scan and join are one phase, `scan_join`.
#'
#' @param board the log, see [read_bundle()].
#' @return as [wake_phase_times()]. NULL for a log without `joining`.
wake_logged_times <- function(board) {
  if (!any(board$ev == "joining")) return(NULL)
  waking_phases(board, function(first, start) {
    list(begin = first("boot"), ends = vapply(wake_logged_ends, first, 0))
  })
}

#' One row for each phase of each waking.
#'
#' @param board the log. @param ends_of function of (`first`, s of the first of some events in this
#'   start; the start's number) that returns `begin`, s, and `ends` by phase, s, NA where one does
#'   not occur.
#' @return see [wake_phase_times()].
waking_phases <- function(board, ends_of) {
  start <- cumsum(board$ev == "boot")
  woken <- which(board[ev == "boot", reason == "deep_sleep"])
  woken <- intersect(woken, start[board$ev == "sleeping"])
  rows <- lapply(seq_along(woken), function(i) {
    mine <- board[start == woken[i]]
    first <- function(names) c(as.numeric(mine[ev %in% names, t]), NA)[1L] / 1e6
    found <- ends_of(first, woken[i])
    ends <- found$ends[!is.na(found$ends)]
    data.table::data.table(waking = i, phase = names(ends),
                           begin = c(found$begin, head(ends, -1L)), end = unname(ends))
  })
  out <- data.table::rbindlist(rows)
  if (nrow(out) == 0L) return(NULL)
  out[, end := pmax(begin, end)]
  out[]
}

#' Frames to and from a station, with 802.11's acknowledgements.
#'
#' @param p result of [dissect_air()]. @param mac address of its radio.
#' @return rows of `p` with `sent`, by this station. An acknowledgement has no transmitter: it is of
#'   the receiver of the frame before it.
station_frames <- function(p, mac) {
  bare <- !nzchar(p$transmitter)
  before <- c(NA, head(p$receiver, -1L))
  sent <- p$transmitter == mac | (bare & before %in% mac)
  mine <- sent | p$receiver == mac
  out <- data.table::copy(p[mine])
  data.table::set(out, j = "sent", value = sent[mine])
  out[]
}

#' Time, frames, bytes and charge of each phase of each waking.
#'
#' The radio listens all the while, but for its own frames. Before it is on, the processor alone
#' draws a current: that of modem sleep.
#'
#' @param times result of [wake_phase_times()]. @param frames result of [station_frames()].
#' @return `times` with `ms`, `frames`, `bytes`, `least_uc`, `greatest_uc`.
wake_phase_costs <- function(times, frames) {
  out <- data.table::copy(times)
  out[, ms := 1e3 * (end - begin)]
  sums <- out[, {
    x <- frames[time >= begin - 1e-6 & time < end - 1e-6]
    own <- x[sent == TRUE]
    charge <- function(currents) {
      quiet <- if (phase == "start") currents$modem_sleep else currents$listen
      sum(charge_uc(own$airtime_us, currents$transmit[own$modulation])) +
        charge_uc(max(0, 1e3 * ms - sum(own$airtime_us)), quiet)
    }
    list(frames = nrow(x), bytes = sum(x$bytes), least_uc = charge(esp8266_currents_ma),
         greatest_uc = charge(esp8266_greatest_ma))
  }, by = .(row = seq_len(nrow(out)))]
  cbind(out, sums[, -"row"])
}

#' Metrics of the phases, means over the wakings, and of whole wakings; NULL for a device that does
#' not wake from deep sleep into a cell that it joins.
#'
#' @param bundle result of [read_bundle()]. @param p result of [dissect_air()].
#' @param station result of [station_of_board()].
wake_phase_metrics <- function(bundle, p, station) {
  parameters <- bundle$trial$parameters
  if (!isTRUE(parameters$deep_sleep) || isTRUE(parameters$modem_sleep)) return(NULL)
  times <- wake_phase_times(bundle$board, station$joins)
  if (is.null(times)) return(NULL)
  costs <- wake_phase_costs(times, station_frames(p, station$mac))
  rows <- function(name, x) {
    mean_of <- function(what, unit, values) {
      mean_rows(sprintf(what, name), unit, add_moments(NULL, values))
    }
    rbind(mean_of("%s_mean_ms", "ms", x$ms), mean_of("%s_frames", "frames", x$frames),
          mean_of("%s_bytes", "bytes", x$bytes),
          mean_of("%s_charge_least_uc", "uC", x$least_uc),
          mean_of("%s_charge_greatest_uc", "uC", x$greatest_uc))
  }
  sums <- c("ms", "frames", "bytes", "least_uc", "greatest_uc")
  whole <- costs[, lapply(.SD, sum), by = waking, .SDcols = sums]
  each <- lapply(intersect(names(wake_phase_ends), costs$phase), function(name) {
    rows(paste0("wake_", name), costs[phase == name])
  })
  data.table::rbindlist(c(each, list(rows("wake", whole))))
}

#' Metrics of the phases of a physical board, means over its wakings: times alone. Frames, bytes and
#' charge need a capture of the whole air.
#'
#' @param bundle result of [read_bundle()].
wake_logged_metrics <- function(bundle) {
  if (!isTRUE(bundle$trial$parameters$deep_sleep)) return(NULL)
  times <- wake_logged_times(bundle$board)
  if (is.null(times)) return(NULL)
  times[, ms := 1e3 * (end - begin)]
  mean_of <- function(name, values) {
    mean_rows(sprintf("%s_mean_ms", name), "ms", add_moments(NULL, values))
  }
  each <- lapply(intersect(names(wake_logged_ends), times$phase), function(name) {
    mean_of(paste0("wake_", name), times[phase == name, ms])
  })
  data.table::rbindlist(c(each, list(mean_of("wake", times[, sum(ms), by = waking]$V1))))
}
