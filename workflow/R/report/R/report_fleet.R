# The report of the study `fleet`: delivery and delay by number of devices in a cell.

#' @param study see [make_report()].
report_fleet <- function(study) {
  summary <- summarise_fleet(study$metrics, study$factors)
  densest <- densest_cells(summary)
  list(figures = list(density = figure_density(summary), delivery = figure_delivered(summary)),
       tables = list(table = fleet_table(summary), densest = densest_table(densest)),
       data = list(density = summary, densest = densest))
}

#' Metrics that the report shows, and their columns.
fleet_columns <- c(made = "made", delivered = "delivered", delay_median_ms = "delay_median",
                   delay_p95_ms = "delay_p95", first_delivery_max_s = "last_back",
                   fairness_delivered = "fairness", devices_airtime_pct = "airtime_pct",
                   medium_busy_pct = "busy_pct", collisions_of_accesses_pct = "collisions_pct",
                   silent_devices = "silent")

#' One row per mode and number of devices, repetitions pooled.
#'
#' @param metrics,factors tables of the study.
#' @return data.table `mode`, `protocol` (label), `devices`, `trials`, `made`, `delivered`
#'   (messages), `interval_ms`, `delivery_pct` with Wilson's interval `delivery_low`,
#'   `delivery_high`; the mean over the trials of the other [fleet_columns]: delays in ms,
#'   `last_back` (s until the first message of the last device has arrived), shares in per cent; NA
#'   where nothing arrived.
summarise_fleet <- function(metrics, factors) {
  wide <- add_modes(wide_factors(factors))
  check_shown(wide, c("mode", "protocol", "devices"), "fleet")
  chosen <- metrics[metric %in% names(fleet_columns)]
  values <- data.table::dcast(chosen, study + trial ~ metric, value.var = "value")
  for (name in setdiff(names(fleet_columns), names(values))) values[, (name) := NA_real_]
  data.table::setnames(values, names(fleet_columns), fleet_columns)
  both <- values[wide, on = c("study", "trial")]
  means <- setdiff(fleet_columns, c("made", "delivered"))
  out <- both[, c(list(trials = .N, made = sum(made), delivered = sum(delivered)),
                  lapply(.SD, mean, na.rm = TRUE)),
              by = .(mode, protocol = label_protocols(protocol), devices = as.numeric(devices),
                     interval_ms = as.numeric(interval_ms)),
              .SDcols = means]
  limits <- vapply(seq_len(nrow(out)), function(i) {
    100 * wilson_interval(out$delivered[i], out$made[i])
  }, c(0, 0))
  out[, `:=`(delivery_pct = 100 * delivered / made, delivery_low = limits[1L, ],
             delivery_high = limits[2L, ])]
  data.table::setorder(out, mode, devices)
  out[]
}

#' What a cell bears: at least this share of the messages delivered, in per cent, ...
borne_delivery_pct <- 99
#' ... and the 95th percentile of the delay at most this share of the interval between messages.
borne_delay_share <- 1

#' The densest cell that each mode bears, among the numbers of devices that were tried.
#'
#' A cell counts only if all smaller ones of the mode are borne, too.
#'
#' @param summary result of [summarise_fleet()].
#' @return data.table by mode: `protocol`, `borne` (devices; 0: not even the smallest cell),
#'   `next_up` (the smallest number of devices that is not borne; NA if all are), and why: `late`,
#'   `lost`.
densest_cells <- function(summary) {
  x <- data.table::copy(summary)
  x[, `:=`(lost = !(delivery_pct >= borne_delivery_pct),
           late = !(delay_p95 <= borne_delay_share * interval_ms))]
  x[is.na(lost), lost := TRUE]
  x[is.na(late), late := FALSE] # nothing arrived, which `lost` says
  data.table::setorder(x, mode, devices)
  x[, {
    first <- which(late | lost)[1L]
    up <- if (is.na(first)) .N else first - 1L
    list(borne = if (up > 0L) devices[up] else 0, next_up = devices[first],
         late = late[first], lost = lost[first])
  }, by = .(mode, protocol)]
}

