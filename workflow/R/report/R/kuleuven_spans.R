# KU Leuven's Fig. 17: how long the messages of 100 clients take at each QoS.

#' The study's 10,000 messages, and ours: all messages of the clients, by the device's clock.
#'
#' @param published rows of Fig. 17. @param metrics table of the study. @param cells result of
#'   [kuleuven_cells()].
#' @return data.table `kind` ("published", "lab"), `qos`, `value` (s; of the lab one a run), `made`,
#'   `delivered` (messages; of the study its own count).
kuleuven_spans <- function(published, metrics, cells) {
  designed <- cells[variant == "as designed" & clients == 100L & startsWith(row, "MQTT")]
  lab <- metrics[designed, on = "trial", nomatch = NULL][
    metric %in% c("delivery_span_s", "made", "delivered")]
  lab <- data.table::dcast(lab, trial + row ~ metric, value.var = "value")
  printed <- data.table::data.table(kind = "published", qos = substr(published$row, 6L, 10L),
                                    value = as.numeric(published$value), made = 10000,
                                    delivered = 10000)
  if (!"delivery_span_s" %in% names(lab)) return(printed)
  rbind(printed, lab[, .(kind = "lab", qos = substr(row, 6L, 10L), value = delivery_span_s, made,
                         delivered)])
}

#' Published beside the lab's mean and runs, each divided by its own number of messages: a shortened
#' design makes fewer than the study.
#'
#' @param spans result of [kuleuven_spans()].
kuleuven_span_figure <- function(spans) {
  spans <- spans[, .(kind, qos, value = 1e3 * value / made, made)]
  spans[, source := sprintf("%s, %s messages", kind, format(max(made), big.mark = " ")), by = kind]
  spans[, source := factor(source, unique(source))]
  means <- spans[, .(value = mean(value)), by = .(source, qos)]
  mqtt <- protocol_colours()[["MQTT"]]
  plot <- ggplot2::ggplot(means, ggplot2::aes(qos, value)) +
    ggplot2::geom_col(ggplot2::aes(fill = source), position = "dodge", width = 0.7, colour = mqtt,
                      linewidth = 0.3) +
    ggplot2::geom_point(data = spans[kind == "lab"], size = 0.8, colour = ink,
                        position = ggplot2::position_nudge(x = 0.175)) +
    ggplot2::scale_fill_manual(values = c("white", mqtt), name = NULL) +
    ggplot2::scale_y_continuous(limits = c(0, NA), expand = ggplot2::expansion(c(0, 0.05))) +
    ggplot2::labs(x = NULL, y = "ms a message, 100 clients") + theme_thinwire()
  list(plot = plot, width = 8.4, height = 5)
}

#' Numbers for the text: `\twKuleuvenSpan<QoS>`, s, and how many messages the clients made.
#'
#' @param spans result of [kuleuven_spans()].
kuleuven_span_numbers <- function(spans) {
  lab <- spans[kind == "lab"]
  if (nrow(lab) == 0L) return(character())
  each <- vapply(split(lab$value, lab$qos), latex_measured, "", decimals = 1L, unit = "\\,s")
  c(latex_macro("twKuleuvenSpanMade", latex_number(max(lab$made))),
    latex_macro(vapply(paste("Kuleuven span", names(each)), macro_name, ""), each))
}
