# The report of the study `kuleuven`: KU Leuven's table and figures, as published, as recorded and
# as reproduced in the lab, and the effect of each mechanism.

#' @param study see [make_report()]; its tables: `published` (kuleuven2019.csv), and `recordings`
#'   (metrics of the recorded captures) where these are at hand.
report_kuleuven <- function(study) {
  published <- report_table(study, "published", c("location", "row", "column", "value"))
  cells <- kuleuven_cells(study$factors)
  lab <- kuleuven_lab(study$metrics, cells)
  recorded <- kuleuven_recording(study, "recordings", "metric")
  mechanisms <- kuleuven_mechanisms(study$metrics, cells)
  spans <- kuleuven_spans(published[location == "Fig. 17"], study$metrics, cells)
  clients <- kuleuven_client_spreads(study$metrics, cells)
  graphs <- kuleuven_recording(study, "graphs", c("graph", "time_s"))
  list(figures = c(list(columns = kuleuven_figure(published[location == "Fig. 25"],
                                             kuleuven_ranges(study$metrics, cells)),
                        spans = kuleuven_span_figure(spans)),
                   if (!is.null(graphs)) list(graphs = kuleuven_graph_figure(graphs))),
       tables = list(table = kuleuven_table(published[location == "Fig. 25"], recorded, lab),
                     mechanisms = kuleuven_mechanism_table(mechanisms),
                     clients = kuleuven_client_table(clients)),
       numbers = c(kuleuven_numbers(study$metrics, cells, mechanisms),
                   kuleuven_span_numbers(spans), kuleuven_client_numbers(clients)))
}

#' The definition of each of the table's columns, by protocol: the true quantity, not the misread
#' one (docs/metrics.md).
kuleuven_metric <- function(row, clients, column) {
  mqtt <- startsWith(row, "MQTT")
  switch(column,
    network_loss = "network_loss_pct",
    device_loss = if (mqtt) "messages_behind_first_pct" else "device_loss_pct",
    retransmissions = "retransmissions", throughput_mean = "throughput_mean_bytes_per_10ms",
    roundtrip_mean = if (mqtt) "device_ack_rtt_mean_ms" else if (row == "CoAP" && clients == 1L)
      "request_ack_mean_ms" else "conversation_mean_ms",
    device_crashes = "device_crashes", device_offline = "device_offline_s")
}

kuleuven_columns <- c("network_loss", "device_loss", "retransmissions", "throughput_mean",
                      "roundtrip_mean", "device_crashes", "device_offline")

#' Means over the repetitions of the trials as designed.
#'
#' @return data.table `row`, `clients`, `cell`, `metric`, `value`.
kuleuven_lab <- function(metrics, cells) {
  designed <- cells[variant == "as designed"]
  metrics[designed, on = "trial", nomatch = NULL][
    , .(value = mean(value)), by = .(row, clients, cell, metric)]
}

#' A table of the recorded captures; NULL if none is available.
#'
#' @param study see [make_report()]. @param name of the table. @param what its columns besides
#'   `trial` and `value`: "metric" or "sample", and others.
#' @return data.table `row`, `clients`, those columns, `value`.
kuleuven_recording <- function(study, name, what) {
  if (!name %in% names(study$tables)) return(NULL)
  table <- report_table(study, name, c("trial", what, "value"))
  cells <- kuleuven_capture_cells(table$trial)
  cells[, (what) := table[, what, with = FALSE]]
  cells[, value := as.numeric(table$value)][]
}

#' One value of such a table; NA where there is none.
kuleuven_value <- function(table, of_row, of_clients, of_metric) {
  if (is.null(table)) return(NA_real_)
  out <- table[row == of_row & clients == of_clients & metric == of_metric, value]
  if (length(out)) out[1L] else NA_real_
}

#' Fig. 25: published, recorded, lab.
kuleuven_table <- function(published, recorded, lab) {
  grid <- kuleuven_grid()
  body <- t(vapply(seq_len(nrow(grid)), function(i) {
    of_row <- grid$row[i]
    of_clients <- grid$clients[i]
    name <- kuleuven_cell_name(of_row, of_clients)
    values <- vapply(kuleuven_columns, function(column) {
      printed <- published$value[published$row == name & published$column == column]
      wanted <- kuleuven_metric(of_row, of_clients, column)
      paste(sub("^(.*[.]..).*$", "\\1", printed),
            kuleuven_digits(kuleuven_value(recorded, of_row, of_clients, wanted), 2L),
            kuleuven_digits(kuleuven_value(lab, of_row, of_clients, wanted), 1L), sep = " / ")
    }, "")
    c(latex_text(name), values)
  }, character(1L + length(kuleuven_columns))))
  latex_table(body, paste0("@{}l", strrep("c", length(kuleuven_columns)), "@{}"),
              c("", fig25_columns[kuleuven_columns]), c(4L, 7L, 10L, 13L))
}

#' No decimals from ten on; below, two (as the study prints them) or one.
kuleuven_digits <- function(x, decimals) {
  ifelse(is.na(x), "--", ifelse(abs(x) >= 10 | x == round(x), latex_number(x),
                                latex_number(x, decimals)))
}

#' The effect of each mechanism on MQTT with ten clients, at each QoS with a changed one.
#'
#' @return data.table `row`, `variant`, `trials`; for the table, each as [latex_mean()] has it:
#'   `messages`, `frames`, `behind` (%), `processed` (% of the messages that reached the device),
#'   `ack` (ms), `repeated` (segments); `behind_measured` and `processed_measured`: the same for the
#'   text, see [latex_measured()].
kuleuven_mechanisms <- function(metrics, cells) {
  mine <- cells[startsWith(row, "MQTT") & clients == 10L]
  mine <- mine[row %in% mine[variant != "as designed", row]]
  wide <- data.table::dcast(metrics[mine, on = "trial", nomatch = NULL],
                            trial + row + variant ~ metric, value.var = "value")
  out <- wide[, .(trials = .N, messages = latex_mean(messages),
                  frames = latex_mean(frames_with_messages),
                  behind = latex_mean(messages_behind_first_pct),
                  processed = latex_mean(processed_of_reached_pct),
                  ack = latex_mean(device_ack_rtt_mean_ms),
                  repeated = latex_mean(retransmissions, 1L),
                  behind_measured = latex_measured(messages_behind_first_pct, 0L, "\\,\\%"),
                  processed_measured = latex_measured(processed_of_reached_pct, 0L, "\\,\\%")),
              by = .(row, variant)]
  out[order(row, variant != "as designed", variant)]
}

kuleuven_mechanism_table <- function(x) {
  cells <- cbind(latex_text(paste0(x$row, ", ", x$variant)), x$trials, x$messages, x$frames,
                 x$behind, x$processed, x$ack, x$repeated)
  latex_table(cells, "@{}lrrrrrrr@{}",
              c("", "$n$", "messages", "segments", "behind, \\%", "processed, \\%", "ACK, ms",
                "repeated"))
}

#' Numbers for the text: `\twKuleuvenLab<Cell><Quantity>` and the totals.
kuleuven_numbers <- function(metrics, cells, mechanisms) {
  designed <- mechanisms[row == "MQTT QoS 0" & variant == "as designed"]
  c(latex_macro("twKuleuvenTrials", latex_number(data.table::uniqueN(cells$trial))),
    latex_macro("twKuleuvenMessages", latex_number(metrics[metric == "made", sum(value)])),
    if (nrow(designed)) {
      c(latex_macro("twKuleuvenLoss", designed$behind_measured),
        latex_macro("twKuleuvenProcessed", designed$processed_measured))
    })
}
