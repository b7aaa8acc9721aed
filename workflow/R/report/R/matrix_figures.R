# The figures of the study `matrix`.

#' @param summary result of [summarise_matrix()]. @param metrics,factors tables of the study.
#' @param memory result of [matrix_memory()].
#' @return named list of list(plot, width, height), cm.
matrix_figures <- function(summary, metrics, factors, memory) {
  list(
    times = list(plot = figure_matrix_times(summary), width = 17.6, height = 7.6),
    bytes = list(plot = figure_matrix_bytes(summary, metrics, factors), width = 17.6, height = 8.4),
    charge = list(plot = figure_matrix_charge(summary), width = 17.6, height = 8.2),
    memory = list(plot = figure_matrix_memory(memory), width = 8.6, height = 5.4)
  )
}

#' Modes from the top down.
downwards <- function(mode) factor(mode, rev(levels(mode)))

payload_label <- function(bytes) {
  factor(paste(bytes, "bytes"), paste(sort(unique(bytes)), "bytes"))
}

#' Time until the acknowledgement: median as a point, 95th percentile as the end of the line; left
#' by payload in an idle cell, right one payload in an idle and in a loaded cell. Shape: payload or
#' load.
figure_matrix_times <- function(summary) {
  x <- summary[!is.na(rtt_median) & interval == 100]
  sizes <- "payload, idle cell"
  load <- "100 bytes, load of the cell"
  x <- rbind(x[loaded == FALSE][, `:=`(panel = sizes, group = paste(payload, "bytes"))],
             x[payload == 100][, `:=`(panel = load,
                                      group = ifelse(loaded, "loaded cell", "idle cell"))])
  groups <- c(paste(sort(unique(summary$payload)), "bytes"), "idle cell", "loaded cell")
  x[, `:=`(group = factor(group, groups), panel = factor(panel, c(sizes, load)),
           protocol = protocol_of_mode(mode))]
  shapes <- stats::setNames(c(rep_len(c(0, 16, 2, 5, 6), length(groups) - 2L), 17, 4), groups)
  shift <- ggplot2::position_dodge2(width = 0.75, preserve = "single", reverse = TRUE)
  ggplot2::ggplot(x, ggplot2::aes(y = downwards(mode), colour = protocol, group = group)) +
    ggplot2::geom_linerange(ggplot2::aes(xmin = rtt_median, xmax = rtt_p95), linewidth = 0.5,
                            position = shift) +
    ggplot2::geom_point(ggplot2::aes(x = rtt_median, shape = group), size = 1.4,
                        position = shift) +
    ggplot2::facet_wrap(~panel, nrow = 1L) +
    ggplot2::scale_x_log10(breaks = c(0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)) +
    scale_protocol("none") +
    ggplot2::scale_shape_manual(values = shapes, name = NULL, drop = FALSE) +
    ggplot2::labs(x = "until the acknowledgement, ms (logarithmic): median to 95th percentile",
                  y = NULL) +
    theme_thinwire()
}

#' Bytes on the wire per message by account of the ledger, and (diamonds) on the air, by payload.
figure_matrix_bytes <- function(summary, metrics, factors) {
  trials <- matrix_trials(factors)[interval == 100 & loaded == FALSE]
  bars <- ledger_rows(metrics)[trials, on = c("study", "trial"), nomatch = NULL][
    , .(bytes = mean(bytes)), by = .(row = downwards(mode), payload, part)]
  bars[, `:=`(panel = payload_label(payload), protocol = protocol_of_mode(row))]
  air <- summary[interval == 100 & !loaded,
                 .(row = downwards(mode), panel = payload_label(payload), bytes = air_bytes)]
  ggplot2::ggplot(bars, ggplot2::aes(bytes, row)) +
    geom_parts() +
    ggplot2::geom_point(data = air, ggplot2::aes(shape = "on the air"), size = 1.5, fill = "white",
                        colour = ink, stroke = 0.4) +
    ggplot2::facet_wrap(~panel, nrow = 1L, scales = "free_x") +
    scale_protocol_fill() +
    scale_ledger(bars) +
    ggplot2::scale_shape_manual(values = c("on the air" = 23), name = NULL) +
    ggplot2::scale_x_continuous(expand = ggplot2::expansion(c(0, 0.12)), n.breaks = 4L) +
    ggplot2::labs(x = "bytes per message", y = NULL) +
    ggplot2::guides(shape = ggplot2::guide_legend(order = 2L)) +
    theme_thinwire() +
    ggplot2::theme(legend.box = "vertical", legend.box.just = "left",
                   legend.spacing.y = ggplot2::unit(1, "pt")) +
    ggplot2::theme(panel.grid.major.y = ggplot2::element_blank())
}

#' Parts of the charge.
charge_parts <- c(transmit_uc = "transmitting", receive_uc = "receiving",
                  listen_uc = "listening meanwhile")

