# From events to the metrics of one capture. docs/metrics.md lists them; each is defined here once.

#' Rows of a metrics table.
#'
#' @param metric,value,unit,n columns of the rows: name, number, unit, how many values it rests on.
metric_row <- function(metric, value, unit, n) {
  rows <- max(length(metric), length(value), length(unit), length(n))
  # data.table() takes three times as long, and a trial has a hundred of these
  data.table::setDT(list(metric = rep_len(metric, rows), value = rep_len(as.numeric(value), rows),
                         unit = rep_len(unit, rows), n = rep_len(as.numeric(n), rows)))
}

#' Rows for a mean and the limits of its 95 % interval.
#'
#' @param s list(n, sum, squares, sample): moments, and the sample itself unless it was too large.
#' @param metric,unit name and unit of the mean.
mean_rows <- function(metric, unit, s) {
  if (is.null(s) || s$n == 0) return(NULL)
  mean <- s$sum / s$n
  spread <- sqrt(max(0, (s$squares - s$n * mean^2) / (s$n - 1)))
  interval <- if (length(s$sample) == s$n) bootstrap_interval(s$sample) else
    normal_interval(s$n, mean, spread)
  rows <- metric_row(metric, mean, unit, s$n)
  if (anyNA(interval)) return(rows)
  limits <- metric_row(paste0(metric, c("_ci95_low", "_ci95_high")), interval, unit, s$n)
  data.table::rbindlist(list(rows, limits))
}

#' Rows for a mean, and for the median, 95th and 99th percentile and greatest of its values.
#'
#' @param metric its name, with `_mean_` in it. @param unit its unit.
#' @param s result of [add_moments()] with the distribution.
spread_rows <- function(metric, unit, s) {
  rows <- mean_rows(metric, unit, s)
  if (is.null(rows)) return(NULL)
  d <- s$distribution
  names <- vapply(spread_names, function(name) sub("_mean_", paste0("_", name, "_"), metric), "")
  values <- c(distribution_quantiles(d, c(0.5, 0.95, 0.99)), d$max)
  data.table::rbindlist(list(rows, metric_row(names, values, unit, s$n)))
}

#' The statistics beside a mean, in the order of [spread_rows()].
spread_names <- c("median", "p95", "p99", "max")

#' Rows for a rate and the limits of its interval, from the gaps between the counted events: the
#' number of gaps divided by their total time, which does not depend on where seconds begin.
#'
#' @param metric,unit name and unit of the rate, per second. @param gaps moments of the gaps, ms.
rate_rows <- function(metric, unit, gaps) {
  rows <- mean_rows(metric, unit, gaps)
  if (is.null(rows) || gaps$sum <= 0) return(NULL)
  rows[, value := 1000 / value]
  if (nrow(rows) == 3L) rows[2:3, value := rev(value)]
  rows[is.finite(value)]
}

#' Metrics that are means over events, with unit: metric = event.
mean_metrics <- list(
  request_ack_mean_ms = "request_ack", response_mean_ms = "response_time",
  device_ack_rtt_mean_ms = "device_ack_rtt", interarrival_mean_ms = "interarrival"
)

#' Events whose distribution is kept.
spread_events <- c(unlist(mean_metrics), "con_attempts")

#' All metrics of one capture.
#'
#' @param r result of [reduce_capture()].
#' @return data.table `metric`, `value`, `unit`, `n`, sorted by metric. Metrics that the capture
#'   does not determine are absent.
capture_metrics <- function(r) {
  rows <- list(count_metrics(r), loss_metrics(r), time_metrics(r), traffic_metrics(r),
               session_metrics(r), reason_metrics(r))
  out <- data.table::rbindlist(rows)[is.finite(value)]
  data.table::setorder(out, metric)
  out[]
}

total <- function(r, event) if (is.null(r$moments[[event]])) 0 else r$moments[[event]]$sum
count <- function(r, event) if (is.null(r$moments[[event]])) 0 else r$moments[[event]]$n

