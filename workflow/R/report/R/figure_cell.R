# The figures of the wireless cell: its validation against theory, and what modem sleep does to a
# round trip.

#' Saturation throughput of the cell against Bianchi's model.
#'
#' @param saturation table of `air-figures saturation`: n (stations), phy ("b1", "b11", "g6",
#'   "g54": standard and rate in Mb/s), simulated_mbps, bianchi_mbps, ratio.
#' @return list with `plot`, `width`, `height` (cm). Line: the model (IEEE JSAC 18(3), 2000, with
#'   the retry limit of Wu et al., INFOCOM 2002); points: the simulation.
figure_cell_saturation <- function(saturation) {
  x <- data.table::copy(saturation)
  phys <- c(b1 = "802.11b, 1 Mb/s", b11 = "802.11b, 11 Mb/s", g6 = "802.11g, 6 Mb/s",
            g54 = "802.11g, 54 Mb/s")
  x[, label := factor(phys[phy], unname(phys))]
  worst <- x[, .(n = max(n), top = max(simulated_mbps, bianchi_mbps),
                 text = sprintf("largest difference %.1f %%", 100 * max(abs(ratio - 1)))),
             by = label]
  plot <- ggplot2::ggplot(x, ggplot2::aes(n)) +
    ggplot2::geom_line(ggplot2::aes(y = bianchi_mbps, linetype = "model"), linewidth = 0.5,
                       colour = "#888888") +
    ggplot2::geom_point(ggplot2::aes(y = simulated_mbps, shape = "simulation"), size = 1.6,
                        colour = ink) +
    ggplot2::geom_text(data = worst, ggplot2::aes(n, top * 1.1, label = text), hjust = 1,
                       size = 2.3, colour = ink, family = figure_family()) +
    ggplot2::facet_wrap(~label, nrow = 1L, scales = "free_y") +
    ggplot2::scale_x_log10(breaks = sort(unique(x$n))) +
    ggplot2::scale_y_continuous(limits = c(0, NA), expand = ggplot2::expansion(c(0, 0.12))) +
    ggplot2::scale_linetype_manual(values = c(model = "solid"), name = NULL) +
    ggplot2::scale_shape_manual(values = c(simulation = 16), name = NULL) +
    ggplot2::labs(x = "saturated stations (logarithmic)", y = "throughput, Mb/s") +
    theme_thinwire()
  list(plot = plot, width = 17.6, height = 5.6)
}

#' Request-to-acknowledgement times with and without modem sleep, beside a recording of hardware.
#'
#' @param sleep table of `air-figures sleep`: modem_sleep (0, 1), seed, request_s, round_trip_ms.
#' @param recorded numeric, ms: the recording's times (KU Leuven, coap_1clients); NULL where the
#'   recording is not at hand.
#' @return list with `plot`, `width`, `height` (cm).
figure_cell_sleep <- function(sleep, recorded = NULL) {
  simulated <- c("modem sleep off", "modem sleep on")
  x <- sleep[, .(source = simulated[modem_sleep + 1L], value = round_trip_ms)]
  if (!is.null(recorded)) {
    x <- rbind(x, data.table::data.table(source = "ESP8266", value = recorded))
  }
  x[, source := factor(source, c("ESP8266", rev(simulated)))]
  curves <- x[, cumulative(value), by = source]
  coap <- protocol_colours()[["CoAP"]]
  lines <- stats::setNames(c("solid", "solid", "22"), levels(x$source))
  colours <- stats::setNames(c(ink, coap, coap), levels(x$source))
  plot <- ggplot2::ggplot(curves, ggplot2::aes(value, share, linetype = source, colour = source)) +
    ggplot2::geom_step(linewidth = 0.5) +
    ggplot2::scale_colour_manual(values = colours, name = NULL, drop = TRUE) +
    ggplot2::coord_cartesian(xlim = c(0, 150)) +
    ggplot2::scale_x_continuous(breaks = seq(0, 150, 25), expand = ggplot2::expansion(0.01)) +
    ggplot2::scale_y_continuous(breaks = seq(0, 1, 0.25), labels = c("0", "", "0.5", "", "1"),
                                expand = ggplot2::expansion(0.01)) +
    ggplot2::scale_linetype_manual(values = lines, name = NULL, drop = TRUE) +
    ggplot2::labs(x = "request to acknowledgement, ms", y = "share of the requests") +
    theme_thinwire()
  list(plot = plot, width = 8.6, height = 5.6)
}
