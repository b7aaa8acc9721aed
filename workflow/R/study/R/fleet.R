# Several devices in one trial: what each delivered and how late, and its share of the air.

#' The name of a trial's first device (hil/design/addressing.py).
first_device <- "b1"

#' Has a trial several devices?
is_fleet <- function(bundle) isTRUE(bundle$trial$parameters$devices > 1L)

#' The logs of all devices of a trial; NULL where it has one.
#'
#' @param folder of the bundle. @param board the log of the first device.
#' @return data.table of their lines with `device`, among them `power_on` with `at_s`, when a device
#'   was switched on, s since 1970.
read_fleet <- function(folder, board) {
  file <- file.path(folder, "devices.jsonl")
  if (!file.exists(file)) return(NULL)
  rbind(data.table::copy(board)[, device := first_device], read_jsonl(file), fill = TRUE)
}

#' The log of the device, or of all devices.
device_log <- function(bundle) if (is_fleet(bundle)) bundle$devices else bundle$board

#' Jain's fairness index: 1 if all have the same, 1/n if one of n has all (Jain, Chiu and Hawe 1984,
#' equation 1).
#'
#' @param x what each has; NA if nobody has anything.
jain_index <- function(x) {
  if (sum(x) > 0) sum(x)^2 / (length(x) * sum(x^2)) else NA_real_
}

#' When each device was switched on, and when its clock was 0, which starts later; s since 1970.
#'
#' @return data.table `sender`, `on`, `zero`, in the order of the devices.
device_starts <- function(bundle) {
  log_events(bundle$devices, "power_on")[, .(sender = device, on = as.numeric(at_s),
                                             zero = as.numeric(at_s) + clock_us / 1e6)]
}

#' The time from when a message was due until the receiver's application has it, ms.
#'
#' A device makes a message each interval (firmware/core/app/workload.h), and one that waits in its
#' backlog is late, too. The log has when each was handed to the network. The message that was
#' handed over soonest by the schedule was not late, and gives the times of all.
#'
#' @param bundle result of [read_bundle()]. @param messages result of [message_table()].
#' @return data.table `sender`, `seq`, `delay`: messages that arrived.
device_delays <- function(bundle, messages) {
  handed <- unique(numbered(bundle$devices, "sent", "device"), by = c("sender", "seq"))
  starts <- device_starts(bundle)
  starts[, interval := device_intervals(bundle) / 1000]
  handed <- handed[starts, on = "sender", nomatch = NULL]
  handed[, from := zero + seq * interval + min(time / 1e6 - seq * interval), by = sender]
  arrived <- messages[!is.na(time), .(sender, seq, came = time)]
  handed[arrived, on = c("sender", "seq"), nomatch = NULL][
    , .(sender, seq, delay = 1000 * (came - from))]
}

#' What each device delivered.
#'
#' @return data.table in the order of the devices: `sender`, `on`, `made`, `delivered` (messages),
#'   `delay` (median, ms), `first` (s, from switching on to its first message's arrival); NA where
#'   nothing arrived.
device_table <- function(bundle, messages) {
  each <- messages[, .(made = .N, delivered = sum(!is.na(time)),
                       came = if (all(is.na(time))) NA_real_ else min(time, na.rm = TRUE)),
                   by = sender]
  late <- device_delays(bundle, messages)[, .(delay = median(delay)), by = sender]
  out <- each[device_starts(bundle), on = "sender"]
  out <- late[out, on = "sender"]
  out[is.na(made), `:=`(made = 0L, delivered = 0L)]
  out[, first := came - on]
  out[, .(sender, on, made, delivered, delay, first)]
}

#' The airtime of each device's frames, sent and received, by the cell's counters.
#'
#' @return data.table in the order of the devices: `sender`, `airtime_s`; NULL without a cell.
device_airtime <- function(bundle) {
  stations <- part_of(bundle$lab, "link", "stations")
  if (is.null(stations)) return(NULL)
  names <- sub("^board$", first_device, stations$name)
  at <- match(device_starts(bundle)$sender, names)
  data.table::data.table(sender = names[at],
                         airtime_s = (stations$up$airtime_s + stations$down$airtime_s)[at])
}

#' The group of each device (docs/lab.md), from 1, in the order of the devices; NULL without groups.
device_groups <- function(bundle) {
  sizes <- bundle$trial$parameters$groups$devices
  if (length(sizes)) rep(seq_along(sizes), sizes)
}

