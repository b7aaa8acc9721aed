# KU Leuven's Fig. 25, cell by cell: which definition gives the printed number?

#' The definition of each column that docs/metrics.md gives, per protocol and clients.
#'
#' @param cell row of the table. @param column of the table. @param window s, of the moving average
#'   in the source's graph of the cell's throughput; NA where there is no such graph.
fig25_definition <- function(cell, column, window = NA) {
  one_coap <- grepl("^CoAP, 1 client$", cell)
  roundtrip <- if (one_coap) "request_ack_mean_ms" else if (grepl("^MQTT", cell))
    "device_ack_rtt_mean_ms" else "conversation_mean_ms"
  device_loss <- if (grepl("^MQTT", cell)) "messages_behind_first_pct" else "device_loss_pct"
  switch(column,
    network_loss = "network_loss_pct", device_loss = device_loss,
    retransmissions = "retransmissions",
    throughput_mean = if (is.na(window)) "throughput_mean_bytes_per_10ms" else
      sprintf("stream_misread_%gs_bytes", window),
    roundtrip_mean = roundtrip, device_crashes = "device_crashes",
    device_offline = "device_offline_s")
}

#' The windows of the moving averages in the study's graphs, s, by cell; NA where it shows none.
moving_windows <- function(published) {
  x <- published[column == "moving_average"]
  stats::setNames(as.numeric(x$value), x$row)
}

#' Metrics of a recorded capture as a trial of the study `recordings`, with further definitions.
#'
#' @param p packets table. @param device,topic see [measure_context()]. @param name of the trial.
#' @param capture see [reduce_capture()].
recording_metrics <- function(p, device, topic, name,
                              capture = reduce_capture(p, device, topic, name)) {
  ctx <- measure_context(p, device, topic, name)
  rows <- rbind(capture_metrics(capture), stream_metrics(ctx),
                metric_row("capture_retransmissions", sum(p$retransmit), "frames", nrow(p)),
                conversation_packets(p), link_metrics(p, device), longest_conversation(ctx),
                delayed_acks(ctx), single_requests(ctx),
                client_segment_metrics(client_segments(ctx, p)), alternative_metrics(p, ctx),
                awake_shares(p, ctx$packets$time, all_events(ctx)[event == "request_ack"]))
  cbind(study = "recordings", trial = name, rows)
}

#' A later CoAP request from the same client port continues the same conversation, however long the
#' pause. The number of conversations with several requests, and the mean time of the others:
#' `conversations_of_several`, `conversation_single_mean_ms`.
#'
#' @param ctx see [measure_context()].
single_requests <- function(ctx) {
  if (ctx$protocol != "coap") return(NULL)
  requests <- ctx$workload[dup == FALSE, .(count = .N), by = stream]
  spans <- conversations(ctx)[, .(stream, value = (last - first) * 1e3)]
  single <- spans[stream %in% requests[count == 1L, stream], value]
  if (length(single) == 0L) return(NULL)
  several <- sum(requests$count > 1L)
  rbind(metric_row("conversations_of_several", several, "conversations", nrow(spans)),
        metric_row("conversation_single_mean_ms", mean(single), "ms", length(single)))
}

#' Which side acknowledges after 40 ms? This is Linux's shortest delayed acknowledgement, which the
#' source attributes to the device. Share of each side's acknowledgements without data that are sent
#' 38 to 48 ms after the segment: `device_acks_at_40ms_pct`, `peer_acks_at_40ms_pct`.
#'
#' @param ctx see [measure_context()].
delayed_acks <- function(ctx) {
  acks <- ctx$packets[payload == 0L & !is.na(ack_rtt)]
  share <- function(name, rows) {
    if (nrow(rows) == 0L) return(NULL)
    late <- rows$ack_rtt >= 0.038 & rows$ack_rtt <= 0.048
    metric_row(name, 100 * mean(late), "%", nrow(rows))
  }
  rbind(share("device_acks_at_40ms_pct", acks[src == ctx$device]),
        share("peer_acks_at_40ms_pct", acks[dst == ctx$device]))
}

