# Faults and interruptions of a trial: when they lasted, and what they explain.

#' Kinds of faults that hold frames back: these arrive after the fault is over.
holding_faults <- c("delay", "reorder", "rate_limit")
#' Kinds of faults that change the contents of frames.
damaging_faults <- c("truncate", "bit_flip")
#' How much later than a fault its frame may be captured or received, s.
arrival_s <- 1

#' When faults and interruptions lasted.
#'
#' @param begin the time from which the result counts, s since 1970.
#' @return data.table `kind` ("outage" and "restart" of interruptions), `from`, `to` (s; Inf if it
#'   had not ended; with the time for which the last frame was held back).
fault_spans <- function(bundle, begin) {
  rows <- bundle$server[ev %in% c("fault", "fault_over")]
  number <- as.numeric(log_values(rows, "number"))
  kind <- as.character(log_values(rows, "kind"))
  time <- as.numeric(rows$t)
  first <- which(rows$ev == "fault")
  over <- which(rows$ev == "fault_over")
  faults <- data.table::data.table(kind = kind[first], from = time[first],
                                   to = time[over][match(number[first], number[over])] +
                                     held_s(bundle, number[first], kind[first]))
  out <- rbind(faults, pair_events(bundle, "outage", "outage_over", "outage"),
               pair_events(bundle, "stopping", "started", "restart"))
  out[is.na(to), to := Inf]
  out[, `:=`(from = from - begin, to = to - begin)]
  out[order(from)]
}

#' For how long each of these faults holds a frame back, s. What still waits for a slow line is not
#' known, so that one counts to the end. The copy of a frame is captured after the fault is over.
held_s <- function(bundle, number, kind) {
  stated <- bundle$trial$parameters$faults$delay_ms[number]
  if (is.null(stated)) stated <- rep(NA_real_, length(number))
  delay <- data.table::fcoalesce(as.numeric(stated), 1000) / 1000
  data.table::fcase(kind == "rate_limit", Inf, kind %in% holding_faults, delay,
                    kind == "duplicate", arrival_s, default = 0)
}

#' Spans from each event `first` to the next event `last`.
pair_events <- function(bundle, first, last, kind) {
  from <- sort(as.numeric(log_events(bundle$server, first)$t))
  ends <- sort(as.numeric(log_events(bundle$server, last)$t))
  data.table::data.table(kind = rep(kind, length(from)), from = from,
                         to = ends[findInterval(from, ends, left.open = TRUE) + 1L])
}

#' Does each span of time overlap one of a fault?
disturbed <- function(from, to, spans) {
  vapply(seq_along(from), function(i) any(spans$from <= to[i] & spans$to >= from[i]), NA)
}

#' When frames with damaged contents may arrive.
damage_spans <- function(spans) {
  spans[kind %in% damaging_faults, .(kind, from, to = to + arrival_s)]
}

#' Rows of a table of frames or messages whose contents are the device's and the server's own: not
#' a datagram while frames are damaged, and of a TCP connection nothing from the first damage on,
#' since the rest of its stream may be read wrongly.
#'
#' @param x data.table with `time`, `stream`. @param ctx result of [oracle_context()].
#' @param spans result of [fault_spans()].
undamaged <- function(x, ctx, spans) {
  damage <- damage_spans(spans)
  if (nrow(damage) == 0L) return(x)
  if (!identical(ctx$transport, "tcp")) return(x[!disturbed(time, time, damage)])
  each <- ctx$service[, .(begin = min(time), end = max(time)), by = stream]
  first <- vapply(seq_len(nrow(each)), function(i) {
    min(damage$from[damage$from <= each$end[i] & damage$to >= each$begin[i]], Inf)
  }, 0)
  x[time < first[match(stream, each$stream)]]
}

#' `malformed` without the frames that a fault has damaged; NULL where no fault does that, since the
#' metric of the same name is right then.
malformed_metrics <- function(ctx, spans) {
  if (!any(spans$kind %in% damaging_faults)) return(NULL)
  bad <- ctx$service[frame %in% malformed_events(ctx)$frame]
  metric_row("malformed", nrow(undamaged(bad, ctx, spans)), "packets", nrow(ctx$service))
}

#' Does a fault of this trial change the contents of frames?
damages <- function(bundle) any(bundle$trial$parameters$faults$kind %in% damaging_faults)

#' Which acknowledged messages were lost by a fault and not by a party: those that a server had in
#' hand when it lost its state, by SIGKILL or as the fault states, and those whose number was
#' damaged. They lie between the last message that arrived before the fault and the first after it.
#'
#' @param messages result of [message_table()]. @param lost its rows to explain.
#' @return logical, one for each row of `lost`; NULL where the log does not determine it.
explained_losses <- function(bundle, messages, lost) {
  out <- rep(FALSE, nrow(lost))
  spans <- fault_spans(bundle, 0)
  states <- as.character(bundle$trial$parameters$faults$state)
  spans <- spans[kind %in% c("server_kill", damaging_faults) |
                   (kind == "server_restart" & "lost" %in% states)]
  if (nrow(spans) == 0L || nrow(lost) == 0L) return(out)
  if (receives(bundle)) return(NULL) # on the device's clock
  for (i in seq_len(nrow(spans))) {
    for (one in unique(lost$sender)) {
      mine <- messages[sender == one & !is.na(time)]
      last <- max(mine$seq[mine$time < spans$from[i]], -Inf)
      following <- min(mine$seq[mine$time > spans$to[i] + arrival_s], Inf)
      out <- out | (lost$sender == one & lost$seq > last & lost$seq < following)
    }
  }
  out
}

#' When the fault `device_reset` has reset the device, s since 1970.
reset_times <- function(bundle) {
  rows <- log_events(bundle$server, "fault")
  sort(as.numeric(rows$t)[as.character(log_values(rows, "kind")) %in% "device_reset"])
}

#' Less than a device needs from a reset to its next message (START_MS of hil/rig/boards/config.py),
#' and more than what was under way then, s.
life_begins_s <- 0.5

#' The bundle with messages numbered on across the fault `device_reset`: the device itself begins
#' with 1 again. One that was reset before its first line has a life less in its log; so has
#' one that has ended before.
renumbered <- function(bundle) {
  resets <- reset_times(bundle)
  if (length(resets) == 0L || receives(bundle) || !"seq" %in% names(bundle$board)) return(bundle)
  board <- data.table::copy(bundle$board)
  woken <- as.character(log_values(board, "reason")) %in% "deep_sleep"
  life <- cumsum(board$ev == "boot" & !woken)
  made <- vapply(seq_len(max(life)), function(i) max(board$seq[life == i], 0, na.rm = TRUE), 0)
  before <- c(0, cumsum(made))
  board[, seq := seq + before[pmax(life, 1L)]]
  server <- data.table::copy(bundle$server)
  own <- server$ev == "received" & !as.character(log_values(server, "server")) %in% "load"
  if ("seq" %in% names(server)) {
    turn <- findInterval(as.numeric(server$t), resets + life_begins_s) + 1L
    unwritten <- if (any(board$ev == "end")) 0L else length(resets) + 1L - length(made)
    turn <- pmax(turn - max(unwritten, 0L), 1L)
    server[own, seq := seq + before[pmin(turn[own], length(before))]]
  }
  bundle$board <- board
  bundle$server <- server
  bundle
}
