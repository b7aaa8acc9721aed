# Sessions with a cloud, by phase: the cost of connecting, of a message and of disconnecting (AAMEC
# 2019, section V). The client's log has the beginning of each phase
# (hil/peers/cloud/locustfile.py); the capture was made at the client, so a frame belongs to the
# phase in which it was captured.

#' Does a trial have sessions whose phases are in its log?
has_phases <- function(parameters) identical(parameters$peer, "cloud")

#' The phases of a bundle in their order.
#'
#' @return data.table `begin` (s since 1970), `phase` (connect, message, disconnect), `session`.
phase_table <- function(bundle) {
  rows <- log_events(bundle$board, "phase")[order(t)]
  phase <- log_values(rows, "phase")
  data.table::data.table(begin = as.numeric(rows$t), phase, session = cumsum(phase %in% "connect"))
}

#' Frames of TCP by the phase in which they passed; those before the first session are left out.
#'
#' @param packets result of [dissect()]. @param device the client's address.
phase_frames <- function(phases, packets, device) {
  frames <- packets[!is.na(tcp_stream), .(at = as.numeric(epoch), len, tcp_len,
                                        out = ip_src == device)]
  frames[, place := findInterval(at, phases$begin)]
  frames <- frames[place > 0L]
  frames[, `:=`(phase = phases$phase[place], session = phases$session[place])]
  frames[]
}

#' Metrics of the phases of a trial, as Wireshark counts: whole frames, TCP's own included.
#'
#' `phase_P_bytes`, `phase_P_out_bytes`, `phase_P_in_bytes`, `phase_P_data_bytes` (TCP's payload),
#' `phase_P_packets` of P connect and disconnect: of a session, of P message: of a message;
#' `session_bytes` and so on: of a session;
#' `session_ms`: from its begin to its end as the client sees it, `session_message_ms`,
#' `session_field_ms`: that by messages, and by messages and property fields (AAMEC 2019, section
#' V);
#' `session_round_trips`: that by the round trip of the path.
#'
#' @param bundle result of [read_bundle()]. @param packets result of [dissect()].
phase_metrics <- function(bundle, packets) {
  parameters <- bundle$trial$parameters
  phases <- phase_table(bundle)
  frames <- phase_frames(phases, packets, bundle$device)
  sessions <- max(phases$session, 0L)
  of <- list(connect = sessions, message = sum(phases$phase %in% "message"), disconnect = sessions)
  rows <- lapply(names(of), function(name) {
    counted_rows(paste0("phase_", name), frames[phase %in% name], of[[name]])
  })
  data.table::rbindlist(c(rows, list(counted_rows("session", frames, sessions),
                                     session_times(bundle, parameters))))
}

#' Bytes by direction and packets of some frames, by their number of `n` phases or sessions; NULL if
#' there was none.
counted_rows <- function(name, frames, n) {
  if (n == 0L) return(NULL)
  values <- c(sum(frames$len), frames[(out), sum(len)], frames[!(out), sum(len)],
              sum(frames$tcp_len), nrow(frames))
  metric_row(paste0(name, c("_bytes", "_out_bytes", "_in_bytes", "_data_bytes", "_packets")),
             values / n, rep(c("bytes", "packets"), c(4L, 1L)), n)
}

session_times <- function(bundle, parameters) {
  sessions <- log_events(bundle$board, "session")
  took <- as.numeric(log_values(sessions, "us")) / 1000
  if (!length(took)) return(NULL)
  if (length(parameters$session_mix)) {
    return(mixed_times(took, as.numeric(log_values(sessions, "messages"))))
  }
  each <- mean(took)
  path <- 2 * c(parameters$delay_ms, 0)[1L]
  values <- c(each, each / parameters$session_messages,
              each / parameters$session_messages / parameters$fields)
  out <- metric_row(c("session_ms", "session_message_ms", "session_field_ms"), values, "ms",
                    length(took))
  if (path == 0) return(out)
  rbind(out, metric_row("session_round_trips", each / path, "round trips", length(took)))
}

#' Times of sessions of several lengths (`session_mix`): `session_of_N_ms`, and by its messages
#' `session_of_N_message_ms`.
#'
#' @param took ms of each session. @param messages its length.
mixed_times <- function(took, messages) {
  lengths <- sort(unique(messages))
  rows <- lapply(lengths, function(n) {
    mine <- took[messages == n]
    metric_row(sprintf(c("session_of_%d_ms", "session_of_%d_message_ms"), as.integer(n)),
               mean(mine) / c(1, n), "ms", length(mine))
  })
  data.table::rbindlist(rows)
}
