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

#' One panel each for the study and the lab, with the number of messages.
#'
#' @param spans result of [kuleuven_spans()].
kuleuven_span_figure <- function(spans) {
  spans <- data.table::copy(spans)
  spans[, panel := sprintf("%s: %s", kind, format(max(made), big.mark = " ")), by = kind]
  spans[, panel := factor(panel, unique(panel))]
  means <- spans[, .(value = mean(value)), by = .(panel, qos)]
  plot <- ggplot2::ggplot(means, ggplot2::aes(qos, value)) +
    ggplot2::geom_col(width = 0.6, fill = protocol_colours()[["MQTT"]]) +
    ggplot2::geom_point(data = spans[kind == "lab"], size = 0.8, colour = ink) +
    ggplot2::facet_wrap(~panel, scales = "free_y") +
    ggplot2::scale_y_continuous(limits = c(0, NA), expand = ggplot2::expansion(c(0, 0.05))) +
    ggplot2::labs(x = NULL, y = "s") + theme_thinwire()
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
