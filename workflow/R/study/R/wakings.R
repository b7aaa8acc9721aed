# Deep sleep: the cost of a wake-up, by the device's log.

#' Every wake-up of a device in deep sleep, by its clock.
#'
#' @param board the log, see [read_bundle()].
#' @return data.table, ms from the start of the firmware: `ack`, to the first acknowledgement, and
#'   `awake`, until it sleeps again, or ends; `resumed`: did it resume a session? NA without one.
waking_table <- function(board) {
  start <- cumsum(board$ev == "boot")
  woken <- board[, which(ev == "boot" & reason == "deep_sleep")]
  rows <- lapply(woken, function(at) {
    mine <- board[start == start[at]]
    first <- function(...) c(as.numeric(mine[ev %in% c(...), t]), NA)[1L] / 1e3
    data.table::data.table(
      ack = first("acked") - first("boot"), awake = first("sleeping", "end") - first("boot"),
      resumed = c(log_values(log_events(mine, "secured"), "resumed") == 1, NA)[1L])
  })
  data.table::rbindlist(rows)
}

#' Metrics of wake-ups, means: `waking_ack_mean_ms`, `waking_awake_mean_ms`, and the share of them
#' that resumed a session, `waking_resumed_pct`; NULL for a device that does not sleep deeply.
#'
#' @param bundle result of [read_bundle()].
waking_metrics <- function(bundle) {
  if (!isTRUE(bundle$trial$parameters$deep_sleep)) return(NULL)
  wakings <- waking_table(bundle$board)
  if (nrow(wakings) == 0L) return(NULL)
  mean_of <- function(name, x) mean_rows(name, "ms", add_moments(NULL, x[!is.na(x)]))
  resumed <- wakings[!is.na(resumed), resumed]
  rbind(mean_of("waking_ack_mean_ms", wakings$ack), mean_of("waking_awake_mean_ms", wakings$awake),
        if (length(resumed)) {
          metric_row("waking_resumed_pct", 100 * mean(resumed), "%", length(resumed))
        })
}
