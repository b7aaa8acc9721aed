# Metrics of each client of a load: the fate of its messages, or the messages that it received.

#' The spread of a quantity over the clients of a load: least, median and greatest.
#'
#' @param name of the metrics, with "%s" for which. @param x a value for each client.
over_clients <- function(name, x, unit) {
  which <- c("least", "median", "greatest")
  metric_row(sprintf(name, which), quantile(x, c(0, 0.5, 1), names = FALSE), unit, length(x))
}

#' Metrics of the clients of a trial's load, each of which counts as one; NULL where it has fewer
#' than two.
#'
#' Of clients that send: the share of the messages made by each that was delivered, and the median
#' round trip of each where they wait for answers. Of subscribers: the share of the messages sent by
#' the device that reached each. docs/metrics.md defines them.
#'
#' @param bundle result of [read_bundle()]. @param messages result of [message_table()].
client_metrics <- function(bundle, messages) {
  clients <- bundle$trial$parameters$clients
  if (is.null(clients) || clients < 2L) return(NULL)
  who <- as.character(log_values(bundle$server, "server"))
  load <- bundle$server[!is.na(who) & who == "load"]
  if (identical(bundle$trial$parameters$role, "publish")) {
    return(subscriber_metrics(load, messages[sent == TRUE, seq], clients))
  }
  each <- messages[, .(share = 100 * mean(!is.na(time))), by = sender]
  rows <- if (nrow(each)) over_clients("client_delivered_of_made_%s_pct", each$share, "%")
  answered <- log_events(load, "acked")
  trips <- data.table::data.table(sender = as.character(log_values(answered, "client")),
                                  rtt = as.numeric(log_values(answered, "rtt_us")) / 1000)
  trips <- trips[!is.na(rtt), .(rtt = median(rtt)), by = sender]
  rbind(rows, if (nrow(trips)) over_clients("client_rtt_median_%s_ms", trips$rtt, "ms"))
}

#' Messages received by each subscriber of a load, without copies; a subscriber that received none
#' is known only from the number of `clients`.
#'
#' @param load lines of the load's log. @param sent numbers of the messages that the device sent.
subscriber_metrics <- function(load, sent, clients) {
  if (length(sent) == 0L) return(NULL)
  got <- log_events(load, "received")
  reached <- unique(data.table::data.table(sender = as.character(log_values(got, "client")),
                                           seq = as.numeric(log_values(got, "seq"))))
  each <- reached[seq %in% sent, .N, by = sender]$N
  over_clients("subscriber_received_of_sent_%s_pct",
               100 * c(each, rep(0, clients - length(each))) / length(sent), "%")
}