#' The interval of each device's messages, ms, in the order of the devices.
device_intervals <- function(bundle) {
  parameters <- bundle$trial$parameters
  groups <- device_groups(bundle)
  own <- if (is.null(groups)) NULL else as.numeric(parameters$groups[["interval_ms"]])[groups]
  if (is.null(own)) own <- rep(NA_real_, parameters$devices)
  data.table::fcoalesce(own, rep(as.numeric(parameters$interval_ms), length(own)))
}

#' Metrics of a trial with several devices, defined in docs/metrics.md; NULL for another trial.
#'
#' @param bundle result of [read_bundle()]. @param messages result of [message_table()].
fleet_metrics <- function(bundle, messages) {
  if (!is_fleet(bundle)) return(NULL)
  each <- device_table(bundle, messages)
  frames <- part_of(bundle$lab, "capture", "frames")
  rbind(metric_row("devices", nrow(each), "devices", nrow(each)),
        delay_metrics(device_delays(bundle, messages)$delay),
        share_metrics(each),
        if (!is.null(frames)) metric_row("captured_frames", frames, "frames", frames),
        fleet_air_metrics(bundle),
        group_metrics(bundle, messages, each))
}

#' @param delay of each message that arrived, ms.
delay_metrics <- function(delay) {
  if (length(delay) == 0L) return(NULL)
  rbind(mean_rows("delay_mean_ms", "ms", add_moments(NULL, delay)),
        metric_row(c("delay_median_ms", "delay_p95_ms", "delay_max_ms"),
                   quantile(delay, c(0.5, 0.95, 1), names = FALSE), "ms", length(delay)))
}

#' Least, median and greatest of the devices, and how equal they are.
#'
#' @param each result of [device_table()].
share_metrics <- function(each) {
  made <- each[made > 0L]
  came <- each[!is.na(first)]
  rbind(if (nrow(made)) {
    over_clients("device_delivered_of_made_%s_pct", 100 * made$delivered / made$made, "%")
  },
  if (nrow(came)) {
    rbind(over_clients("device_delay_median_%s_ms", came$delay, "ms"),
          metric_row(c("first_delivery_median_s", "first_delivery_max_s"),
                     c(median(came$first), max(came$first)), "s", nrow(came)),
          metric_row("fairness_delivered", jain_index(each$delivered), "", nrow(each)))
  },
  metric_row("silent_devices", sum(is.na(each$first)), "devices", nrow(each)))
}

#' The devices' shares of the cell's time, and what the medium did; NULL without a cell.
fleet_air_metrics <- function(bundle) {
  air <- device_airtime(bundle)
  if (is.null(air)) return(NULL)
  cell_s <- part_of(bundle$lab, "link", "duration_s")
  medium <- part_of(bundle$lab, "link", "medium")
  share <- 100 * air$airtime_s / cell_s
  rbind(metric_row("devices_airtime_pct", sum(share), "%", nrow(air)),
        over_clients("device_airtime_%s_pct", share, "%"),
        metric_row("fairness_airtime", jain_index(air$airtime_s), "", nrow(air)),
        metric_row("medium_busy_pct", 100 * medium$busy_s / cell_s, "%", 1),
        metric_row("collisions_of_accesses_pct", 100 * medium$collisions / medium$accesses, "%",
                   medium$accesses))
}

#' Samples of a trial with several devices: `delay_ms` of each message; in the order of the devices
#' `device_delivered_of_made_pct`, `device_delay_median_ms` and `device_airtime_pct`; NULL for
#' another trial.
#'
#' @param bundle result of [read_bundle()]. @param messages result of [message_table()].
fleet_samples <- function(bundle, messages) {
  if (!is_fleet(bundle)) return(NULL)
  each <- device_table(bundle, messages)
  values <- list(delay_ms = device_delays(bundle, messages)$delay,
                 device_delivered_of_made_pct = 100 * each$delivered / each$made,
                 device_delay_median_ms = each$delay)
  air <- device_airtime(bundle)
  if (!is.null(air)) {
    values$device_airtime_pct <- 100 * air$airtime_s / part_of(bundle$lab, "link", "duration_s")
  }
  data.table::data.table(sample = rep(names(values), lengths(values)),
                         value = unlist(values, use.names = FALSE))
}
