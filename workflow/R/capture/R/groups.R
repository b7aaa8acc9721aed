# Tables per topic and per peer: the metrics that belong to single messages.

#' Metrics of the messages of each topic or peer.
#'
#' @param samples file of [append_samples()], one capture's. @param by "topic" or "peer".
#' @return data.table `group`, `metric`, `value`, `unit`, `n`; the group with the most messages
#'   first. The groups' `messages` add up to the capture's. NULL if there is no message.
group_metrics <- function(samples, by) {
  rows <- read_samples(samples, c(by, "time_s", "request_ack_ms", "response_ms", "copies", "bytes",
                                  "payload_bytes"))
  if (nrow(rows) == 0L) return(NULL)
  rows[, group := data.table::fifelse(is.na(rows[[by]]), "", rows[[by]])]
  out <- rows[, message_metrics(.SD), by = group]
  sizes <- rows[, .N, by = group][order(-N, group)]
  out[order(match(group, sizes$group))]
}

#' Metrics of messages, see docs/metrics.md. @param s samples.
message_metrics <- function(s) {
  n <- nrow(s)
  times <- function(x) add_moments(NULL, x[!is.na(x)], spread = TRUE)
  gaps <- times(diff(s$time_s) * 1e3)
  data.table::rbindlist(list(
    metric_row("messages", n, "messages", n),
    metric_row("copies", sum(s$copies), "messages", n),
    metric_row("message_bytes", sum(s$bytes), "bytes", n),
    metric_row("payload_bytes", sum(s$payload_bytes), "bytes", n),
    spread_rows("request_ack_mean_ms", "ms", times(s$request_ack_ms)),
    spread_rows("response_mean_ms", "ms", times(s$response_ms)),
    spread_rows("interarrival_mean_ms", "ms", gaps),
    rate_rows("delivery_per_s_mean", "messages/s", gaps)
  ))
}
