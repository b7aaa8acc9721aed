# The report of the study `twins`: the lab against the recorded ESP8266, each of KU Leuven's
# captures beside a trial of its design.

#' @param study see [make_report()]; its tables, where the recorded captures are at hand:
#'   `recordings` (their metrics) and `recorded_times` (their samples); and `timelines`.
report_twins <- function(study) {
  cells <- kuleuven_cells(study$factors)
  recorded_times <- kuleuven_recording(study, "recorded_times", "sample")
  pairs <- twin_samples(recorded_times, study$samples, cells)
  clients <- twin_clients(recorded_times, study$samples, cells)
  times <- twin_times(pairs)
  costs <- twin_cost_table(kuleuven_recording(study, "recordings", "metric"),
                           kuleuven_lab(study$metrics, cells))
  lines <- cell_timelines(report_table(study, "timelines",
                                       c("study", "trial", "time_s", "way", "bytes")), cells)
  list(figures = c(if (nrow(pairs)) list(times = twin_figure(pairs)),
                   if (nrow(clients)) list(clients = twin_client_figure(clients)),
                   if (nrow(lines)) list(timelines = timeline_figure(lines))),
       tables = list(times = twin_time_table(times), costs = costs,
                     clients = twin_client_table(clients), fits = fit_table(study$factors)),
       numbers = c(latex_macro("twTwinsTrials", latex_number(data.table::uniqueN(cells$trial))),
                   twin_numbers(times), twin_client_numbers(clients),
                   awake_numbers(kuleuven_recording(study, "recordings", c("metric", "n")))))
}

#' The times that are compared, for each protocol: a sample of [capture_samples()] and its name in
#' the paper. The first is the one that the study calls round trip.
twin_quantities <- list(
  MQTT = c(device_ack_rtt_ms = "TCP ACK", request_ack_ms = "PUBACK, PUBREC"),
  CoAP = c(request_ack_ms = "ACK", response_ms = "response"),
  HTTP = c(conversation_ms = "conversation", response_ms = "response"))

#' The goal: medians that differ by this share at most, and distributions by this distance.
twin_goal <- list(median = 0.05, distance = 0.1)

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
#'   each also as `lab_...`; `off` (the lab's median over the recorded one, less 1), `distance`
#'   (Kolmogorov and Smirnov), `least`, `most` (see [median_interval()]). Without pairs no rows.
twin_times <- function(pairs) {
  if (nrow(pairs) == 0L) return(pairs)
  quartiles <- function(x) as.list(quantile(x, c(0.25, 0.5, 0.75), names = FALSE))
  each <- pairs[, c(n = .N, stats::setNames(quartiles(value), c("low", "median", "high"))),
                by = .(row, clients, quantity, source)]
  keys <- c("row", "clients", "quantity")
  out <- merge(each[source == "recorded", !"source"], each[source == "lab", !"source"], by = keys,
               suffixes = c("", "_lab"))
  apart <- pairs[, .(distance = ks_distance(value[source == "recorded"], value[source == "lab"])),
                 by = keys]
  out <- out[apart, on = keys, nomatch = NULL]
  out[, off := median_lab / median - 1]
  sure <- pairs[source == "recorded", median_interval(value), by = keys]
  out <- out[sure, on = keys, nomatch = NULL]
  named <- unlist(lapply(twin_quantities, unname))
  out[order(match(row, kuleuven_rows), clients, match(quantity, named))]
}

#' The interval that holds the median of what was recorded with 95 % probability: between two order
#' statistics (Conover, Practical Nonparametric Statistics, 3.2).
median_interval <- function(x) {
  n <- length(x)
  k <- stats::qbinom(0.025, n, 0.5)
  x <- sort(x)
  list(least = x[max(1L, k)], most = x[min(n, n - k + 1L)])
}

#' The table of times: bold is what meets the goal.
#'
#' @param x result of [twin_times()].
twin_time_table <- function(x) {
  if (nrow(x) == 0L) return("no recorded capture was at hand")
  met <- function(text, good) ifelse(good, sprintf("\\textbf{%s}", text), text)
  three <- function(...) do.call(paste, c(lapply(list(...), latex_number, 1L), sep = " & "))
  name <- sprintf("%s, %d", x$row, x$clients)
  cells <- cbind(ifelse(duplicated(name), "", latex_text(name)), x$quantity, latex_number(x$n),
                 three(x$low, x$median, x$high), latex_number(x$n_lab),
                 three(x$low_lab, x$median_lab, x$high_lab),
                 met(latex_number(100 * x$off), abs(x$off) <= twin_goal$median),
                 met(latex_number(x$distance, 2L), x$distance <= twin_goal$distance))
  latex_table(cells, "@{}llrrrrrrrrrr@{}",
              c("", "ms", "recorded", "Q1", "median", "Q3", "lab", "Q1", "median", "Q3",
                "off, \\%", "distance"), which(!duplicated(x$row))[-1L])
}

