# Endurance: what a trial with restarts and outages lost, where, and how it came back.

#' What became of every message that the device made.
#'
#' `made`: numbers with a line `sent` or `failed`. `delivered`: those that the server's log has.
#' `dropped_at_device`: neither delivered nor ever handed to the network (`failed` without `sent`:
#' no place in the backlog, no session, the run's end). `lost`: handed to the network, or to an
#' engine, and not delivered; `lost_silently`: those of them that the device does not know of, and
#' `lost_acknowledged` those that it takes for delivered, a broken guarantee. `duplicated`: further
#' copies. `out_of_order`: first copies behind a later number. `longest_gap_s`: between two
#' deliveries.
message_fates <- function(bundle) {
  numbers <- function(event) {
    unique(as.numeric(log_values(log_events(bundle$board, event), "seq")))
  }
  sent <- numbers("sent")
  failed <- numbers("failed")
  acknowledged <- numbers("acked")
  got <- receipts(bundle)
  data.table::setorder(got, time)
  first <- got[!duplicated(seq)]
  made <- union(sent, failed)
  lost <- setdiff(sent, first$seq)
  data.table::data.table(
    made = length(made), delivered = sum(made %in% first$seq),
    dropped_at_device = length(setdiff(setdiff(failed, sent), first$seq)),
    lost = length(lost), lost_silently = length(setdiff(lost, failed)),
    lost_acknowledged = sum(lost %in% acknowledged), duplicated = nrow(got) - nrow(first),
    out_of_order = sum(first$seq < cummax(first$seq)),
    longest_gap_s = if (nrow(first) > 1L) max(diff(first$time)) else NA_real_
  )
}

#' Times from the ends of interruptions to the first delivery after each, seconds.
#'
#' @param event `started` (a server is up again) or `outage_over`. An interruption after which
#'   nothing arrived any more gives NA.
recovery_times <- function(bundle, event) {
  ends <- as.numeric(log_events(bundle$server, event)$t)
  arrivals <- sort(receipts(bundle)$time)
  arrivals[findInterval(ends, arrivals, left.open = TRUE) + 1L] - ends
}

#' One row about a bundle: [message_fates()], recovery from restarts and outages, memory.
#'
#' `reconnects`: sessions after the first. `heap_used_first`, `heap_used_last`: bytes in use at the
#' board's first and last `stat` line; `heap_free_min`, `stack_free_min`: the least that was ever
#' free, bytes, at the last one.
#'
#' @param bundle result of [read_bundle()].
endurance <- function(bundle) {
  restarts <- recovery_times(bundle, "started")
  outages <- recovery_times(bundle, "outage_over")
  stats <- log_events(bundle$board, "stat")
  at_end <- function(key) c(tail(as.numeric(log_values(stats, key)), 1L), NA_real_)[1L]
  middle <- function(x) if (length(x)) median(x) else NA_real_
  longest <- function(x) if (length(x)) max(x) else NA_real_
  duration <- bundle$trial$parameters$duration_s
  data.table::data.table(
    trial = bundle$trial$trial, outcome = bundle$lab$outcome,
    hours = if (is.null(duration)) NA_real_ else duration / 3600, message_fates(bundle),
    restarts = length(restarts), restart_median_s = middle(restarts),
    restart_max_s = longest(restarts), outages = length(outages),
    outage_median_s = middle(outages), outage_max_s = longest(outages),
    reconnects = at_end("connects") - 1,
    heap_used_first = c(as.numeric(log_values(stats, "heap_used")), NA_real_)[1L],
    heap_used_last = at_end("heap_used"), heap_free_min = at_end("heap_free_min"),
    stack_free_min = at_end("stack_free_min"),
    crashes = nrow(log_events(bundle$board, "crash"))
  )
}
