# Endurance: the messages that a trial with restarts and outages lost, where, and its recovery.

#' The fate of every message, see [message_table()].
#'
#' `dropped`: neither delivered nor ever handed to the network. `lost`: handed to the network, or to
#' an engine, and not delivered; `lost_silently`: those whose loss the sender does not know, and
#' `lost_acknowledged` those that were acknowledged to the sender, which violates the guarantee.
#' `duplicated`: further copies. `out_of_order`: first copies that arrived after a later number of
#' their sender. `longest_gap_s`: between two deliveries.
#'
#' @param messages result of [message_table()].
message_fates <- function(messages) {
  lost <- messages[sent == TRUE & is.na(time)]
  came <- messages[!is.na(time)][order(time)]
  late <- came[, .(late = sum(seq < cummax(seq))), by = sender]
  data.table::data.table(
    made = nrow(messages), delivered = nrow(came),
    dropped = messages[sent == FALSE & is.na(time), .N],
    lost = nrow(lost), lost_silently = lost[is.na(failed), .N],
    lost_acknowledged = sum(lost$acked), duplicated = sum(pmax(messages$copies - 1L, 0L)),
    out_of_order = sum(late$late),
    longest_gap_s = if (nrow(came) > 1L) max(diff(came$time)) else NA_real_
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

#' The largest value in the first half, `early`, and in the second, `late`; NA if there are none.
halves <- function(values) {
  greatest <- function(x) if (length(x)) max(x) else NA_real_
  values <- as.numeric(values)
  late <- seq_along(values) > length(values) / 2
  list(early = greatest(values[!late]), late = greatest(values[late]))
}

#' What the server used at most, where the trial looks (`footprint_s`): `server_open_files_max`,
#' `server_memory_max_kib` (not backed by a file). NULL for other trials.
#'
#' @param bundle result of [read_bundle()].
footprint_metrics <- function(bundle) {
  looks <- log_events(bundle$server, "footprint")
  mine <- looks[as.character(log_values(looks, "server")) != "lab"]
  if (nrow(mine) == 0L) return(NULL)
  most <- function(key) max(as.numeric(log_values(mine, key)))
  rbind(metric_row("server_open_files_max", most("open_files"), "files", nrow(mine)),
        metric_row("server_memory_max_kib", most("memory_kib"), "KiB", nrow(mine)))
}

#' The laboratory's use of resources, see `footprint_s` in parameters.schema.json.
#'
#' `lab_*`: all of its processes; `server_*`: the one that the device talks to, with its children.
#' `processes`, `open_files`, `memory_kib` (KiB, not backed by a file), by [halves()] of the looks.
#'
#' @param bundle result of [read_bundle()].
footprints <- function(bundle) {
  looks <- log_events(bundle$server, "footprint")
  lab <- as.character(log_values(looks, "server")) == "lab"
  keys <- c(processes = "processes", open_files = "open_files", memory_kib = "memory_kib")
  found <- lapply(list(lab = looks[lab], server = looks[!lab]), function(rows) {
    lapply(keys, function(key) halves(log_values(rows, key)))
  })
  row <- data.table::as.data.table(as.list(unlist(found)))
  data.table::setnames(row, gsub(".", "_", names(row), fixed = TRUE))[]
}

#' One row about a bundle: [message_fates()], recovery from restarts and outages, the board's
#' memory, and the laboratory's [footprints()].
#'
#' `reconnects`: sessions after the first. `heap_used_first`, `heap_used_last`: bytes in use at the
#' board's first and last `stat` line; `heap_used_early`, `heap_used_late`: the most by [halves()]
#' of them; `heap_free_min`, `stack_free_min`: the least that was ever free, bytes, at the last one.
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
  heap <- halves(log_values(stats, "heap_used"))
  data.table::data.table(
    trial = bundle$trial$trial, outcome = bundle$lab$outcome,
    hours = if (is.null(duration)) NA_real_ else duration / 3600,
    message_fates(message_table(bundle)),
    restarts = length(restarts), restart_median_s = middle(restarts),
    restart_max_s = longest(restarts), outages = length(outages),
    outage_median_s = middle(outages), outage_max_s = longest(outages),
    reconnects = at_end("connects") - 1,
    heap_used_first = c(as.numeric(log_values(stats, "heap_used")), NA_real_)[1L],
    heap_used_last = at_end("heap_used"), heap_used_early = heap$early,
    heap_used_late = heap$late, heap_free_min = at_end("heap_free_min"),
    stack_free_min = at_end("stack_free_min"),
    crashes = nrow(log_events(bundle$board, "crash")), footprints(bundle)
  )
}
