# The reanalysis of recorded hardware, for the paper.

#' Write the tables of the recorded captures and return their numbers.
write_recordings <- function(folder, metrics, published, recordings) {
  cells <- fig25_cells(metrics, read_published(published, "kuleuven2019"), recordings)
  write_latex(fig25_table(cells), file.path(folder, "fig25.tex"))
  write_latex(unreproduced_table(cells), file.path(folder, "fig25_open.tex"))
  c(recording_numbers(metrics, cells), throughput_numbers(metrics, cells), best_numbers(cells))
}

#' The number of listed captures, and the cells of those that are not available.
#'
#' @param recordings result of [read_recordings()]. @param here names of those that are.
capture_numbers <- function(recordings, here) {
  missing <- recordings[!trial %in% here]
  c(latex_macro("twCapturesListed", nrow(recordings)),
    if (nrow(missing)) {
      latex_macro("twCapturesMissing", latex_text(paste(missing$cell, collapse = "; ")))
    })
}

fig25_columns <- c(network_loss = "\\shortstack{network\\\\loss, \\%}",
                   device_loss = "\\shortstack{device\\\\loss, \\%}",
                   retransmissions = "\\shortstack{retrans-\\\\missions}",
                   throughput_mean = "\\shortstack{throughput\\\\B/10\\,ms}",
                   roundtrip_mean = "\\shortstack{round trip\\\\ms}",
                   device_crashes = "crashes", device_offline = "\\shortstack{offline\\\\s}")

#' Published and recomputed values side by side; values that agree are upright, others are marked.
fig25_table <- function(cells) {
  decimals <- c(network_loss = 0L, device_loss = 2L, retransmissions = 0L, throughput_mean = 0L,
                roundtrip_mean = 0L, device_crashes = 0L, device_offline = 0L)
  rows <- unique(cells[, .(cell, trial)])
  rows <- rows[order(match(sub(",.*", "", cell),
                           c("MQTT QoS 0", "MQTT QoS 1", "MQTT QoS 2", "CoAP", "HTTP")), cell)]
  body <- t(vapply(seq_len(nrow(rows)), function(i) {
    here <- cells[trial == rows$trial[i]]
    here <- here[match(names(fig25_columns), column)]
    digits <- decimals[here$column]
    whole <- is.na(here$ours) | here$ours == round(here$ours)
    ours <- mapply(latex_number, here$ours, ifelse(whole, 0L, digits))
    ours <- ifelse(here$reproduced, ours, paste0("\\differs{", ours, "}"))
    ours[is.na(here$ours)] <- "--"
    printed <- sub("^(.*[.]..).*$", "\\1", here$published)
    c(latex_text(rows$cell[i]), sprintf("\\pair{%s}{%s}", printed, ours))
  }, character(1L + length(fig25_columns))))
  latex_table(body, paste0("@{}l", strrep("c", length(fig25_columns)), "@{}"),
              c("Capture", fig25_columns))
}

#' The cells that the stated definition does not reproduce, and the alternatives tried.
unreproduced_table <- function(cells) {
  open <- cells[reproduced == FALSE]
  named <- gsub("_", " ", ifelse(nzchar(open$others), sub(" .*", "", open$others), "none"))
  more <- lengths(strsplit(open$others, " ", fixed = TRUE)) - 1L
  named <- ifelse(more > 0L, sprintf("%s, and %d more", named, more), named)
  body <- cbind(latex_text(open$cell), latex_text(gsub("_", " ", open$column)),
                sub("^(.*[.]..).*$", "\\1", open$published), latex_number(open$ours, 1L),
                latex_number(open$others_tried), latex_text(named))
  latex_table(body, "@{}llrrrl@{}",
              c("Capture", "Quantity", "published", "ours", "tried", "given by"))
}

