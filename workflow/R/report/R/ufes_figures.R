# Figures of the study `ufes`, after those of the source by number.

#' All figures, by the source's numbers; a figure without trials states it.
#'
#' @param s result of [summarise_ufes()]. @param samples table. @param trials of [ufes_trials()].
ufes_figures <- function(s, samples, trials) {
  list(
    figure2 = figure_ufes_pmf(samples, trials[load == 0]),
    figure3 = figure_ufes_pmf(samples, trials[load == ufes_load]),
    figure4 = figure_ufes_repetitions(s[load == ufes_load]),
    figure5 = figure_ufes_sizes(s[protocol == "CoAP"], "rtt", "round trip, ms", log = TRUE),
    figure6 = figure_ufes_sizes(
      s[protocol == "MQTT", ][, beyond := interarrival - interval], "beyond",
      "above the interval, ms"),
    sweep = figure_ufes_sweep(s)
  )
}

#' Line and shape of a protocol's variants.
ufes_lines <- function(variants) {
  plain <- !grepl(",", variants)
  stats::setNames(ifelse(plain, "solid", "22"), variants)
}

ufes_colours <- function(variants) {
  protocol <- protocol_of_mode(sub(",.*$", "", variants))
  stats::setNames(unname(protocol_colours()[as.character(protocol)]), variants)
}

#' Figures 2 and 3: share of the seconds by the number of messages that arrived, by interval. The
#' dotted line is the device's rate.
figure_ufes_pmf <- function(samples, trials) {
  wanted <- trials[payload == 30 & interval %in% c(100, 400, 700)]
  x <- samples[sample == "delivery_per_s"][wanted, on = c("study", "trial"), nomatch = NULL]
  if (nrow(x) == 0L) return(figure_empty("no second of any trial was counted"))
  x[, variant := droplevels(variant)]
  counts <- x[, .N, by = .(variant, protocol, interval, value = pmin(value, 15))]
  counts[, share := N / sum(N), by = .(variant, interval)]
  counts[, panel := factor(paste("every", interval, "ms"),
                           paste("every", c(100, 400, 700), "ms"))]
  pace <- unique(counts[, .(panel, rate = 1000 / interval)])
  plot <- ggplot2::ggplot(counts, ggplot2::aes(value, share, fill = protocol)) +
    ggplot2::geom_vline(data = pace, ggplot2::aes(xintercept = rate), linetype = "11",
                        colour = "#555555", linewidth = 0.35) +
    ggplot2::geom_col(width = 0.8) +
    ggplot2::facet_grid(variant ~ panel, switch = "y") +
    scale_protocol_fill() +
    ggplot2::scale_x_continuous(breaks = seq(0, 15, 5), labels = c("0", "5", "10", "15+")) +
    ggplot2::scale_y_continuous(limits = c(0, 1), breaks = c(0, 0.5, 1), position = "right",
                                expand = ggplot2::expansion(c(0, 0.04))) +
    ggplot2::labs(x = "messages received in a second", y = "share of the seconds") +
    theme_thinwire() +
    ggplot2::theme(strip.text.y.left = ggplot2::element_text(angle = 0, hjust = 0),
                   panel.grid.major.x = ggplot2::element_blank())
  list(plot = plot, width = 17.6, height = 1.6 + 1.5 * data.table::uniqueN(counts$variant))
}

#' Curves of the variants.
ufes_curves <- function(x, mapping, labels) {
  variants <- levels(droplevels(x$variant))
  ggplot2::ggplot(x, mapping) +
    ggplot2::geom_line(linewidth = 0.5) +
    ggplot2::geom_point(size = 1.2) +
    ggplot2::scale_colour_manual(values = ufes_colours(variants), name = NULL) +
    ggplot2::scale_linetype_manual(values = ufes_lines(variants), name = NULL) +
    labels +
    theme_thinwire()
}

#' Figure 4: repetitions per message, with background traffic, (a) by interval, (b) by payload.
figure_ufes_repetitions <- function(s) {
  a <- s[payload == 30, .(variant, x = interval, again,
                          panel = "(a) interval between messages of 30 bytes, ms")]
  b <- s[payload != 30 & interval == 1000, .(variant, x = payload, again,
                                             panel = "(b) payload each second, bytes")]
  x <- rbind(a, b)
  if (nrow(x) == 0L) return(figure_empty("no trial beside others"))
  plot <- ufes_curves(x, ggplot2::aes(x, again, colour = variant, linetype = variant),
                      ggplot2::labs(x = NULL, y = "repeated per message, %")) +
    ggplot2::facet_wrap(~panel, scales = "free_x", nrow = 1L) +
    ggplot2::expand_limits(y = c(0, 1))
  list(plot = plot, width = 17.6, height = 5)
}

#' Figures 5 and 6: a time by interval, without and with background traffic, one panel per payload.
#'
#' @param s rows of one protocol. @param column what is shown. @param label of the axis.
figure_ufes_sizes <- function(s, column, label, log = FALSE) {
  x <- s[payload %in% c(10, 100, 500, 1000) & interval >= 1000]
  if (nrow(x) == 0L) return(figure_empty("no trial of sizes"))
  x <- data.table::copy(x)[, `:=`(
    shown = get(column), panel = factor(sprintf("%g bytes", payload),
                                        sprintf("%g bytes", sort(unique(payload)))),
    others = factor(ifelse(load == 0, "alone", sprintf("others ask for %g Mb/s", load))))]
  plot <- ggplot2::ggplot(x, ggplot2::aes(interval / 1000, shown, colour = protocol,
                                          shape = others, linetype = others)) +
    ggplot2::geom_line(linewidth = 0.5) +
    ggplot2::geom_point(size = 1.5) +
    ggplot2::facet_wrap(~panel, nrow = 1L) +
    scale_protocol(guide = "none") +
    ggplot2::scale_shape_manual(values = c(1, 16), name = NULL) +
    ggplot2::scale_linetype_manual(values = c("22", "solid"), name = NULL) +
    ggplot2::scale_x_log10(breaks = c(1, 5, 10, 30, 60)) +
    ggplot2::labs(x = "interval, s", y = label) +
    theme_thinwire()
  plot <- plot + if (log) ggplot2::scale_y_log10() else ggplot2::expand_limits(y = 0)
  list(plot = plot, width = 17.6, height = 5)
}

#' The effect of the background load on a message every 100 ms, in the modes that were swept.
figure_ufes_sweep <- function(s) {
  x <- s[payload == 30 & interval == 100 & !grepl("sleeps", variant)]
  x <- x[x[, .N, by = variant][N > 1L], on = "variant"]
  long <- rbind(x[, .(variant, load, value = per_s, panel = "messages received in a second")],
                x[, .(variant, load, value = rtt_median, panel = "round trip, median, ms")],
                x[, .(variant, load, value = packets, panel = "packets per message")])
  long <- long[!is.na(value)]
  if (nrow(long) == 0L) return(figure_empty("no trial each 100 ms"))
  plot <- ufes_curves(long, ggplot2::aes(load, value, colour = variant, linetype = variant),
                      ggplot2::labs(x = "load that the others ask for, Mb/s", y = NULL)) +
    ggplot2::facet_wrap(~factor(panel, unique(panel)), scales = "free_y", nrow = 1L) +
    ggplot2::expand_limits(y = 0)
  list(plot = plot, width = 17.6, height = 5.2)
}