#' Does a frame to a group keep the radio of the device awake? Of the messages after 0.2 s without
#' traffic of the device, the share that it answers before any beacon could have woken it
#' ([fit_awake_ms]): those within half a second of a frame to a group, and the others; those that
#' must find it awake if such a frame kept it awake, since the frame came with a beacon and the
#' radio stays on for [fit_idle_ms]; and those that come one to three beacon intervals after a frame
#' to a group of IP that reached the PC in a frame of Ethernet to it alone: an access point that
#' sends such frames to each station singly has sent the device one, too.
#'
#' @param p packets table of all that was captured. @param own times of the device's packets, s.
#' @param answered events `request_ack`: `time` of the message, s, and `value`, ms to its answer.
awake_shares <- function(p, own, answered) {
  since <- function(times) {
    answered$time - c(-Inf, times)[1L + findInterval(answered$time, times, left.open = TRUE)]
  }
  quiet <- since(own) > 0.2
  group <- bitwAnd(strtoi(substr(p$eth_dst, 1L, 2L), 16L), 1L) == 1L
  after <- since(p$time[group %in% TRUE])
  near <- after <= 0.5
  due <- after >= fit_beacon_ms / 1e3 & after <= fit_idle_ms / 1e3
  singly <- since(p$time[group %in% FALSE & grepl("^(22[4-9]|23[0-9])[.]|^ff", p$dst)])
  copied <- singly >= fit_beacon_ms / 1e3 & singly <= 3 * fit_beacon_ms / 1e3
  share <- function(name, rows) {
    if (!any(rows)) return(NULL)
    metric_row(name, 100 * mean(answered$value[rows] < fit_awake_ms), "%", sum(rows))
  }
  rbind(share("radio_awake_after_group_pct", quiet & near),
        share("radio_awake_otherwise_pct", quiet & !near),
        share("radio_awake_if_lingering_pct", quiet & due),
        share("radio_awake_after_copy_pct", quiet & copied))
}

#' Alternative definitions that an author with Wireshark and a spreadsheet may have used, as metrics
#' `alt_<column>_<definition>`.
#'
#' @param p packets table. @param ctx its context.
alternative_metrics <- function(p, ctx) {
  rtt <- ctx$packets[src == ctx$device & !is.na(ack_rtt)]
  on_messages <- rtt[acks_frame %in% ctx$workload$frame]
  spans <- conversations(ctx)[, (last - first) * 1e3]
  events <- all_events(ctx)
  acks <- events[event == "request_ack", value]
  answers <- events[event == "response_time", value]
  times <- list(ack_rtt_median = median(rtt$ack_rtt) * 1e3,
                ack_rtt_of_messages_mean = mean(on_messages$ack_rtt) * 1e3,
                ack_rtt_of_messages_median = median(on_messages$ack_rtt) * 1e3,
                request_ack_mean = mean(acks), request_ack_median = median(acks),
                response_mean = mean(answers), response_median = median(answers),
                conversation_mean = mean(spans), conversation_median = median(spans))
  graphs <- stream_graphs(ctx)
  again <- ctx$packets[retransmit == TRUE]
  repeats <- list(capture = sum(p$retransmit), to_device = nrow(again[dst == ctx$device]),
                  of_messages = nrow(again[payload > 10L]),
                  of_acknowledgements = nrow(again[payload <= 10L]),
                  with_duplicate_acks = nrow(again) + sum(ctx$packets$duplicate_ack))
  rows <- c(alternative_rows("roundtrip_mean", c(times, graphs$times), "ms"),
            alternative_rows("retransmissions", repeats, "frames"),
            alternative_rows("throughput_mean", c(alternative_throughputs(ctx), graphs$bytes),
                             "bytes"))
  out <- data.table::rbindlist(rows)
  out[is.finite(value)]
}

alternative_rows <- function(column, values, unit) {
  lapply(names(values), function(name) {
    metric_row(paste0("alt_", column, "_", name), values[[name]], unit, 1)
  })
}