#' Numbers of the captures that the text quotes, `\twKu<Capture><Metric>`.
recording_numbers <- function(metrics, cells) {
  quoted <- list(Messages = list("messages", 0L), MessageFrames = list("frames_with_messages", 0L),
                 DeviceLoss = list("messages_behind_first_pct", 1L),
                 RequestAck = list("request_ack_mean_ms", 0L),
                 Conversation = list("conversation_mean_ms", 0L),
                 Several = list("conversations_of_several", 0L),
                 Single = list("conversation_single_mean_ms", 0L),
                 Mss = list("device_mss_bytes", 0L),
                 Window = list("device_window_bytes", 0L), Offline = list("device_offline_s", 1L),
                 AckRtt = list("device_ack_rtt_mean_ms", 0L),
                 BytesPerMessage = list("bytes_per_message", 0L),
                 PacketsPerMessage = list("packets_per_message", 1L))
  lines <- unlist(lapply(unique(metrics$trial), function(t) {
    unlist(lapply(names(quoted), function(q) {
      k <- quoted[[q]]
      v <- metric_value(metrics, t, k[[1L]])
      if (!is.na(v)) latex_macro(macro_name("Ku", t, q), latex_number(v, k[[2L]]))
    }))
  }))
  closing <- metrics[grepl("^ledger_", metric), .(sum = sum(value)), by = trial]
  closing[, captured := mapply(metric_value, trial, MoreArgs = list(metrics = metrics,
                                                                      m = "captured_bytes"))]
  c(lines, latex_macro("twKuCaptures", data.table::uniqueN(metrics$trial)),
    latex_macro("twKuFrames", latex_number(metrics[metric == "captured_frames", sum(value)])),
    latex_macro("twKuLedgersClosed", sum(closing$sum == closing$captured)),
    latex_macro("twKuCells", nrow(cells)),
    latex_macro("twKuCellsGiven", sum(cells$reproduced, na.rm = TRUE)),
    latex_macro("twKuCellsOpen", sum(!cells$reproduced, na.rm = TRUE)),
    latex_macro("twKuCellsUnseen", sum(is.na(cells$reproduced))),
    latex_macro("twKuCellsNonzero", sum(cells$published != "0")),
    latex_macro("twKuCellsNonzeroGiven",
                sum(cells$published != "0" & cells$reproduced, na.rm = TRUE)))
}

#' The throughput of MQTT's captures, true and as it was misread: `\\twKu<Capture>ThroughputTrue`
#' (bit/s), `\\twKu<Capture>ThroughputMisread`, and the printed `\\twKuThroughput<QoS><Clients>`.
throughput_numbers <- function(metrics, cells) {
  rows <- cells[column == "throughput_mean" & startsWith(definition, "stream_misread")]
  unlist(lapply(seq_len(nrow(rows)), function(i) {
    k <- rows[i]
    true <- sub("bytes$", "median_bps", sub("misread", "throughput", k$definition))
    clients <- c("1" = "One", "10" = "Ten", "100" = "Hundred")[gsub("^.*, | client.*$", "", k$cell)]
    qos <- sub("^MQTT QoS (.).*$", "QoS \\1", k$cell)
    c(latex_macro(macro_name("Ku", k$trial, "ThroughputTrue"),
                  latex_number(metric_value(metrics, k$trial, true))),
      latex_macro(macro_name("Ku", k$trial, "ThroughputMisread"), latex_number(k$ours)),
      latex_macro(macro_name("KuThroughput", sub("QoS", "Qos", qos), clients), k$published))
  }))
}

#' For each column, the number of cells that the best alternative definition reproduces.
best_numbers <- function(cells) {
  best <- best_alternatives(cells)
  unlist(lapply(seq_len(nrow(best)), function(i) {
    name <- macro_name("Ku", best$column[i])
    c(latex_macro(paste0(name, "Tried"), best$tried[i]),
      latex_macro(paste0(name, "BestGives"), best$gives[i]),
      latex_macro(paste0(name, "OfCells"), best$cells[i]))
  }))
}
