# Reducing events to moments. The state has a fixed size: sums, counts, open bins and conversations,
# and samples only while they are small enough to bootstrap.

#' State before the first part of a capture.
new_reduction <- function(source) {
  list(source = source, frames = 0, bytes = 0, ways = c(0, 0), moments = list(),
       first_message = Inf, last_message = -Inf, bins = list(), conversations = NULL,
       conversation = no_moments(), next_id = 0, failed_connections = 0, crashes = 0, offline = 0,
       heard = data.table::data.table(device_first = numeric(), device_last = numeric(),
                                      closed = logical()))
}

no_moments <- function() list(n = 0, sum = 0, squares = 0, sample = numeric())

#' Add values to moments.
#'
#' @param m result so far, NULL at first. @param x numbers.
#' @param spread keep their distribution, too, see [spread_rows()].
add_moments <- function(m, x, spread = FALSE) {
  if (is.null(m)) m <- no_moments()
  kept <- length(m$sample) == m$n && m$n + length(x) <= bootstrap_limit
  list(n = m$n + length(x), sum = m$sum + sum(x), squares = m$squares + sum(x^2),
       sample = if (kept) c(m$sample, x) else numeric(),
       distribution = if (spread) add_values(m$distribution, x))
}

#' Add a part of a capture.
#'
#' @param state result of [new_reduction()] or of this function.
#' @param p packets of the part with the margins that overlap its neighbours.
#' @param owned c(first, last) frame that belongs to the part.
#' @param ctx its context.
reduce_part <- function(state, p, owned, ctx) {
  inside <- function(x) x >= owned[1L] & x <= owned[2L]
  events <- all_events(ctx)[inside(frame)]
  for (name in unique(events$event)) {
    state$moments[[name]] <- add_moments(state$moments[[name]], events[event == name, value],
                                         spread = name %in% spread_events)
  }
  own <- p[inside(frame)]
  state$frames <- state$frames + nrow(own)
  state$bytes <- state$bytes + sum(as.numeric(own$len))
  state$ways <- state$ways + c(sum(own$src == ctx$device), sum(own$dst == ctx$device))
  fresh <- events[event == "message", time]
  traffic <- events[event == "traffic"]
  state <- add_bins(state, "traffic", traffic$time, traffic$value, 0.01)
  if (length(fresh)) {
    state$first_message <- min(state$first_message, fresh)
    state$last_message <- max(state$last_message, fresh)
  }
  state <- add_conversations(state, conversations(ctx), max(own$time))
  state$known <- ctx[c("protocol", "topic", "direction", "port", "transport")]
  state
}

#' Count values in bins of a width from the first value on; all but the newest bin are closed.
add_bins <- function(state, name, time, value, width) {
  if (length(time) == 0L) return(state)
  b <- state$bins[[name]]
  if (is.null(b)) b <- list(origin = time[1L], open = 0, open_sum = 0, closed = no_moments())
  index <- floor((time - b$origin) / width + 1e-9)
  sums <- rowsum(c(b$open_sum, value), c(b$open, index))
  keys <- as.numeric(rownames(sums))
  last <- which.max(keys)
  done <- sums[-last, 1L]
  b$closed <- add_moments(b$closed, unname(done[order(keys[-last])]), spread = TRUE)
  b$open <- keys[last]
  b$open_sum <- sums[last, 1L]
  state$bins[[name]] <- b
  state
}

#' Merge the conversations of a part with those of the parts before it. A part continues a
#' conversation between the same endpoints unless it holds a new handshake after that conversation's
#' end.
add_conversations <- function(state, part, end) {
  if (nrow(part) == 0L) return(state)
  data.table::setorder(part, first, stream)
  part[, turn := seq_len(.N), by = ends]
  open <- state$conversations
  if (!is.null(open)) {
    at <- match(part$ends, open$ends)
    continues <- !is.na(at) & part$turn == 1L &
      !(part$attempted & part$first > open$last[at] & startsWith(part$ends, "tcp"))
    part[continues, id := open$id[at[continues]]]
  }
  fresh <- is.na(part$id)
  part[fresh, id := state$next_id + seq_len(sum(fresh))]
  state$next_id <- state$next_id + sum(fresh)
  both <- data.table::rbindlist(list(open, part), use.names = TRUE, fill = TRUE)
  both <- both[, .(
    ends = ends[1L], first = min(first), last = max(last), device_first = min(device_first),
    device_last = max(device_last), opened = any(opened), established = any(established),
    attempted = any(attempted), spoke = any(spoke), closed = any(closed),
    mss = c(mss[!is.na(mss)], NA_integer_)[1L],
    window = c(window[!is.na(window)], NA_integer_)[1L]
  ), by = id]
  data.table::setorder(both, -last, id)
  state$conversations <- both
  close_conversations(state, end - idle_s)
}

#' Seconds without a frame after which a conversation counts as ended.
idle_s <- 300

#' Reduce conversations that ended before `until` to moments, so that few remain open.
close_conversations <- function(state, until) {
  c <- state$conversations
  done <- c[last < until]
  if (nrow(done) == 0L) return(state)
  data.table::setorder(done, device_first, id)
  state$conversation <- add_moments(state$conversation, (done$last - done$first) * 1e3,
                                    spread = TRUE)
  state$failed_connections <- state$failed_connections + sum(done$attempted & !done$established)
  for (name in c("mss", "window")) {
    state[[name]] <- c(state[[name]], done[[name]][!is.na(done[[name]])], NA)[1L]
    if (is.na(state[[name]])) state[name] <- list(NULL)
  }
  sessions <- rbind(state$heard, c[spoke == TRUE, names(state$heard), with = FALSE])
  for (from in done[opened & spoke, device_first]) {
    silence <- lost_before(sessions, from)
    state$crashes <- state$crashes + (silence > 0)
    state$offline <- state$offline + silence
  }
  state$heard <- tail(sessions[device_last <= max(done$device_last)][order(device_last)], 1L)
  state$conversations <- c[last >= until]
  state
}

#' Seconds from the device's last frame in a session that it lost to the session that it opened
#' then.
#'
#' @param sessions with `device_first`, `device_last`, `closed`. @param from start of a session.
#' @return 0 if no session was lost: there was none before, another one is still open, or the device
#'   closed the last one itself.
lost_before <- function(sessions, from) {
  before <- sessions[device_first < from]
  if (nrow(before) == 0L) return(0)
  last <- before[which.max(device_last)]
  if (last$device_last > from || last$closed) 0 else from - last$device_last
}

#' Close the state: what is left open counts, and the derived values are computed.
finish_reduction <- function(state) {
  if (!is.null(state$conversations)) state <- close_conversations(state, Inf)
  state$mss <- c(state$mss, NA)[1L]
  state$window <- c(state$window, NA)[1L]
  traffic <- state$bins$traffic
  state$busy_10ms <- add_moments(traffic$closed, unname(traffic$open_sum), spread = TRUE)
  state$bins_10ms <- traffic$open + 1
  state[names(state$known)] <- state$known
  state$persistent <- protocol_table()[[state$protocol]]$persistent
  state
}

#' Reduce a whole capture that is in memory.
#'
#' @param p packets table.
#' @param device,topic,source,ports see [measure_context()].
reduce_capture <- function(p, device, topic = NULL, source = "capture", ports = NULL) {
  reduce_context(p, measure_context(p, device, topic, source, ports = ports), source)
}

#' The same for packets with an existing context.
#'
#' @param p packets table. @param ctx its context. @param source name of the capture.
reduce_context <- function(p, ctx, source = "capture") {
  finish_reduction(reduce_part(new_reduction(source), p, range(p$frame), ctx))
}
