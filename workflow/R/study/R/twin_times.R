# The times of recorded captures beside those of the lab's trials of the same design.

#' The times that are compared, for each protocol: a sample of [capture_samples()] and its name in
#' the paper. The first is the one that the study calls round trip.
twin_quantities <- list(
  MQTT = c(device_ack_rtt_ms = "TCP ACK", request_ack_ms = "PUBACK, PUBREC"),
  CoAP = c(request_ack_ms = "ACK", response_ms = "response"),
  HTTP = c(conversation_ms = "conversation", response_ms = "response"))

#' The times of recorded captures and of the trials of their cells; none for a cell that was not
#' recorded or not run.
#'
#' @param recorded see [kuleuven_recording()]. @param samples table of the study. @param cells
#'   result of [kuleuven_cells()].
#' @return data.table `row`, `clients`, `quantity` (as the paper calls it), `source` ("recorded",
#'   "lab"), `value` (ms).
twin_samples <- function(recorded, samples, cells) {
  empty <- data.table::data.table(row = character(), clients = integer(), quantity = character(),
                                  source = character(), value = numeric())
  if (is.null(recorded) || nrow(recorded) == 0L) return(empty)
  lab <- samples[cells, on = "trial", nomatch = NULL, .(row, clients, sample, value)]
  all <- rbind(recorded[, .(row, clients, sample, value, source = "recorded")],
               lab[, .(row, clients, sample, value, source = "lab")])
  wanted <- data.table::rbindlist(lapply(kuleuven_rows, function(name) {
    q <- twin_quantities[[sub(" QoS.*", "", name)]]
    data.table::data.table(row = name, sample = names(q), quantity = unname(q))
  }))
  all <- all[wanted, on = c("row", "sample"), nomatch = NULL]
  all[, both := data.table::uniqueN(source) == 2L, by = .(row, clients, quantity)]
  rbind(empty, all[both == TRUE, names(empty), with = FALSE])
}

#' Median, quartiles and distance of each time of each cell.
#'
#' @param pairs result of [twin_samples()].
#' @return data.table `row`, `clients`, `quantity`; `n`, `low`, `median`, `high` (quartiles, ms),
#'   `least`, `most` (see [median_interval()]), each also as `..._lab`; `off` (the lab's median over
#'   the recorded one, less 1), `off_least`, `off_most` (its 95 % interval), `distance` (Kolmogorov
#'   and Smirnov). Without pairs no rows.
twin_times <- function(pairs) {
  if (nrow(pairs) == 0L) return(pairs)
  quartiles <- function(x) {
    stats::setNames(as.list(quantile(x, c(0.25, 0.5, 0.75), names = FALSE)),
                    c("low", "median", "high"))
  }
  each <- pairs[, c(n = .N, quartiles(value), median_interval(value)),
                by = .(row, clients, quantity, source)]
  keys <- c("row", "clients", "quantity")
  out <- merge(each[source == "recorded", !"source"], each[source == "lab", !"source"], by = keys,
               suffixes = c("", "_lab"))
  apart <- pairs[, {
    recorded <- value[source == "recorded"]
    lab <- value[source == "lab"]
    c(distance = ks_distance(recorded, lab), ratio_interval(recorded, lab))
  }, by = keys]
  out <- out[apart, on = keys, nomatch = NULL]
  out[, off := median_lab / median - 1]
  place <- mapply(function(row, name) match(name, twin_quantities[[sub(" QoS.*", "", row)]]),
                  out$row, out$quantity)
  out[order(match(row, kuleuven_rows), clients, place)]
}

#' The interval that holds the median of what was observed: between two order statistics (Conover,
#' Practical Nonparametric Statistics, 3.2).
#'
#' @param level its probability.
median_interval <- function(x, level = 0.95) {
  n <- length(x)
  k <- stats::qbinom((1 - level) / 2, n, 0.5)
  x <- sort(x)
  list(least = x[max(1L, k)], most = x[min(n, n - k + 1L)])
}

#' An interval of at least 95 % of the ratio of two medians, the lab's over the recorded one, less
#' 1: the medians' own intervals of 97.5 % hold both with this probability (Bonferroni).
ratio_interval <- function(recorded, lab) {
  a <- median_interval(recorded, 0.975)
  b <- median_interval(lab, 0.975)
  list(off_least = b$least / a$most - 1, off_most = b$most / a$least - 1)
}
