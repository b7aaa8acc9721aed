# One page for one capture: its messages over time, their round trips, and the ledger of its bytes.

#' The largest number of points in a panel; of more messages every k-th is drawn, and the panel
#' states it.
most_points <- 20000L

#' Draw the results of captures, a page for each; what `thinwire analyze --plot` writes.
#'
#' @param results of `measure_captures()`: lists with `header`, `metrics`, and `samples`, a file.
#' @param file PDF, or PNG for one capture.
plot_captures <- function(results, file) {
  save_pages(function() for (result in results) draw_capture(result), file, 17.6, 15)
}

#' Draw a page: three panels, one below the other.
draw_capture <- function(result) {
  panels <- capture_panels(result)
  grid::grid.newpage()
  layout <- grid::grid.layout(3L, 1L, heights = grid::unit(c(5, 6.6, 3.4), "null"))
  grid::pushViewport(grid::viewport(layout = layout))
  for (i in seq_along(panels)) {
    print(panels[[i]], vp = grid::viewport(layout.pos.row = i, layout.pos.col = 1L))
  }
}

#' The panels of a capture.
#'
#' @return list of ggplots `messages`, `trips`, `bytes`.
capture_panels <- function(result) {
  s <- read_samples(result$samples, c("time_s", "request_ack_ms", "response_ms", "copies"))
  of <- function(name) result$header$items[item == name, value]
  protocol <- label_protocols(of("protocol"))
  if (nrow(s) == 0L) {
    empty <- figure_empty("a session without a message")$plot
    return(list(messages = empty, trips = empty, bytes = empty))
  }
  list(messages = panel_messages(s, protocol, capture_title(of, nrow(s))),
       trips = panel_trips(s, protocol), bytes = panel_bytes(result$metrics, protocol))
}

capture_title <- function(of, n) {
  topic <- if (nzchar(of("topic"))) paste0(", topic ", of("topic"))
  paste0(basename(of("file")), ": ", format(n, big.mark = " "), " messages ", of("direction"), " ",
         of("device"), " (", of("role"), "), ", of("protocol"), " ", of("port"), topic)
}

#' Messages per interval; dark: one copy in the capture, light: several.
#'
#' @param s samples. @param protocol its label. @param title text above.
panel_messages <- function(s, protocol, title) {
  width <- nice_width(diff(range(s$time_s)))
  counts <- s[, .N, by = .(time = (floor(time_s / width) + 0.5) * width,
                           part = factor(ifelse(copies > 1, "repeated", "sent once"),
                                         c("repeated", "sent once")))]
  counts[, protocol := protocol]
  ggplot2::ggplot(counts, ggplot2::aes(time, N)) +
    ggplot2::geom_col(ggplot2::aes(fill = protocol, alpha = part), width = width) +
    scale_protocol_fill() +
    scale_parts(c("sent once", "repeated"), protocol = protocol) +
    ggplot2::scale_y_continuous(expand = ggplot2::expansion(c(0, 0.05)), breaks = whole_breaks) +
    ggplot2::coord_cartesian(xlim = range(s$time_s)) +
    ggplot2::labs(title = title, x = "time, s", y = paste("messages in", format(width), "s")) +
    theme_thinwire() +
    ggplot2::theme(plot.title = ggplot2::element_text(size = 8, face = "bold"))
}

#' Ticks of an axis of counts: whole numbers alone.
whole_breaks <- function(limits) {
  ticks <- pretty(limits, 4L)
  ticks[ticks == round(ticks)]
}

#' Width of an interval, s: 1, 2 or 5 times a power of ten, of which a span has 60 to 150.
nice_width <- function(span) {
  if (span <= 0) return(1)
  least <- span / 150
  steps <- c(1, 2, 5, 10) * 10^floor(log10(least))
  steps[steps >= least * (1 - 1e-9)][1L]
}

#' Times from a message's first frame over the capture, by the event that ended them.
panel_trips <- function(s, protocol) {
  trips <- data.table::rbindlist(list(
    s[!is.na(request_ack_ms), .(time_s, value = request_ack_ms, kind = "to the acknowledgement")],
    s[!is.na(response_ms), .(time_s, value = response_ms, kind = "to the response")]))
  trips <- trips[value > 0]
  n <- nrow(trips)
  if (n == 0L) return(figure_empty("no message was acknowledged or answered by the protocol")$plot)
  step <- ceiling(n / most_points)
  trips <- trips[seq(1L, n, step)][, protocol := protocol]
  note <- if (step > 1) paste0(" (one in ", step, ")")
  ggplot2::ggplot(trips, ggplot2::aes(time_s, value)) +
    ggplot2::geom_point(ggplot2::aes(colour = protocol, shape = kind), size = 0.8, stroke = 0.3) +
    scale_protocol("none") +
    ggplot2::scale_shape_manual(name = NULL, values = c("to the acknowledgement" = 16,
                                                        "to the response" = 1)) +
    ggplot2::scale_y_log10() +
    ggplot2::coord_cartesian(xlim = range(s$time_s)) +
    ggplot2::labs(x = "time, s", y = paste0("time of a message, ms", note)) +
    theme_thinwire()
}

#' The bytes of a message by account of the ledger, as one bar.
panel_bytes <- function(metrics, protocol) {
  bars <- ledger_rows(data.table::copy(metrics)[, `:=`(study = "", trial = "")])
  bars[, `:=`(protocol = protocol, row = factor(""))]
  ledger_bars(bars)
}
