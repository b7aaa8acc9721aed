# The figures of the byte ledger: bytes per message by account, as stacked bars.

#' Accounts of the ledger in the order of the bars, payload darkest.
ledger_parts <- c("payload", "properties", "header", "record", "transport", "network", "link",
                  "acknowledgement", "retransmission", "handshake", "session")

#' Accounts of the ledger per message, one row for each account of each trial; those of TLS,
#' DTLS and MQTT 5 only where a trial has them.
ledger_rows <- function(metrics) {
  ledger <- metrics[metric %in% paste0("ledger_", ledger_parts, "_bytes")]
  sent <- metrics[metric == "messages", .(study, trial, messages = value)]
  ledger <- merge(ledger, sent, by = c("study", "trial"))
  optional <- "record|handshake|properties"
  ledger <- ledger[, if (!grepl(optional, metric) || any(value > 0)) .SD, by = metric]
  ledger[, part := factor(sub("^ledger_(.*)_bytes$", "\\1", metric), rev(ledger_parts))]
  ledger[, bytes := value / messages]
  ledger[]
}

#' Scale of the accounts that bars have.
scale_ledger <- function(bars) {
  scale_parts(intersect(ledger_parts, as.character(unique(bars$part))), protocol = bars$protocol)
}

#' Stacked bars of accounts with their sum beside them.
#'
#' @param bars data.table `row` (factor), `protocol`, `part`, `bytes`, and what `by` names.
#' @param by column of the panels, or none.
ledger_bars <- function(bars, by = character()) {
  totals <- bars[, .(bytes = sum(bytes)), by = c("row", by)]
  ggplot2::ggplot(bars, ggplot2::aes(bytes, row)) +
    geom_parts() +
    ggplot2::geom_text(data = totals, ggplot2::aes(label = sprintf("%.0f", bytes)), hjust = 0,
                       nudge_x = max(totals$bytes) * 0.015, size = 2.3, colour = ink,
                       family = figure_family()) +
    scale_protocol_fill() +
    scale_ledger(bars) +
    ggplot2::scale_x_continuous(expand = ggplot2::expansion(c(0, 0.14))) +
    ggplot2::labs(x = "bytes on the wire per message", y = NULL) +
    theme_thinwire() +
    ggplot2::theme(panel.grid.major.y = ggplot2::element_blank())
}

#' Bytes on the wire per message, mean of the repetitions. Columns: the first factor that varies;
#' the rows name the mode and all others.
figure_bytes <- function(metrics, samples, trials) {
  shown <- attr(trials, "shown")
  bars <- with_conditions(ledger_rows(metrics), trials)
  if (nrow(bars) == 0L) return(figure_empty("no trial has a message in its ledger"))
  bars[, column := if (length(shown)) get(shown[1L]) else factor("all trials")]
  rest <- shown[-1L]
  bars <- bars[, .(bytes = mean(bytes)), by = c("protocol", "mode", "column", rest, "part")]
  words <- lapply(rest, function(name) {
    text <- sub("^TCP, ", "", as.character(bars[[name]]))
    ifelse(text == "UDP", "", paste0(", ", text))
  })
  bars[, row := do.call(paste0, c(list(as.character(mode)), words))]
  data.table::setorderv(bars, c("protocol", "mode", rest))
  bars[, row := factor(row, rev(unique(row)))]
  plot <- ledger_bars(bars, "column")
  if (length(shown)) plot <- plot + ggplot2::facet_wrap(~column, nrow = 1L)
  list(plot = plot, width = 17.6, height = 2.6 + 0.5 * length(levels(bars$row)))
}

#' The same for recorded captures: one bar per capture, named by its condition.
#'
#' @param metrics table of the study `recordings`.
figure_ledger <- function(metrics) {
  bars <- ledger_rows(metrics)
  bars[, protocol := label_protocols(sub("_.*$", "", trial))]
  cells <- kuleuven_capture_cells(bars$trial)
  name <- kuleuven_cell_name(cells$row, cells$clients)
  order <- unique(name[order(match(cells$row, kuleuven_rows), cells$clients)])
  bars[, row := factor(name, rev(order))]
  list(plot = ledger_bars(bars), width = 17.6, height = 5.2)
}
