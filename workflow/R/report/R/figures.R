# The figures of a study.

#' Draw a figure.
#'
#' @param name "delivery", "rtt" or "bytes"; "ledger" needs the metrics only.
#' @param metrics,samples,factors tables of one study.
#' @return list with `plot`, `width`, `height` (cm).
study_figure <- function(name, metrics, samples, factors) {
  switch(name,
    delivery = list(plot = figure_delivery(with_modes(samples, factors)), width = 17.6,
                    height = 10.4),
    rtt = list(plot = figure_rtt(with_modes(samples, factors)), width = 17.6, height = 6.4),
    ledger = list(plot = figure_ledger(metrics), width = 17.6, height = 5.2),
    bytes = list(plot = figure_bytes(with_modes(metrics, factors)), width = 17.6, height = 6.6),
    input_error(name, "no such figure", "use delivery, rtt, bytes or ledger")
  )
}

nagle_colours <- function() {
  stats::setNames(palette_okabe[c("blue", "orange", "green")],
                  c("TCP, Nagle off", "TCP, Nagle on", "UDP"))
}

#' Distribution of messages received per second, after UFES, Fig. 2 (a probability mass function per
#' interval). The dotted line is the rate at which the device sends; twice the rate and more are one
#' bar. The axis is the square root of the share, so that rare seconds show.
figure_delivery <- function(samples) {
  x <- samples[sample == "delivery_per_s"]
  x[, `:=`(rate = 1000 / interval, most = ceiling(2000 / interval))]
  counts <- x[, .N, by = .(mode, nagle_label, rate, most, interval_label,
                           value = pmin(value, most))]
  counts[, share := N / sum(N), by = .(mode, nagle_label, interval_label)]
  ideal <- unique(counts[, .(interval_label, rate)])
  ends <- unique(counts[, .(interval_label, value = c(0, most), share = 0), by = interval_label])
  ggplot2::ggplot(counts, ggplot2::aes(value, share)) +
    ggplot2::geom_blank(data = ends[, .(interval_label, value, share)]) +
    ggplot2::geom_vline(data = ideal, ggplot2::aes(xintercept = rate), linetype = "11",
                        colour = "#555555", linewidth = 0.35) +
    ggplot2::geom_col(ggplot2::aes(fill = nagle_label), width = 0.8,
                      position = ggplot2::position_dodge2(width = 0.8, preserve = "single")) +
    ggplot2::facet_grid(mode ~ interval_label, scales = "free_x", switch = "y") +
    ggplot2::scale_fill_manual(values = nagle_colours(), name = NULL, drop = TRUE) +
    ggplot2::scale_x_continuous(breaks = whole_breaks, labels = last_and_more,
                                expand = ggplot2::expansion(add = 0.3)) +
    ggplot2::scale_y_sqrt(limits = c(0, 1), breaks = c(0, 0.1, 0.5, 1),
                          labels = c("0", "0.1", "0.5", "1"), position = "right",
                          expand = ggplot2::expansion(c(0, 0.04))) +
    ggplot2::labs(x = "messages received in a second", y = "share of the seconds (square root)") +
    theme_thinwire() +
    ggplot2::theme(strip.text.y.left = ggplot2::element_text(angle = 0, hjust = 0),
                   panel.grid.major.x = ggplot2::element_blank())
}

#' Whole numbers from 0 to the largest, at most six.
whole_breaks <- function(limits) {
  to <- floor(limits[2L])
  step <- max(1, ceiling(to / 5))
  rev(seq(to, 0, by = -step))
}

#' Labels of [whole_breaks()]: the last stands for all above, too.
last_and_more <- function(breaks) {
  shown <- breaks[!is.na(breaks)]
  ifelse(is.na(breaks), "", paste0(breaks, ifelse(breaks == max(shown), "+", "")))
}

