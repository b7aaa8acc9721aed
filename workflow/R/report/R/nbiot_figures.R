# Figures of the NB-IoT simulation, after Figures 2a, 2b, 3 and 4 of the Ericsson study.

#' Draw a figure.
#'
#' @param name "throughput", "service", "coverage", "distance" or "beyond". @param data of
#'   [read_nbiot()]. @param published values of the study, see [read_published()].
#' @return list with `plot`, `width`, `height` (cm).
nbiot_figure <- function(name, data, published) {
  switch(name,
    throughput = list(plot = figure_nbiot_throughput(data$results), width = 17.6, height = 6.4),
    service = figure_nbiot_service(data$results, published),
    coverage = figure_nbiot_coverage(data$results),
    distance = list(plot = figure_nbiot_distance(data$sensitivity), width = 8.6, height = 6.6),
    beyond = list(plot = figure_nbiot_beyond(data$beyond), width = 8.6, height = 7.2),
    input_error(name, "no such figure", "use throughput, service, coverage, distance or beyond")
  )
}

#' Colours of the stacks: those of their protocols, by the names that the text has for them.
nbiot_colours <- function(names = nbiot_stacks) {
  stats::setNames(unname(protocol_colours()[sub("[, ].*$", "", names)]), names)
}

#' Shapes of the stacks: those of one protocol differ.
nbiot_shapes <- function() stats::setNames(c(16, 2, 15), nbiot_stacks)

#' One panel for each measure: curves over the load, with 95 % confidence intervals over the seeds.
nbiot_curves <- function(results, measures) {
  x <- results[stack %in% names(nbiot_stacks)]
  long <- data.table::rbindlist(lapply(names(measures), function(m) {
    x[, .(stack = nbiot_stacks[stack], size = paste(payload_bytes, "bytes"), load,
          panel = measures[[m]], mean = get(m), half = get(paste0(m, "_ci95")))]
  }))
  long[, panel := factor(panel, unlist(measures))]
  long[, stack := factor(stack, nbiot_stacks)]
  # A rate or a share is not negative, and a share does not exceed 1.
  long[, `:=`(low = mean - half, high = mean + half)]
  long[mean >= 0, low := pmax(low, 0)]
  long[grepl("%", panel, fixed = TRUE), high := pmin(high, 100)]
  colours <- nbiot_colours()
  ggplot2::ggplot(long, ggplot2::aes(load, mean, colour = stack, linetype = size,
                                     shape = stack)) +
    ggplot2::geom_ribbon(ggplot2::aes(ymin = low, ymax = high, fill = stack,
                                      group = paste(stack, size)),
                         alpha = 0.15, colour = NA, show.legend = FALSE) +
    ggplot2::geom_line(linewidth = 0.5) +
    ggplot2::geom_point(size = 1.1) +
    ggplot2::scale_colour_manual(values = colours, name = NULL) +
    ggplot2::scale_shape_manual(values = nbiot_shapes(), name = NULL) +
    ggplot2::scale_fill_manual(values = colours) +
    ggplot2::scale_linetype_manual(values = c("25 bytes" = "22", "400 bytes" = "solid"),
                                   name = NULL) +
    ggplot2::scale_x_continuous(breaks = seq(0, 20, 1)) +
    ggplot2::labs(x = "load (requests per second and cell)", y = NULL) +
    theme_thinwire()
}

#' Figures 2a and 2b: throughput of a device, of a cell.
figure_nbiot_throughput <- function(results) {
  scaled <- data.table::copy(results)
  for (m in c("device_throughput_bps", "cell_throughput_bps")) {
    for (column in c(m, paste0(m, "_ci95"))) {
      data.table::set(scaled, j = column, value = scaled[[column]] / 1000)
    }
  }
  nbiot_curves(scaled, list(device_throughput_bps = "(a) of a device, kbit/s",
                            cell_throughput_bps = "(b) of a cell, kbit/s")) +
    ggplot2::facet_wrap(~panel, scales = "free_y", nrow = 1L)
}

#' Figure 3: devices not served within 20 s, by size, beside what the study's text says. The axis is
#' linear below 1 and logarithmic above, since most curves lie near zero.
#'
#' @param results table of the points. @param published see [nbiot_figure()].
figure_nbiot_service <- function(results, published) {
  said <- nbiot_said(published)
  plot <- nbiot_curves(results, list(not_served_pct = "not served, %")) +
    ggplot2::geom_point(data = said, ggplot2::aes(load, mean, colour = stack, shape = NULL),
                        shape = said$sign, size = 2.2, stroke = 0.8, fill = "white",
                        show.legend = FALSE, inherit.aes = FALSE) +
    ggplot2::facet_wrap(~size, nrow = 1L) +
    ggplot2::scale_y_continuous(trans = "log1p", breaks = c(0, 1, 5, 10, 50, 100)) +
    ggplot2::labs(y = "not served, %")
  list(plot = plot, width = 17.6, height = 6)
}

#' What the study says of devices not served: `stack`, `load`, `mean` (per cent), `sign` (5: the
#' value; 24: at least), for both sizes where it names none.
nbiot_said <- function(published) {
  value <- function(of, what) {
    100 - published[row == of & column == what, as.numeric(value)]
  }
  both <- c("25 bytes", "400 bytes")
  out <- rbind(
    data.table::data.table(stack = "mqtt", size = both, load = 2, sign = 5L,
                           mean = value("MQTT, load 2", "availability")),
    data.table::data.table(stack = "mqtt", size = rep(both, each = 2L), load = c(4, 6), sign = 24L,
                           mean = value("MQTT, loads over 2", "availability_max")),
    data.table::data.table(stack = "coap-non", size = "400 bytes", load = 2, sign = 24L,
                           mean = value("CoAP 400 bytes, load 2", "availability_max")))
  out[, stack := factor(nbiot_stacks[stack], nbiot_stacks)]
  out[]
}