#' Table of the densest cells for the paper.
#'
#' @param x result of [densest_cells()].
densest_table <- function(x) {
  why <- data.table::fcase(is.na(x$next_up), "", x$late & x$lost, "late, lost",
                           x$late, "late", default = "lost")
  cells <- cbind(as.character(x$mode), latex_number(x$borne),
                 ifelse(is.na(x$next_up), "--", latex_number(x$next_up)), why)
  latex_table(cells, "@{}lrrl@{}", c("Mode", "borne", "not borne", "why"))
}

#' Median and 95th percentile of the delay by number of devices, logarithmic.
#'
#' @param summary result of [summarise_fleet()].
figure_density <- function(summary) {
  panels <- c(delay_median = "median", delay_p95 = "95th percentile")
  plot <- lines_of_devices(summary, panels, "delay, ms (logarithmic)") + ggplot2::scale_y_log10()
  list(plot = plot, width = 17.6, height = 7)
}

#' Share of the messages that arrived, by number of devices.
#'
#' @param summary result of [summarise_fleet()].
figure_delivered <- function(summary) {
  plot <- lines_of_devices(summary, c(delivery_pct = ""), "delivered of made, %") +
    ggplot2::scale_y_continuous(limits = c(0, 100)) +
    ggplot2::theme(strip.text = ggplot2::element_blank())
  list(plot = plot, width = 8.6, height = 7)
}

#' Lines over the number of devices. Colour: protocol; line: mode.
#'
#' @param panels titles of the panels, by column of `summary`. @param title of the vertical axis.
lines_of_devices <- function(summary, panels, title) {
  x <- data.table::melt(summary, id.vars = c("mode", "protocol", "devices"),
                        measure.vars = names(panels), variable.name = "panel")
  x <- x[is.finite(value)]
  x[, panel := factor(panels[as.character(panel)], panels)]
  modes <- unique(summary[, .(protocol, mode = as.character(mode))])
  modes[, line := mode_lines[seq_len(.N)], by = protocol]
  x[, mode := factor(as.character(mode), modes$mode)]
  colours <- unname(protocol_colours()[as.character(modes$protocol)])
  ggplot2::ggplot(x, ggplot2::aes(devices, value, colour = mode, linetype = mode)) +
    ggplot2::geom_line(linewidth = 0.5) +
    ggplot2::geom_point(size = 1) +
    ggplot2::facet_wrap(~panel, nrow = 1L) +
    ggplot2::scale_x_log10(breaks = sort(unique(summary$devices))) +
    ggplot2::scale_colour_manual(values = stats::setNames(colours, modes$mode), name = NULL) +
    ggplot2::scale_linetype_manual(values = stats::setNames(modes$line, modes$mode), name = NULL) +
    ggplot2::labs(x = "devices in the cell (logarithmic)", y = title) +
    theme_thinwire() +
    ggplot2::theme(legend.key.width = ggplot2::unit(16, "pt"))
}

#' Table of the study for the paper.
#'
#' @param s result of [summarise_fleet()].
fleet_table <- function(s) {
  first <- !duplicated(s$mode)
  cells <- cbind(ifelse(first, as.character(s$mode), ""), latex_number(s$devices),
                 latex_number(s$made), latex_number(s$delivery_pct, 1L),
                 latex_interval(s$delivery_low, s$delivery_high, 1L),
                 latex_number(s$delay_median, 1L), latex_number(s$delay_p95, 1L),
                 latex_number(s$last_back, 1L), latex_number(s$fairness, 3L),
                 latex_number(s$busy_pct, 1L), latex_number(s$collisions_pct, 1L))
  header <- c("Mode", "devices", "made", "\\shortstack{delivered\\\\\\%}", "95\\,\\% interval",
              "\\shortstack{delay\\\\median, ms}", "\\shortstack{delay\\\\p95, ms}",
              "\\shortstack{last device\\\\back, s}", "\\shortstack{Jain's\\\\index}",
              "\\shortstack{medium\\\\busy, \\%}", "\\shortstack{collisions\\\\\\%}")
  latex_table(cells, "@{}lrrrlrrrrrr@{}", header, which(first)[-1L])
}