#' Counts: messages (without repetitions), frames whose first message counts, frames with malformed
#' packets, retransmissions, and those that UFES counts (6.1, Fig. 4): TCP's spurious ones, CoAP's
#' repeated requests.
count_metrics <- function(r) {
  n <- count(r, "message")
  again <- count(r, if (r$transport == "tcp") "spurious" else "message_repeated")
  data.table::rbindlist(list(
    metric_row("messages", n, "messages", n),
    metric_row("messages_repeated", count(r, "message_repeated"), "messages", n),
    metric_row("frames_with_messages", count(r, "message_frame"), "frames", n),
    metric_row("retransmissions", count(r, "retransmission"), "frames", r$frames),
    metric_row("unseen_segments", count(r, "unseen"), "frames", r$frames),
    metric_row("malformed", count(r, "malformed"), "packets", r$frames),
    metric_row("spurious_retransmissions", count(r, "spurious"), "frames", r$frames),
    metric_row("retransmission_ratio_pct", 100 * count(r, "retransmission") / n, "%", n),
    metric_row("repetition_ratio_pct", 100 * again / n, "%", n),
    attempt_rows(r)
  ))
}

#' Attempts at each confirmable message of CoAP; NULL where there is none.
attempt_rows <- function(r) {
  s <- r$moments$con_attempts
  if (is.null(s)) return(NULL)
  rbind(mean_rows("con_attempts_mean", "attempts", s),
        metric_row("con_attempts_max", s$distribution$max, "attempts", s$n),
        metric_row("con_over_three_attempts", count(r, "con_over_three"), "messages", s$n))
}

#' Losses after KU Leuven (Fig. 25).
#'
#' `messages_behind_first_pct`, protocols with a stream of messages: 1 - frames / messages, the
#' share that is not the first of its frame; no loss, except for a device that reads only the first
#' message of each segment. `device_loss_pct`, CoAP and HTTP: requests without response, though the
#' network did not lose them, per answered request.
#' `network_loss_pct`: over TCP, messages never acknowledged and HTTP connections never established;
#' CoAP: confirmable requests that got neither acknowledgement nor response. `messages_reached`: the
#' others, known to have reached their receiver.
loss_metrics <- function(r) {
  n <- count(r, "message")
  if (r$protocol %in% request_protocols()) {
    answered <- count(r, "request_answered")
    attempts <- if (r$protocol == "http") r$failed_connections else 0
    silent <- count(r, if (r$protocol == "coap") "request_silent" else "message_unacked")
    network <- 100 * (silent + attempts) / (n + attempts)
    device <- if (answered > 0) 100 * (n - answered) / answered else NA
    special <- rbind(metric_row("responses", answered, "messages", n),
                     metric_row("device_loss_pct", device, "%", n))
  } else {
    silent <- if (r$transport == "tcp") count(r, "message_unacked") else NA
    network <- 100 * silent / n
    behind <- 100 * (1 - count(r, "message_frame") / n)
    special <- metric_row("messages_behind_first_pct", behind, "%", n)
  }
  data.table::rbindlist(list(metric_row("network_loss_pct", network, "%", n),
                             metric_row("messages_reached", n - silent, "messages", n), special))
}

#' Times: means over events, conversations, UFES's transmission time, delivery per second.
time_metrics <- function(r) {
  rows <- lapply(names(mean_metrics), function(metric) {
    spread_rows(metric, "ms", r$moments[[mean_metrics[[metric]]]])
  })
  ack <- r$moments$request_ack
  transmission <- if (!is.null(ack)) {
    metric_row("transmission_mean_ms", ack$sum / ack$n / 2, "ms", ack$n)
  }
  rows <- c(rows, list(
    transmission,
    mean_rows("connecting_mean_ms", "ms", r$moments$connecting),
    mean_rows("connecting_resumed_mean_ms", "ms", r$moments$connecting_resumed),
    spread_rows("conversation_mean_ms", "ms", r$conversation),
    rate_rows("delivery_per_s_mean", "messages/s", r$moments$interarrival),
    equation_one(r)
  ))
  data.table::rbindlist(rows)
}

#' UFES's equation 1 as printed: the *sum* of the times of two consecutive messages, averaged over
#' all messages. It grows with the length of the trial; the intended metric is
#' `interarrival_mean_ms`.
equation_one <- function(r) {
  n <- count(r, "message")
  if (count(r, "interarrival_sum") == 0) return(NULL)
  metric_row("interarrival_equation_ms", total(r, "interarrival_sum") / n, "ms", n)
}