#' The cost of an exchange, recorded / lab: bytes and packets per message, messages per segment,
#' retransmitted segments per hundred messages; and, for the lab only since no capture on the PC
#' shows it, the mean current of the radio by the smallest and the largest published currents.
#'
#' @param recorded see [kuleuven_recording()]. @param lab result of [kuleuven_lab()].
twin_cost_table <- function(recorded, lab) {
  if (is.null(recorded)) return("no recorded capture was at hand")
  costs <- function(table, row, clients) {
    value <- function(metric) kuleuven_value(table, row, clients, metric)
    c(value("bytes_per_message"), value("packets_per_message"),
      value("messages") / value("frames_with_messages"),
      100 * value("retransmissions") / value("messages"))
  }
  grid <- kuleuven_grid()
  grid <- grid[mapply(function(r, k) is.finite(costs(recorded, r, k)[1L]), row, clients)]
  body <- t(vapply(seq_len(nrow(grid)), function(i) {
    pairs <- rbind(costs(recorded, grid$row[i], grid$clients[i]),
                   costs(lab, grid$row[i], grid$clients[i]))
    text <- vapply(1:4, function(k) {
      paste(latex_number(pairs[, k], c(0L, 2L, 2L, 1L)[k]), collapse = " / ")
    }, "")
    current <- vapply(c("least", "greatest"), function(which) {
      kuleuven_value(lab, grid$row[i], grid$clients[i], sprintf("radio_current_%s_ma", which))
    }, 0)
    c(latex_text(sprintf("%s, %d", grid$row[i], grid$clients[i])), text,
      paste(latex_number(current, 1L), collapse = " to "))
  }, character(6L)))
  latex_table(body, "@{}lccccc@{}", c("", "bytes", "packets", "messages a segment",
                                      "repeated, a hundred", "radio, mA"))
}

#' The fitted factors, with the source of each value.
twin_fits <- data.table::data.table(
  protocol = rep(c("mqtt", "coap", "http"), c(11L, 3L, 5L)),
  factor = c("payload_bytes", "processing_ms", "sleep_fetch_ms", "sleep_idle_ms",
             "sleep_wake_pct", "arrival_delay", "publish_ms", "overrun_us", "after_publish_ms",
             "broker_in_flight", "mss",
             "payload_bytes", "separate_ms", "think_time",
             "payload_bytes", "processing_ms", "http_piece_ms", "interval_ms", "mss"),
  source = c(
    "mqtt\\_qos0\\_pub1: bytes of a PUBLISH",
    "mqtt\\_qos2\\_pub1: PUBREL to PUBCOMP where the radio was awake, median",
    paste("for all protocols; mqtt\\_qos1\\_pub1, mqtt\\_qos2\\_pub1: least delay of an answer of",
          "a radio that slept, less the median of one that did not, less what the message came",
          "before the latest that makes a beacon, on average"),
    paste("for all protocols; mqtt\\_qos1\\_pub1: longest since the device's last frame that a",
          "message was answered at once"),
    paste("for all protocols; coap\\_1clients: requests just after a beacon that were answered",
          "at once"),
    "for all protocols; http\\_1client: from FIN to its ACK, the distribution",
    "mqtt\\_qos1\\_pub1, mqtt\\_qos2\\_pub1: the device's own messages, least squares",
    "mqtt\\_qos0\\_pub1, mqtt\\_qos1\\_pub1, mqtt\\_qos2\\_pub1: the clients' second, median",
    paste("QoS 0 with one client and with more, QoS 1, 2; mqtt\\_qos0\\_pub10,",
          "mqtt\\_qos1\\_pub1, mqtt\\_qos2\\_pub1: the device's PUBLISH (PUBREL) to the clients'",
          "next message, the first; mqtt\\_qos0\\_pub1: two ticks and the lab's drift, less the",
          "median TCP ACK"),
    "mqtt\\_qos1\\_pub10, the one with more clients: PUBACK to the next PUBLISH",
    "SYN",
    "coap\\_1clients: bytes of request and response",
    "coap\\_1clients: ACK to response, median",
    "coap\\_1clients: its 99 pauses",
    "http\\_1client: bytes of request and response",
    "http\\_1client: GET to the first segment, less FIN to its ACK, medians",
    "http\\_1client: how many answers take three segments, by the time of an ACK",
    "http\\_1client: the client's FIN to its next SYN, median",
    "SYN"))