#' Cumulative distribution of the round trips that the device measured.
figure_rtt <- function(samples) {
  x <- samples[sample == "rtt_ms"]
  curves <- x[, cumulative(value), by = .(mode, nagle_label, interval_label)]
  colours <- unname(palette_okabe[c("blue", "orange", "green", "pink", "amber", "sky")])
  ggplot2::ggplot(curves, ggplot2::aes(value, share, colour = mode, linetype = nagle_label)) +
    ggplot2::geom_step(linewidth = 0.5) +
    ggplot2::facet_wrap(~interval_label, nrow = 1L) +
    ggplot2::scale_x_log10(labels = function(v) format(v, trim = TRUE, drop0trailing = TRUE)) +
    ggplot2::scale_y_continuous(breaks = seq(0, 1, 0.25), labels = c("0", "", "0.5", "", "1"),
                                expand = ggplot2::expansion(0.01)) +
    ggplot2::scale_colour_manual(values = colours, name = NULL) +
    ggplot2::scale_linetype_manual(values = c("TCP, Nagle off" = "solid",
                                              "TCP, Nagle on" = "22", "UDP" = "solid"),
                                   breaks = c("TCP, Nagle off", "TCP, Nagle on"),
                                   name = NULL) +
    ggplot2::labs(x = "round trip seen by the device, ms (logarithmic)",
                  y = "share of the round trips") +
    ggplot2::guides(colour = ggplot2::guide_legend(order = 1L),
                    linetype = ggplot2::guide_legend(order = 2L)) +
    theme_thinwire() +
    ggplot2::theme(legend.key.width = ggplot2::unit(16, "pt"))
}

#' Points of an empirical distribution function, thinned to what can be seen.
cumulative <- function(x, points = 400L) {
  x <- sort(x)
  n <- length(x)
  keep <- unique(round(seq(1, n, length.out = min(n, points))))
  data.table::data.table(value = c(x[1L], x[keep]), share = c(0, keep / n))
}

#' Colours of the ledger's accounts: payload stands out, headers are shades of blue, the price of
#' reliability is warm.
ledger_colours <- c(
  link = "#C6D9EC", network = "#8FB8DA", transport = "#4A90C2", header = "#1F5A8C",
  payload = "#111111", acknowledgement = "#F2B54A", retransmission = "#D55E00",
  session = "#BDBDBD"
)

#' Accounts of the ledger per message, one row for each account of each trial.
ledger_rows <- function(metrics) {
  ledger <- metrics[metric %in% paste0("ledger_", names(ledger_colours), "_bytes")]
  sent <- metrics[metric == "messages", .(study, trial, messages = value)]
  ledger <- merge(ledger, sent, by = c("study", "trial"))
  ledger[, account := sub("^ledger_(.*)_bytes$", "\\1", metric)]
  ledger[, account := factor(account, rev(names(ledger_colours)))]
  ledger[, bytes := value / messages]
  ledger[]
}

#' Stacked bars of accounts with their sum beside them.
#'
#' @param bars data.table `row` (factor), `account`, `bytes`, and what `by` names.
#' @param by column of the panels, or none.
ledger_bars <- function(bars, by = character()) {
  totals <- bars[, .(bytes = sum(bytes)), by = c("row", by)]
  ggplot2::ggplot(bars, ggplot2::aes(bytes, row)) +
    ggplot2::geom_col(ggplot2::aes(fill = account), width = 0.72) +
    ggplot2::geom_text(data = totals, ggplot2::aes(label = sprintf("%.0f", bytes)), hjust = 0,
                       nudge_x = max(totals$bytes) * 0.015, size = 2.3, colour = ink,
                       family = figure_family()) +
    ggplot2::scale_fill_manual(values = ledger_colours, name = NULL,
                               breaks = names(ledger_colours)) +
    ggplot2::scale_x_continuous(expand = ggplot2::expansion(c(0, 0.14))) +
    ggplot2::labs(x = "bytes on the wire per message", y = NULL) +
    ggplot2::guides(fill = ggplot2::guide_legend(nrow = 1L)) +
    theme_thinwire() +
    ggplot2::theme(panel.grid.major.y = ggplot2::element_blank())
}

#' Bytes on the wire per message, by account of the ledger, mean of the repetitions.
figure_bytes <- function(metrics) {
  bars <- ledger_rows(metrics)[, .(bytes = mean(bytes)),
                               by = .(mode, nagle_label, interval_label, account)]
  bars[, row := ifelse(nagle_label == "UDP", as.character(mode),
                       paste0(mode, sub("TCP, Nagle", ", Nagle", nagle_label)))]
  rows <- unique(bars[order(mode, nagle_label), row])
  bars[, row := factor(row, rev(rows))]
  ledger_bars(bars, "interval_label") + ggplot2::facet_wrap(~interval_label, nrow = 1L)
}

#' The same for captures of any kind: one bar per capture.
figure_ledger <- function(metrics) {
  bars <- ledger_rows(metrics)
  bars[, row := factor(trial, rev(sort(unique(trial))))]
  ledger_bars(bars)
}