#' Throughput by scope, direction, bytes, width of the interval and average, over the intervals that
#' carry anything.
alternative_throughputs <- function(ctx) {
  scopes <- list(device = ctx$packets, service = ctx$service,
                 messages = ctx$service[frame %in% ctx$messages$frame])
  choices <- expand.grid(average = c("mean", "median", "max"), width = c(0.01, 1),
                         bytes = c("len", "payload"), way = c("both", "to", "from"),
                         scope = names(scopes), stringsAsFactors = FALSE)
  names <- with(choices, paste(scope, way, bytes, ifelse(width < 1, "10ms", "1s"), average,
                               sep = "_"))
  values <- lapply(seq_len(nrow(choices)), function(i) {
    k <- choices[i, ]
    rows <- scopes[[k$scope]]
    rows <- switch(k$way, both = rows, to = rows[dst == ctx$device],
                   from = rows[src == ctx$device])
    sums <- rowsum(as.numeric(rows[[k$bytes]]), floor(rows$time / k$width))
    match.fun(k$average)(sums[sums > 0])
  })
  stats::setNames(values, names)
}

#' Compare every cell of the captures that are there with the published one.
#'
#' @param metrics table of the study `recordings`. @param published rows of kuleuven2019.csv.
#' @param recordings result of [read_recordings()].
#' @return data.table `trial`, `cell`, `column`, `unit`, `published` (text), `definition`, `ours`,
#'   `reproduced` (both NA where the capture says nothing about the column: a device without a
#'   session of its own shows no crash), `others` (further definitions that give this cell),
#'   `others_tried`.
fig25_cells <- function(metrics, published, recordings) {
  here <- recordings[trial %in% metrics$trial]
  windows <- moving_windows(published)
  cells <- merge(published[location == "Fig. 25"], here[, .(trial, cell)], by.x = "row",
                 by.y = "cell", sort = FALSE)
  data.table::setnames(cells, c("row", "value"), c("cell", "published"))
  if (nrow(cells) == 0L) {
    return(data.table::data.table(trial = character(), cell = character(), column = character(),
                                  unit = character(), published = character(),
                                  definition = character(), ours = numeric(),
                                  reproduced = logical(), others = character(),
                                  others_tried = integer()))
  }
  cells[, definition := mapply(fig25_definition, cell, column, windows[cell])]
  cells[, ours := mapply(function(t, d) metric_value(metrics, t, d), trial, definition)]
  cells[, reproduced := mapply(gives_printed, ours, published)]
  cells[is.na(ours), reproduced := NA]
  alternatives <- metrics[startsWith(metric, "alt_")]
  cells[, others := mapply(function(t, c, v) {
    rows <- alternatives[trial == t & startsWith(metric, paste0("alt_", c, "_"))]
    good <- vapply(rows$value, gives_printed, NA, printed = v)
    paste(sub(paste0("alt_", c, "_"), "", rows$metric[good], fixed = TRUE), collapse = " ")
  }, trial, column, published)]
  cells[, others_tried := mapply(function(t, c) {
    nrow(alternatives[trial == t & startsWith(metric, paste0("alt_", c, "_"))])
  }, trial, column)]
  columns <- unique(cells$column)
  cells[, c("trial", "cell", "column", "unit", "published", "definition", "ours", "reproduced",
            "others", "others_tried"), with = FALSE][order(match(column, columns), trial)]
}

#' Value of a metric in a trial; NA where it has none.
#'
#' @param metrics table of one study. @param t trial. @param m metric.
metric_value <- function(metrics, t, m) {
  out <- metrics[trial == t & metric == m, value]
  if (length(out)) out[1L] else NA_real_
}

#' For each column the further definition that gives most of its cells.
#'
#' @param cells result of [fig25_cells()].
best_alternatives <- function(cells) {
  tried <- cells[nzchar(others) | others_tried > 0L]
  tried[, {
    names <- unlist(strsplit(others[nzchar(others)], " ", fixed = TRUE))
    counts <- sort(table(names), decreasing = TRUE)
    .(best = if (length(counts)) names(counts)[1L] else "", gives = c(counts, 0L)[[1L]],
      cells = .N, tried = max(others_tried))
  }, by = column]
}
