# Figures of the study `ufes`, after those of the source by number.

#' All figures, by the source's numbers; one without trials says so.
#'
#' @param s result of [summarise_ufes()]. @param runs see it. @param published,own,distances see
#'   [figure_ufes_distributions()].
ufes_figures <- function(s, runs, published, own, distances) {
  made <- s[as_made == TRUE & errors == 0]
  usual <- made[load == 0 | queue == ufes_queue]
  list(
    distributions = figure_ufes_distributions(published, own, distances),
    figure4 = figure_ufes_repetitions(usual, distances),
    figure5 = figure_ufes_sizes(usual[protocol == "CoAP"], "transmission",
                                "half a round trip (eq. 2), ms", log = TRUE),
    figure6 = figure_ufes_sizes(
      usual[protocol == "MQTT", ][, beyond := interarrival - interval], "beyond",
      "time between two (eq. 1)\nabove the interval, ms"),
    sweep = figure_ufes_sweep(runs, published)
  )
}

#' What tells the variants of a protocol apart: line and shape.
ufes_lines <- function(variants) {
  plain <- !grepl(",", variants)
  stats::setNames(ifelse(plain, "solid", "22"), variants)
}

ufes_colours <- function(variants) {
  protocol <- protocol_of_mode(sub(",.*$", "", variants))
  stats::setNames(unname(protocol_colours()[as.character(protocol)]), variants)
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

#' Figure 4: messages repeated per message, beside others, (a) by interval, at the loads of the
#' distributions, (b) by payload.
figure_ufes_repetitions <- function(s, distances) {
  kinds <- c("CoAP CON" = "coap..beside others", "MQTT QoS 0" = "mqtt.true.beside others",
             "MQTT QoS 0, no Nagle" = "mqtt.false.beside others")
  loads <- distances[load > 0, .(kind, interval, load)]
  near <- s[payload == 30 & load > 0]
  near[, kind := ufes_kinds[kinds[as.character(variant)]]]
  a <- near[loads, on = c("kind", "interval", "load"), nomatch = NULL][
    , .(variant, x = interval, again, panel = "(a) interval between messages of 30 bytes, ms")]
  b <- s[payload != 30 & interval == 1000 & load == ufes_load,
         .(variant, x = payload, again, panel = "(b) payload each second, bytes")]
  x <- rbind(a, b)
  if (nrow(x) == 0L) return(figure_empty("no trial beside others"))
  plot <- ufes_curves(x, ggplot2::aes(x, again, colour = variant, linetype = variant),
                      ggplot2::labs(x = NULL, y = "repeated per message, %")) +
    ggplot2::facet_wrap(~panel, scales = "free_x", nrow = 1L) +
    ggplot2::expand_limits(y = c(0, 1))
  list(plot = plot, width = 17.6, height = 5)
}

#' Figures 5 and 6: a time by payload, alone and beside others, a panel for each interval.
#'
#' @param s rows of one protocol. @param column what is shown. @param label of the axis.
figure_ufes_sizes <- function(s, column, label, log = FALSE) {
  x <- s[payload %in% c(10, 100, 500, 1000) & interval >= 1000 & load %in% c(0, ufes_load)]
  if (nrow(x) == 0L) return(figure_empty("no trial of sizes"))
  x <- data.table::copy(x)[, `:=`(
    shown = get(column), panel = factor(sprintf("each %g s", interval / 1000),
                                        sprintf("each %g s", sort(unique(interval / 1000)))),
    others = factor(ifelse(load == 0, "alone", sprintf("others ask for %g Mb/s", load))))]
  plot <- ggplot2::ggplot(x, ggplot2::aes(payload, shown, colour = protocol,
                                          shape = others, linetype = others)) +
    ggplot2::geom_line(linewidth = 0.5) +
    ggplot2::geom_point(size = 1.5) +
    ggplot2::facet_wrap(~panel, nrow = 1L) +
    scale_protocol(guide = "none") +
    ggplot2::scale_shape_manual(values = c(1, 16), name = NULL) +
    ggplot2::scale_linetype_manual(values = c("22", "solid"), name = NULL) +
    ggplot2::scale_x_log10(breaks = c(10, 100, 500, 1000)) +
    ggplot2::labs(x = "payload, bytes", y = label) +
    theme_thinwire()
  plot <- plot + if (log) ggplot2::scale_y_log10() else ggplot2::expand_limits(y = 0)
  panels <- data.table::uniqueN(x$panel)
  list(plot = plot, width = min(17.6, 3 + 5 * panels), height = 5)
}

#' What the others' load does to a message each 100 ms, with the access point's queue of theirs:
#' mean and range of the trials, hollow where there is one; and at the right end the published
#' values, whose load is not known.
#'
#' @param runs result of [ufes_runs()]. @param published result of [ufes_distributions()].
figure_ufes_sweep <- function(runs, published) {
  x <- runs[as_made == TRUE & errors == 0 & payload == 30 & interval == 100 &
              (load == 0 | queue == ufes_queue)]
  x <- x[x[, .(loads = data.table::uniqueN(load)), by = variant][loads > 1L], on = "variant"]
  panels <- c(counted = "messages counted in a second", silent_counted = "silent seconds, %",
              again = "repeated per message, %")
  long <- data.table::melt(x, id.vars = c("variant", "load"), measure.vars = names(panels),
                           variable.name = "panel")[is.finite(value)]
  if (nrow(long) == 0L) return(figure_empty("no trial each 100 ms"))
  long <- long[, .(value = mean(value), least = min(value), most = max(value), n = .N),
               by = .(variant, load, panel)]
  theirs <- ufes_published_sweep(published, levels(x$variant))
  at <- max(long$load) * 1.22
  name <- function(panel) factor(panels[as.character(panel)], panels)
  plot <- ufes_curves(long[, panel := name(panel)], ggplot2::aes(load, value, colour = variant,
                                                                linetype = variant),
                      ggplot2::labs(x = "load that the others request, Mb/s", y = NULL)) +
    ggplot2::geom_linerange(ggplot2::aes(ymin = least, ymax = most), linewidth = 0.9, alpha = 0.5,
                            linetype = "solid", show.legend = FALSE) +
    ggplot2::geom_point(data = long[n == 1L], shape = 21, fill = "white", size = 1.3) +
    ggplot2::geom_point(data = theirs[, panel := name(panel)],
                        ggplot2::aes(x = at), shape = 5, size = 1.8, stroke = 0.7,
                        show.legend = FALSE) +
    ggplot2::facet_wrap(~panel, scales = "free_y", nrow = 1L) +
    ggplot2::scale_x_continuous(breaks = c(0, 20, 40, 60, at),
                                labels = c("0", "20", "40", "60", "publ."),
                                expand = ggplot2::expansion(c(0.04, 0.08))) +
    ggplot2::expand_limits(y = 0)
  list(plot = plot, width = 17.6, height = 5.6)
}

#' Published mean and share of silent seconds beside others, each 100 ms, in the form of the sweep.
#'
#' @param variants that are drawn.
ufes_published_sweep <- function(published, variants) {
  kinds <- c("CoAP CON" = "coap..beside others", "MQTT QoS 0" = "mqtt.true.beside others",
             "MQTT QoS 0, no Nagle" = "mqtt.false.beside others")
  x <- published[interval == 100, .(counted = sum(value * share),
                                    silent_counted = 100 * sum(share[value == 0])), by = kind]
  x[, variant := factor(names(kinds)[match(kind, ufes_kinds[kinds])], variants)]
  data.table::melt(x[!is.na(variant)], id.vars = "variant",
                   measure.vars = c("counted", "silent_counted"), variable.name = "panel",
                   variable.factor = FALSE)
}