#' The fitted values, as the trials have them.
#'
#' @param factors table of the study.
fit_table <- function(factors) {
  wide <- wide_factors(factors)
  x <- data.table::copy(twin_fits)
  x[, value := mapply(function(p, f) {
    if (!f %in% names(wide)) return("")
    paste(unique(wide[protocol == p][[f]]), collapse = ", ")
  }, protocol, factor)]
  x <- x[nzchar(value) & value != "NA"]
  label <- protocol_values("label")[x$protocol]
  latex_table(cbind(ifelse(duplicated(label), "", label), latex_text(x$factor),
                    latex_text(x$value), x$source),
              "@{}lllp{0.52\\linewidth}@{}", c("", "parameter", "value", "fitted on"))
}

#' The distributions of the times that the study prints, recorded and in the lab.
#'
#' @param pairs result of [twin_samples()].
twin_figure <- function(pairs) {
  first <- vapply(twin_quantities, function(q) q[[1L]], "")
  x <- pairs[quantity == first[sub(" QoS.*", "", row)]]
  x[, cell := sprintf("%s, %d", row, clients)]
  x[, cell := factor(cell, unique(cell[order(match(row, kuleuven_rows), clients)]))]
  x[, source := factor(source, c("recorded", "lab"))]
  curves <- x[, cumulative(value), by = .(cell, source)]
  plot <- ggplot2::ggplot(curves, ggplot2::aes(value, share, linetype = source)) +
    ggplot2::geom_step(linewidth = 0.5, colour = ink) +
    ggplot2::facet_wrap(~cell, nrow = 2L) +
    ggplot2::scale_x_log10(labels = function(v) format(v, trim = TRUE, drop0trailing = TRUE)) +
    ggplot2::coord_cartesian(xlim = c(1, 1000)) +
    ggplot2::scale_y_continuous(breaks = seq(0, 1, 0.25), labels = c("0", "", "0.5", "", "1"),
                                expand = ggplot2::expansion(0.01)) +
    ggplot2::scale_linetype_manual(values = c(recorded = "solid", lab = "22"), name = NULL) +
    ggplot2::labs(x = "ms (logarithmic)", y = "share") + theme_thinwire()
  list(plot = plot, width = 17.6, height = 8)
}

#' Shares of the recorded messages that find the radio awake, per cent, after a frame to a group and
#' otherwise: means over the captures with one client. Also, over all these captures, how many
#' messages must find it awake if such frames kept it awake (see [awake_shares()]), and how many do;
#' likewise after a frame to a group that was sent to the PC as unicast.
#'
#' @param recorded see [kuleuven_recording()], with the column `n`.
awake_numbers <- function(recorded) {
  if (is.null(recorded)) return(character())
  share <- function(name) recorded[clients == 1L & metric == name, value]
  after <- share("radio_awake_after_group_pct")
  if (length(after) == 0L) return(character())
  otherwise <- share("radio_awake_otherwise_pct")
  due <- recorded[clients == 1L & metric == "radio_awake_if_lingering_pct",
                  .(value, n = as.numeric(n))]
  copied <- recorded[clients == 1L & metric == "radio_awake_after_copy_pct",
                     .(value, n = as.numeric(n))]
  c(latex_macro("twTwinsAwakeGroup", latex_number(mean(after))),
    latex_macro("twTwinsAwakeElse", latex_number(mean(otherwise))),
    if (nrow(due)) {
      c(latex_macro("twTwinsLingerDue", latex_number(sum(due$n))),
        latex_macro("twTwinsLingerAwake", latex_number(sum(due$n * due$value / 100))))
    },
    if (nrow(copied)) {
      c(latex_macro("twTwinsCopyDue", latex_number(sum(copied$n))),
        latex_macro("twTwinsCopyAwake", latex_number(sum(copied$n * copied$value / 100))))
    })
}

#' Numbers for the text: how many times were compared, and how many meet each goal.
#'
#' @param x result of [twin_times()].
twin_numbers <- function(x) {
  if (nrow(x) == 0L) return(character())
  c(latex_macro("twTwinsCells", latex_number(data.table::uniqueN(x[, .(row, clients)]))),
    latex_macro("twTwinsTimes", latex_number(nrow(x))),
    latex_macro("twTwinsMedians", latex_number(sum(abs(x$off) <= twin_goal$median))),
    latex_macro("twTwinsMissed", latex_number(sum(abs(x$off) > twin_goal$median))),
    latex_macro("twTwinsUnsure", latex_number(sum(abs(x$off) > twin_goal$median &
                                                    x$median_lab >= x$least &
                                                    x$median_lab <= x$most))),
    latex_macro("twTwinsDistances", latex_number(sum(x$distance <= twin_goal$distance))))
}
