# The generic figures of a study. They show every factor that varies, or refuse it by name.

#' Draw a figure.
#'
#' @param name such as "rtt", which the function `figure_rtt` draws; it gets the tables.
#' @param metrics,samples,factors tables of one study, of trials that went well.
#' @return list with `plot`, `width`, `height` (cm).
study_figure <- function(name, metrics, samples, factors) {
  trials <- trial_conditions(factors)
  draw <- mget(paste0("figure_", name), environment(study_figure), "function",
               ifnotfound = list(NULL))[[1L]]
  if (is.null(draw)) {
    input_error(name, "no such figure", "add a function of it to workflow/R/report/R")
  }
  draw(metrics, samples, trials)
}

#' Stop if more factors vary than a figure can show.
#'
#' @param trials result of [trial_conditions()]. @param most number of factors. @param figure name.
#' @return names of the factors.
shown_factors <- function(trials, most, figure) {
  shown <- attr(trials, "shown")
  if (length(shown) > most) {
    input_error(paste("study", trials$study[1L]), key = shown[most + 1L],
                paste0("varies, and the figure '", figure, "' shows ",
                       toString(shown[seq_len(most)]), " already"),
                "make it a constant, leave the figure out, or name a report of its own")
  }
  shown
}

#' Rows of a table with the conditions of their trials.
with_conditions <- function(table, trials) merge(table, trials, by = c("study", "trial"))

