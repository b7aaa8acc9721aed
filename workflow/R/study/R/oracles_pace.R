# Oracles of pace: storms of connections and repetitions, connections that pile up, silence.

#' The length of the window of a storm, s.
storm_window_s <- 10

#' The most events within any window of [storm_window_s].
most_within <- function(times, window = storm_window_s) {
  times <- sort(times)
  if (length(times) == 0L) return(0L)
  max(seq_along(times) - findInterval(times - window, times))
}

#' `connections_per_10s_max`: TCP connections that the device opened within any 10 s, answered or
#' not. `repetitions_per_10s_max`: its repeated messages and TCP's retransmissions within any 10 s
#' (RFC 6298, 5.5 and RFC 7252, 4.2 have them back off). `connections_open_max`: its connections
#' that were open at once, as far as their ends were captured.
#'
#' @param ctx result of [oracle_context()]. @param spans result of [fault_spans()].
storm_metrics <- function(ctx, spans) {
  opened <- ctx$service[syn == TRUE & src == ctx$device][order(time)][!duplicated(stream)]
  again <- repetition_events(ctx)
  again <- unique(again[frame %in% ctx$packets[src == ctx$device, frame]], by = "frame")
  rbind(
    if (identical(ctx$transport, "tcp")) {
      metric_row("connections_per_10s_max", most_within(opened$time), "connections",
                 nrow(opened))
    },
    metric_row("repetitions_per_10s_max", most_within(again$time), "frames", nrow(again)),
    open_connections(ctx, spans[kind == "device_reset", from])
  )
}

#' The connections that are open at once. A reset of the device ends those that it has.
open_connections <- function(ctx, resets) {
  s <- ctx$service[transport == "tcp"]
  if (nrow(s) == 0L) return(NULL)
  each <- s[, .(begin = min(time), end = min(time[fin | rst], Inf)), by = stream]
  each[, end := pmin(end, c(resets, Inf)[findInterval(begin, resets) + 1L])]
  open <- vapply(each$begin, function(t) sum(each$begin <= t & each$end > t), 0L)
  metric_row("connections_open_max", max(open), "connections", nrow(each))
}

#' `silence_max_s`: the longest time without a frame of the device from its first one to the end of
#' the trial; of a time that overlaps faults only what comes before or after them.
silence_metrics <- function(bundle, ctx, spans) {
  at <- ctx$packets[src == ctx$device, sort(time)]
  if (length(at) == 0L) return(NULL)
  lasts <- bundle$trial$parameters$duration_s
  end <- max(at, if (isTRUE(lasts > 0)) at[1L] + lasts)
  from <- at
  to <- c(at[-1L], end)
  quiet <- vapply(seq_along(from), function(i) {
    inside <- which(spans$from < to[i] & spans$to > from[i])
    if (length(inside) == 0L) return(to[i] - from[i])
    max(min(spans$from[inside]) - from[i], to[i] - max(spans$to[inside]), 0)
  }, 0)
  metric_row("silence_max_s", max(quiet), "s", length(at))
}