#' Bytes: throughput after KU Leuven, goodput, cost of a message, AAMEC's phases, the ledger.
traffic_metrics <- function(r) {
  n <- count(r, "message")
  bytes <- total(r, "service_bytes")
  packets <- count(r, "service_bytes")
  span <- r$last_message - r$first_message
  accounts <- ledger_of(vapply(r$moments, `[[`, 0, "sum"), r$source)
  phase <- function(name, event) {
    metric_row(name, total(r, event), "bytes", count(r, event))
  }
  data.table::rbindlist(list(
    spread_rows("throughput_mean_bytes_per_10ms", "bytes", r$busy_10ms),
    metric_row("throughput_span_mean_bytes_per_10ms", total(r, "traffic") / r$bins_10ms, "bytes",
               r$bins_10ms),
    metric_row("goodput_bytes_per_s", if (span > 0) total(r, "payload") / span else NA, "bytes/s",
               n),
    metric_row("bytes_per_message", bytes / n, "bytes", n),
    metric_row("packets_per_message", packets / n, "packets", n),
    metric_row("header_bytes_per_message", sum(accounts[c("header", "properties")]) / n, "bytes",
               n),
    if (accounts[["properties"]] > 0) {
      metric_row("property_bytes_per_message", accounts[["properties"]] / n, "bytes", n)
    },
    phase("connect_bytes", "connect_bytes"), phase("exchange_bytes", "exchange_bytes"),
    phase("disconnect_bytes", "disconnect_bytes"),
    mean_rows("connection_bytes", "bytes", r$moments$connection_bytes),
    mean_rows("connection_resumed_bytes", "bytes", r$moments$connection_bytes_resumed),
    mean_rows("handshake_bytes", "bytes", r$moments$handshake_bytes),
    mean_rows("handshake_resumed_bytes", "bytes", r$moments$handshake_bytes_resumed),
    mean_rows("record_overhead_bytes", "bytes", r$moments$record_overhead),
    mean_rows("record_overhead_cid_bytes", "bytes", r$moments$record_overhead_cid),
    mean_rows("record_framing_bytes", "bytes", r$moments$record_framing),
    mean_rows("oscore_request_bytes", "bytes", r$moments$oscore_request),
    mean_rows("oscore_response_bytes", "bytes", r$moments$oscore_response),
    metric_row("exchange_bytes_per_message", total(r, "exchange_bytes") / n, "bytes", n),
    if (count(r, "exchange") == n) { # the limits: no frame holds two messages
      mean_rows("exchange_bytes_per_message", "bytes", r$moments$exchange)[-1L]
    },
    account_rows(accounts, r$frames),
    metric_row("captured_bytes", r$bytes, "bytes", r$frames),
    metric_row("captured_frames", r$frames, "frames", r$frames)
  ))
}

#' Rows of the ledger's accounts; `properties` only where there are some.
#'
#' @param accounts result of [ledger_of()]. @param frames captured.
account_rows <- function(accounts, frames) {
  accounts <- accounts[names(accounts) != "properties" | accounts > 0]
  metric_row(paste0("ledger_", names(accounts), "_bytes"), accounts, "bytes", frames)
}

#' The device's TCP options and, after KU Leuven (Fig. 25), its crashes: how often it opened a
#' session after it had lost one, and the seconds between its last frame before and the first one
#' after.
session_metrics <- function(r) {
  data.table::rbindlist(list(
    metric_row("conversations", r$conversation$n, "conversations", r$conversation$n),
    if (count(r, "keepalive")) {
      metric_row("keepalives", count(r, "keepalive"), "requests", count(r, "keepalive"))
    },
    metric_row("device_mss_bytes", r$mss, "bytes", 1),
    metric_row("device_window_bytes", r$window, "bytes", 1),
    if (isTRUE(r$persistent)) metric_row("device_crashes", r$crashes, "restarts", r$conversation$n),
    if (isTRUE(r$persistent)) metric_row("device_offline_s", r$offline, "s", r$conversation$n)
  ))
}

#' Distributions that a capture gives of a message's times, by the name of the sample.
timed_events <- c(device_ack_rtt_ms = "device_ack_rtt", request_ack_ms = "request_ack",
                  response_ms = "response_time")

#' The times behind the means of [time_metrics()]: `device_ack_rtt_ms`, `request_ack_ms`,
#' `response_ms`, `conversation_ms`; up to a million of each, of more none.
#'
#' @param r result of [reduce_capture()].
#' @return data.table `sample`, `value`.
capture_samples <- function(r) {
  spread <- c(lapply(timed_events, function(event) r$moments[[event]]$distribution),
              list(conversation_ms = r$conversation$distribution))
  values <- lapply(spread, `[[`, "values")
  data.table::data.table(sample = rep(names(values), lengths(values)),
                         value = as.numeric(unlist(values, use.names = FALSE)))
}