#' Charge of a delivered message: of its frames (left), and including listening during the exchange
#' (right), by condition, with the mean's interval from three runs on. A bar far longer than the
#' others of its panel is cut, see [cut_bars()].
figure_matrix_charge <- function(summary) {
  x <- summary[payload == 100 & (interval == 100 | !loaded)]
  conditions <- c("every 100 ms", "100 ms, loaded cell", "every second")
  x[, condition := factor(data.table::fcase(
    interval == 100 & !loaded, conditions[1L], interval == 100, conditions[2L],
    default = conditions[3L]), conditions)]
  long <- data.table::melt(x, id.vars = c("mode", "condition"), measure.vars = names(charge_parts),
                           variable.name = "part", value.name = "uc")
  long[, part := factor(charge_parts[as.character(part)], rev(charge_parts))]
  frames <- long[part != "listening meanwhile" & condition == conditions[1L]]
  frames[, panel := "frames alone"]
  whole <- long[, .(mode, condition, part, uc, panel = as.character(condition))]
  all <- rbind(frames, whole)
  all[, panel := factor(panel, c("frames alone", conditions))]
  all[, protocol := protocol_of_mode(mode)]
  all <- cut_bars(all)
  totals <- all[, .(uc = sum(uc), shown = sum(shown)), by = .(mode, panel)]
  halves <- rbind(
    x[condition == conditions[1L], .(mode, panel = "frames alone", half = radio_half)],
    x[, .(mode, panel = as.character(condition), half = charge_half)])
  totals[halves, half := i.half, on = c("mode", "panel")]
  totals[, `:=`(cut = shown < uc, gap = 0.03 * max(shown)), by = panel]
  totals[, `:=`(label = paste0(whole_number(uc), ifelse(cut, " (cut)", "")),
                at = shown + ifelse(cut, -gap, gap + data.table::fcoalesce(half, 0)))]
  ggplot2::ggplot(all, ggplot2::aes(shown, downwards(mode))) +
    geom_parts() +
    ggplot2::geom_linerange(data = totals[!cut & !is.na(half)],
                            ggplot2::aes(x = uc, xmin = uc - half, xmax = uc + half),
                            linewidth = 0.4, colour = ink) +
    ggplot2::geom_text(data = totals, ggplot2::aes(x = at, label = label, hjust = as.numeric(cut)),
                       size = 2.3, colour = ink, family = figure_family()) +
    ggplot2::facet_wrap(~panel, nrow = 1L, scales = "free_x") +
    scale_protocol_fill() +
    scale_parts(unname(charge_parts)) +
    ggplot2::scale_x_continuous(expand = ggplot2::expansion(c(0, 0.28)), n.breaks = 3L) +
    ggplot2::labs(x = "charge per delivered message, \u00b5C", y = NULL) +
    theme_thinwire() +
    ggplot2::theme(panel.grid.major.y = ggplot2::element_blank(),
                   panel.spacing.x = ggplot2::unit(14, "pt"))
}

#' Cut the bars that are over three times as long as the next shorter one of their panel, to one and
#' a half times the length of that one.
#'
#' @param bars data.table `mode`, `panel`, `part`, `uc`: parts of each bar; the last level of `part`
#'   is at the axis.
#' @return `bars` with `shown`, the length of each part as drawn.
cut_bars <- function(bars) {
  longest <- function(uc) {
    lengths <- sort(uc)
    far <- which(lengths[-1L] > 3 * lengths[-length(lengths)] & lengths[-1L] > max(lengths) / 3)
    if (length(far)) 1.5 * lengths[far[1L]] else Inf
  }
  totals <- bars[, .(uc = sum(uc)), by = .(mode, panel)]
  out <- bars[totals[, .(limit = longest(uc)), by = panel], on = "panel"]
  data.table::setorder(out, panel, mode, -part)
  out[, shown := pmax(0, pmin(uc, limit - (cumsum(uc) - uc))), by = .(mode, panel)]
  out[]
}

#' A number in whole units, thousands apart.
whole_number <- function(x) {
  formatC(x, format = "f", digits = 0L, big.mark = "\u2009")
}

#' Flash and RAM of each protocol in kB: the image with the engine alone, heap and stack at their
#' highest.
figure_matrix_memory <- function(memory) {
  parts <- c(flash = "flash", ram = "static RAM", heap_peak = "heap, highest",
             stack_peak = "stack, highest")
  memory <- data.table::copy(memory)
  for (name in names(parts)) data.table::set(memory, j = name, value = as.numeric(memory[[name]]))
  long <- data.table::melt(memory, id.vars = "protocol", measure.vars = names(parts),
                           variable.name = "part", value.name = "bytes")
  panels <- c("flash, kB", "RAM, kB")
  long[, panel := factor(panels[1L + (part != "flash")], panels)]
  long[, part := factor(parts[as.character(part)], rev(parts))]
  totals <- long[, .(bytes = sum(bytes)), by = .(protocol, panel)]
  ggplot2::ggplot(long, ggplot2::aes(bytes / 1000, downwards(protocol))) +
    geom_parts(width = 0.7) +
    ggplot2::geom_text(data = totals, ggplot2::aes(label = sprintf(" %.1f", bytes / 1000)),
                       hjust = 0, size = 2.3, colour = ink, family = figure_family()) +
    ggplot2::facet_wrap(~panel, nrow = 1L, scales = "free_x") +
    scale_protocol_fill() +
    scale_parts(unname(parts), rows = 2L) +
    ggplot2::scale_x_continuous(expand = ggplot2::expansion(c(0, 0.28)), n.breaks = 4L) +
    ggplot2::labs(x = NULL, y = NULL) +
    theme_thinwire() +
    ggplot2::theme(panel.grid.major.y = ggplot2::element_blank(),
                   panel.spacing.x = ggplot2::unit(14, "pt"))
}