#' Figure 4: the lowest path gain that was served. A 95 % interval over the seeds is wider than the
#' difference between stacks, so each stack is offset from the load.
figure_nbiot_coverage <- function(results) {
  x <- results[stack %in% names(nbiot_stacks)]
  # An axis of categories: beside a number, points side by side would look like loads that were run.
  x <- x[, .(stack = factor(nbiot_stacks[stack], nbiot_stacks),
             load = factor(load, sort(unique(load))), mean = lowest_path_gain_db,
             half = lowest_path_gain_db_ci95,
             size = factor(paste(payload_bytes, "bytes"), c("25 bytes", "400 bytes")))]
  beside <- ggplot2::position_dodge(width = 0.5)
  plot <- ggplot2::ggplot(x, ggplot2::aes(load, mean, colour = stack, shape = stack)) +
    ggplot2::geom_linerange(ggplot2::aes(ymin = mean - half, ymax = mean + half),
                            position = beside, linewidth = 0.4) +
    ggplot2::geom_point(position = beside, size = 1.2) +
    ggplot2::facet_wrap(~size, nrow = 1L) +
    ggplot2::scale_colour_manual(values = nbiot_colours(), name = NULL) +
    ggplot2::scale_shape_manual(values = nbiot_shapes(), name = NULL) +
    ggplot2::labs(x = "load (requests per second and cell)", y = "lowest served path gain, dB") +
    theme_thinwire()
  list(plot = plot, width = 17.6, height = 5.6)
}

#' Distance between sites of a variant, in metres; the default is that of TR 45.820.
nbiot_distance <- function(variant) {
  out <- suppressWarnings(as.numeric(sub("^site-distance-", "", variant)))
  ifelse(variant == "base", 1732, out)
}

#' Load at which 5 % are not served, against the distance between sites; the study's MQTT has its
#' 95 % at 2 requests per second and cell (dotted).
figure_nbiot_distance <- function(sensitivity) {
  x <- nbiot_limits(sensitivity)
  x[, distance := nbiot_distance(variant)]
  x <- x[!is.na(distance) & stack %in% names(nbiot_stacks)]
  x[, `:=`(stack = factor(nbiot_stacks[stack], nbiot_stacks),
           beyond = is.na(poor_load), shown = ifelse(is.na(poor_load), most, poor_load))]
  ggplot2::ggplot(x, ggplot2::aes(distance / 1000, shown, colour = stack, linetype = stack)) +
    ggplot2::geom_hline(yintercept = 2, linetype = "11", colour = "#555555", linewidth = 0.35) +
    ggplot2::geom_line(linewidth = 0.5) +
    ggplot2::geom_point(ggplot2::aes(shape = beyond), size = 1.4) +
    ggplot2::scale_shape_manual(values = c("FALSE" = 16, "TRUE" = 2),
                                labels = c("FALSE" = "measured", "TRUE" = "above all loads run"),
                                name = NULL) +
    ggplot2::scale_colour_manual(values = nbiot_colours(), name = NULL) +
    ggplot2::scale_linetype_manual(values = stats::setNames(c("solid", "22", "solid"),
                                                            nbiot_stacks), name = NULL) +
    ggplot2::scale_y_continuous(limits = c(0, NA)) +
    ggplot2::labs(x = "distance between sites, km", y = "load with 5 % not served") +
    ggplot2::guides(colour = ggplot2::guide_legend(nrow = 1L)) +
    theme_thinwire() +
    ggplot2::theme(legend.box = "vertical", legend.spacing.y = ggplot2::unit(0, "pt"))
}

#' Names of the further stacks, as the text has them.
nbiot_stack_names <- c(
  nbiot_stacks, mqttsn = "MQTT-SN QoS 1", "mqtt-connect" = "MQTT with CONNECT",
  "mqtt-tfo" = "MQTT, TCP Fast Open", "mqtt-persistent" = "MQTT, TCP kept open",
  "mqtt-tls-rpk" = "MQTT, TLS 1.3 full", "mqtt-tls-psk" = "MQTT, TLS 1.3 resumed",
  "mqtt-tls-persistent" = "MQTT, TLS kept open", "coap-dtls-rpk" = "CoAP, DTLS 1.3 full",
  "coap-dtls-psk" = "CoAP, DTLS 1.3 resumed", "coap-dtls-cid" = "CoAP, DTLS connection id")

#' Energy of a report, by stack, at the lowest load.
figure_nbiot_beyond <- function(beyond) {
  x <- beyond[load == min(load)]
  x[, label := nbiot_stack_names[stack]]
  x[, label := factor(label, x[order(-energy_mj), label])]
  ggplot2::ggplot(x, ggplot2::aes(energy_mj, label)) +
    ggplot2::geom_col(ggplot2::aes(fill = label), width = 0.65) +
    ggplot2::scale_fill_manual(values = nbiot_colours(nbiot_stack_names), guide = "none") +
    ggplot2::geom_errorbarh(ggplot2::aes(xmin = energy_mj - energy_mj_ci95,
                                         xmax = energy_mj + energy_mj_ci95),
                            height = 0.3, linewidth = 0.3, colour = ink) +
    ggplot2::scale_x_continuous(expand = ggplot2::expansion(c(0, 0.05))) +
    ggplot2::labs(x = "radio energy of a report, mJ", y = NULL) +
    theme_thinwire() +
    ggplot2::theme(panel.grid.major.y = ggplot2::element_blank())
}