#' Distribution of messages received per second, after UFES, Fig. 2 (a probability mass function per
#' interval). The dotted line is the rate at which the device sends; twice the rate and more are one
#' bar. The axis is the square root of the share, so that rare seconds show. Columns: the first
#' factor that varies; lightness: the second.
figure_delivery <- function(metrics, samples, trials) {
  shown <- shown_factors(trials, 2L, "delivery")
  x <- with_conditions(samples[sample == "delivery_per_s"], trials)
  if (nrow(x) == 0L) return(figure_empty("no second of any trial was counted"))
  x[, `:=`(column = if (length(shown)) get(shown[1L]) else factor("all trials"),
           part = if (length(shown) > 1L) get(shown[2L]) else factor("all trials"),
           rate = 1000 / interval, most = ceiling(2000 / interval))]
  counts <- x[, .N, by = .(mode, protocol, column, part, rate, most, value = pmin(value, most))]
  counts[, share := N / sum(N), by = .(mode, column, part)]
  ends <- unique(counts[, .(mode, protocol, part, column, most)])
  ends <- ends[, .(value = c(0, most), share = 0), by = .(mode, protocol, part, column)]
  # trials to which the second factor does not apply (Nagle's algorithm over UDP) are dark, too
  strength <- c(1, 0.35, 1, 0.15)[seq_along(levels(counts$part))]
  ggplot2_plot <- ggplot2::ggplot(counts, ggplot2::aes(value, share)) +
    ggplot2::geom_blank(data = ends) +
    ggplot2::geom_vline(data = unique(counts[, .(mode, column, rate)]), linetype = "11",
                        ggplot2::aes(xintercept = rate), colour = "#555555", linewidth = 0.35) +
    ggplot2::geom_col(ggplot2::aes(fill = protocol, alpha = part), width = 0.8,
                      position = ggplot2::position_dodge2(width = 0.8, preserve = "single")) +
    ggplot2::facet_grid(mode ~ column, scales = "free_x", switch = "y") +
    scale_protocol_fill() +
    ggplot2::scale_alpha_manual(
      values = stats::setNames(strength, levels(counts$part)), name = NULL,
      guide = if (length(shown) > 1L) "legend" else "none"
    ) +
    ggplot2::scale_x_continuous(breaks = whole_breaks, labels = last_and_more,
                                expand = ggplot2::expansion(add = 0.3)) +
    ggplot2::scale_y_sqrt(limits = c(0, 1), breaks = c(0, 0.1, 0.5, 1),
                          labels = c("0", "0.1", "0.5", "1"), position = "right",
                          expand = ggplot2::expansion(c(0, 0.04))) +
    ggplot2::labs(x = "messages received in a second", y = "share of the seconds (square root)") +
    theme_thinwire() +
    ggplot2::theme(strip.text.y.left = ggplot2::element_text(angle = 0, hjust = 0),
                   panel.grid.major.x = ggplot2::element_blank())
  list(plot = ggplot2_plot, width = 17.6, height = 1.6 + 1.76 * data.table::uniqueN(counts$mode))
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

#' Lines that tell the modes of a protocol apart, in the order of the modes.
mode_lines <- c("solid", "22", "4212", "11")

#' Cumulative distribution of the round trips that the device measured. Colour: the protocol; line:
#' the mode; columns and rows: the factors that vary. Where Nagle's algorithm makes the rows, what
#' runs over UDP is in each.
figure_rtt <- function(metrics, samples, trials) {
  shown <- shown_factors(trials, 2L, "rtt")
  x <- with_conditions(samples[sample == "rtt_ms"], trials)
  if (nrow(x) == 0L) return(figure_empty("no trial measured a round trip"))
  x[, `:=`(column = if (length(shown)) get(shown[1L]) else factor("all trials"),
           row = if (length(shown) > 1L) get(shown[2L]) else factor("all trials"))]
  if ("nagle" %in% shown) x <- repeat_udp(x, if (shown[1L] == "nagle") "column" else "row")
  curves <- x[, cumulative(value), by = .(protocol, mode, column, row)]
  modes <- unique(curves[order(protocol, mode), .(protocol, mode = as.character(mode))])
  modes[, line := mode_lines[seq_len(.N)], by = protocol]
  curves[, mode := factor(mode, modes$mode)]
  plot <- ggplot2::ggplot(curves, ggplot2::aes(value, share, colour = mode, linetype = mode)) +
    ggplot2::geom_step(linewidth = 0.5) +
    ggplot2::facet_grid(row ~ column) +
    ggplot2::scale_x_log10(labels = function(v) format(v, trim = TRUE, drop0trailing = TRUE)) +
    ggplot2::scale_y_continuous(breaks = seq(0, 1, 0.25), labels = c("0", "", "0.5", "", "1"),
                                expand = ggplot2::expansion(0.01)) +
    ggplot2::scale_colour_manual(values = stats::setNames(
      unname(protocol_colours()[as.character(modes$protocol)]), modes$mode), name = NULL) +
    ggplot2::scale_linetype_manual(values = stats::setNames(modes$line, modes$mode),
                                   name = NULL) +
    ggplot2::labs(x = "round trip seen by the device, ms (logarithmic)",
                  y = "share of the round trips") +
    theme_thinwire() +
    ggplot2::theme(legend.key.width = ggplot2::unit(16, "pt"))
  if (length(shown) < 2L) plot <- plot + ggplot2::theme(strip.text.y = ggplot2::element_blank())
  if (!length(shown)) plot <- plot + ggplot2::theme(strip.text.x = ggplot2::element_blank())
  list(plot = plot, width = 17.6, height = 2.8 + 3.6 * data.table::uniqueN(curves$row))
}

#' Repeat the UDP protocols at each setting of Nagle's algorithm, which does not apply to them.
#'
#' @param x samples. @param place name of the column that holds the setting.
repeat_udp <- function(x, place) {
  over_udp <- x[[place]] == "UDP"
  settings <- setdiff(levels(droplevels(x[[place]])), "UDP")
  if (!length(settings)) return(x)
  copies <- lapply(settings, function(setting) {
    copy <- x[over_udp]
    data.table::set(copy, j = place, value = setting)
  })
  rest <- x[!over_udp]
  data.table::set(rest, j = place, value = as.character(rest[[place]]))
  out <- data.table::rbindlist(c(list(rest), copies))
  data.table::set(out, j = place, value = factor(out[[place]], settings))
  out[]
}

#' A figure with the reason why it shows nothing.
figure_empty <- function(reason) {
  plot <- ggplot2::ggplot() +
    ggplot2::annotate("text", 0, 0, label = reason, size = 2.8, colour = ink,
                      family = figure_family()) +
    ggplot2::theme_void()
  list(plot = plot, width = 8.6, height = 2)
}

#' Points of an empirical distribution function, thinned to what can be seen.
cumulative <- function(x, points = 400L) {
  x <- sort(x)
  n <- length(x)
  keep <- unique(round(seq(1, n, length.out = min(n, points))))
  data.table::data.table(value = c(x[1L], x[keep]), share = c(0, keep / n))
}
