# Bundles: the files of a trial besides its capture, and the metrics that need them.

#' Read a bundle's documents.
#'
#' @param folder `data/raw/<study>/<trial>`.
#' @return list with `trial` and `lab` (documents), `board` and `server` (tables, see
#'   [renumbered()]), `device` (the board's address, NA if it never came up), `devices` (see
#'   [read_fleet()]).
read_bundle <- function(folder) {
  document <- function(name, facts) {
    file <- file.path(folder, name)
    if (!file.exists(file)) input_error(file, "no such file", "run the trial again")
    found <- tryCatch(jsonlite::fromJSON(file, simplifyVector = TRUE), error = function(e) {
      input_error(file, "not valid JSON", "run the trial again")
    })
    for (key in facts) {
      value <- part_of(found, key)
      if (is.atomic(value) && length(value) == 1L && !is.na(value)) next
      input_error(file, "is missing, or not one value", "run the trial again",
                  key = paste(key, collapse = "."))
    }
    found
  }
  server <- file.path(folder, "server.jsonl")
  board <- read_jsonl(file.path(folder, "board.jsonl"))
  ip <- if ("ip" %in% names(board)) board[ev == "up" & !is.na(ip), ip] else character()
  trial <- document("trial.json", list("study", "trial", "repetition", "testbed",
                                       c("firmware", "board"), c("parameters", "protocol")))
  if (isTRUE(trial$parameters$foreign)) ip <- c(ip, board_address)
  renumbered(list(folder = folder, trial = trial,
                  lab = document("lab.json", "outcome"), board = board,
                  server = if (file.exists(server)) read_jsonl(server) else read_jsonl(nullfile()),
                  device = c(ip, NA_character_)[1L], devices = read_fleet(folder, board)))
}

#' The address that the laboratory gives a device (hil/design/addressing.py).
board_address <- "10.77.1.1"

#' A part of a document by its keys; NULL if there is none.
part_of <- function(x, ...) {
  for (key in c(...)) x <- if (is.list(x)) x[[key]]
  x
}

#' Round trips that the board measured, ms (UFRN, section III: the device keeps the clock).
board_round_trips <- function(bundle) {
  rows <- log_events(device_log(bundle), "acked")
  x <- as.numeric(log_values(rows, "rtt_us")) / 1000
  x[!is.na(x)]
}

#' Messages received in each whole second from the first receipt on (UFES, section 5, "taxa de
#' entrega"; the sample behind its Fig. 2). For their distribution: their mean depends on where the
#' seconds begin, a rate does not, see [rate_rows()].
#'
#' @param time first receipts in order, s.
delivery_counts <- function(time) {
  if (length(time) < 2L) return(integer())
  second <- floor(time - min(time) + 1e-9)
  tabulate(second + 1L, max(second) + 1L)[seq_len(max(second))]
}

#' Metrics of a bundle's logs.
#'
#' Those of [delivery_metrics()]; `rtt_*_ms`: mean, standard deviation, median (UFRN, Tables I to
#' IV) and 95th percentile; `server_delivery_per_s_mean`: deliveries in a second, first copies;
#' `server_silent_seconds_pct`: whole seconds in which nothing arrived (UFES, section 6.1);
#' `delivery_span_s`: from the first receipt to the last, first copies (KU Leuven, Fig. 17).
#'
#' @param bundle result of [read_bundle()]. @param reached see [delivery_metrics()].
#' @param capture see [message_table()].
log_metrics <- function(bundle, reached = NA_real_, capture = NULL) {
  messages <- message_table(bundle, capture)
  arrivals <- sort(messages$time)
  rtt <- board_round_trips(bundle)
  counts <- delivery_counts(arrivals)
  gaps <- add_moments(NULL, diff(arrivals) * 1e3)
  data.table::rbindlist(list(
    delivery_metrics(messages, reached),
    client_metrics(bundle, messages),
    fleet_metrics(bundle, messages),
    mean_rows("rtt_mean_ms", "ms", add_moments(NULL, rtt)),
    round_trip_rows(rtt),
    rate_rows("server_delivery_per_s_mean", "messages/s", gaps),
    if (length(counts)) {
      metric_row("server_silent_seconds_pct", 100 * mean(counts == 0), "%", length(counts))
    },
    mean_rows("server_interarrival_mean_ms", "ms", gaps),
    if (length(arrivals) > 1L) {
      metric_row("delivery_span_s", diff(range(arrivals)), "s", length(arrivals))
    },
    turn_metrics(bundle),
    recovery_metrics(bundle, messages),
    footprint_metrics(bundle),
    board_metrics(bundle),
    printed_metrics(bundle)
  ))
}

#' Spread of the round trips: standard deviation and median (UFRN), 95th percentile, least.
round_trip_rows <- function(rtt) {
  if (length(rtt) == 0L) return(NULL)
  spread <- if (length(rtt) > 1L) sd(rtt) else NA_real_
  values <- c(spread, quantile(rtt, c(0.5, 0.95), names = FALSE), min(rtt))
  metric_row(c("rtt_sd_ms", "rtt_median_ms", "rtt_p95_ms", "rtt_min_ms"), values, "ms",
             length(rtt))
}

#' Memory of the board: current use and minimum free memory from its last `stat` line, and its peak
#' heap. The size of its firmware's image is in a separate table.
board_metrics <- function(bundle) {
  stats <- log_events(bundle$board, "stat")
  keys <- c(heap_used = "board_heap_used_bytes", heap_free_min = "board_heap_free_min_bytes",
            stack_free_min = "board_stack_free_min_bytes")
  rows <- lapply(names(keys), function(key) {
    x <- as.numeric(log_values(stats, key))
    x <- x[!is.na(x)]
    if (length(x)) metric_row(keys[[key]], tail(x, 1L), "bytes", length(x))
  })
  heap <- as.numeric(log_values(log_events(bundle$board, "boot"), "heap_bytes"))
  lowest <- as.numeric(log_values(stats, "heap_free_min"))
  if (length(heap) && length(lowest)) {
    rows <- c(rows, list(metric_row("board_heap_peak_bytes", heap[1L] - min(lowest), "bytes",
                                    length(lowest))))
  }
  if (length(lowest <- lowest[!is.na(lowest)])) {
    rows <- c(rows, list(metric_row("memory_free_min_bytes", min(lowest), "bytes",
                                    length(lowest))))
  }
  crashes <- nrow(log_events(bundle$board, "crash"))
  data.table::rbindlist(c(rows, list(metric_row("board_crashes", crashes, "crashes", 1),
                                     restart_metrics(bundle), waking_metrics(bundle),
                                     wake_logged_metrics(bundle))))
}

#' KU Leuven's crashes and seconds offline (Fig. 25) of a device that serves without a session,
#' whose capture shows neither: by its own log, boots after the first, and from each to its address.
restart_metrics <- function(bundle) {
  parameters <- bundle$trial$parameters
  if (!identical(parameters$role, "serve") ||
        isTRUE(protocol_table()[[parameters$protocol]]$persistent)) return(NULL)
  boots <- cumsum(bundle$board$ev == "boot")
  up <- bundle$board[boots > 1L & ev == "up"]
  restarts <- max(0L, boots - 1L)
  rbind(metric_row("device_crashes", restarts, "restarts", 1),
        metric_row("device_offline_s", sum(as.numeric(up$t)) / 1e6, "s", 1))
}

#' Does the device receive the messages? Then its log holds no round trips, since its peers began
#' them.
receives <- function(bundle) {
  isTRUE(bundle$trial$parameters$role %in% c("subscribe", "echo", "serve"))
}

#' Samples of a bundle for distributions: `delivery_per_s` (messages per second), `rtt_ms`, those of
#' [turn_samples()] and [second_samples()], and where the device receives those of its capture, see
#' [capture_samples()].
#'
#' @param bundle result of [read_bundle()]. @param capture see [trial_capture()].
bundle_samples <- function(bundle, capture = NULL) {
  if (!went_well(bundle)) return(data.table::data.table(sample = character(), value = numeric()))
  counts <- delivery_counts(sort(message_table(bundle, capture)$time))
  rtt <- board_round_trips(bundle)
  name <- rep(c("delivery_per_s", "rtt_ms"), c(length(counts), length(rtt)))
  rbind(data.table::data.table(sample = name, value = c(counts, rtt)), turn_samples(bundle),
        fleet_samples(bundle, message_table(bundle, capture)), second_samples(capture),
        if (is.list(capture)) client_segment_samples(capture$clients),
        if (is.list(capture) && receives(bundle)) capture_samples(capture))
}

#' Factors of a trial that are not parameters.
trial_facts <- c("repetition", "testbed", "board", "outcome")

#' Factors of a trial, long form: its parameters and [trial_facts].
#'
#' @param bundle result of [read_bundle()].
trial_factors <- function(bundle) {
  known <- bundle$trial$parameters
  plain <- function(x) paste(if (is.logical(x)) as.integer(x) else x, collapse = ",")
  text <- vapply(known, plain, "")
  out <- data.table::data.table(
    factor = c(names(text), trial_facts),
    value = c(unname(text), bundle$trial$repetition, bundle$trial$testbed,
              bundle$trial$firmware$board, bundle$lab$outcome))
  data.table::setorder(out, factor)
  out[]
}

#' Did the trial succeed? Failed trials do not enter any result.
went_well <- function(bundle) identical(bundle$lab$outcome, "ok")

#' The port of a trial whose protocol has no dissector: each of its packets is a message.
#'
#' @param parameters the trial's.
#' @return `ports` of [measure_context()]; NULL for other protocols.
foreign_port <- function(parameters) {
  row <- protocol_table()[[parameters$protocol]]
  if (identical(row$layer, "data")) {
    stats::setNames(row$servers[[parameters$peer]]$port, row$transport)
  }
}

#' A trial's capture, reduced, and where the device subscribes `stream`, what Wireshark's stream
#' graphs show of it ([stream_metrics()]); NULL if the trial failed, TLS hides its messages, or it
#' has several devices, which are measured by their logs; [nothing_came] if no message reached the
#' servers.
#'
#' @param bundle result of [read_bundle()]. @param oracles whether [oracle_metrics()] follow: they
#'   dissect the capture with further fields, and it is dissected once for both.
trial_capture <- function(bundle, oracles = FALSE) {
  if (!went_well(bundle) || has_phases(bundle$trial$parameters) || is_fleet(bundle)) return(NULL)
  if (is.na(bundle$device)) {
    input_error(file.path(bundle$folder, "board.jsonl"),
                "has no 'up' line with the board's address", "run the trial again")
  }
  unless_silent(silent = nothing_came, {
    bare <- without_log(bundle)
    apart <- has_segments_of_clients(bundle)
    view <- if (oracles) {
      oracle_view(bundle)
    } else {
      view_of(bundle, if (bare || apart) packets_with_bodies(bundle) else bundle_packets(bundle))
    }
    packets <- view$packets
    ctx <- view$ctx
    capture <- reduce_context(packets, ctx, bundle$folder)
    if (identical(bundle$trial$parameters$role, "subscribe")) capture$stream <- stream_metrics(ctx)
    if (apart) capture$clients <- client_segments(ctx, packets)
    if (bare && !receives(bundle)) capture$messages <- foreign_messages(bundle, ctx, packets)
    c(capture, ufes_capture(ctx, bundle$trial$parameters$role))
  })
}

#' A trial's `packets` and their `ctx`, see [measure_context()].
view_of <- function(bundle, packets) {
  list(packets = packets,
       ctx = measure_context(packets, bundle$device, bundle$trial$parameters[["topic"]],
                             bundle$folder, ports = foreign_port(bundle$trial$parameters)))
}

#' The capture of a trial whose link passed nothing: the logs show what was sent.
nothing_came <- "nothing came"

bundle_packets <- function(bundle) {
  dissect(file.path(bundle$folder, "wire.pcapng.gz"), server_port(bundle))
}

#' The port of a trial's foreign server, named by the protocol; NULL where it is the usual one.
server_port <- function(bundle) {
  parameters <- bundle$trial$parameters
  port <- parameters$server_port
  if (!is.null(port)) stats::setNames(as.integer(port), parameters$protocol)
}

#' Metrics of a whole trial: its logs, its capture, and its capture of the air behind them.
#'
#' @param bundle result of [read_bundle()]. @param capture see [trial_capture()].
#' @return metrics; one alone, `outcome_ok` = 0, where the outcome is not "ok".
trial_metrics <- function(bundle, capture = trial_capture(bundle)) {
  outcome <- metric_row("outcome_ok", as.integer(went_well(bundle)), "", 1)
  if (!went_well(bundle)) return(outcome)
  if (is_fleet(bundle)) return(rbind(outcome, log_metrics(bundle))[order(metric)])
  if (is.null(capture)) { # messages hidden by TLS do not count
    rows <- rbind(outcome, log_metrics(bundle), phase_metrics(bundle, bundle_packets(bundle)))
    return(rows[order(metric)])
  }
  if (identical(capture, nothing_came)) {
    radio <- if (in_cell(bundle)) {
      radio_metrics(station_of_board(bundle))
    }
    return(rbind(outcome, log_metrics(bundle), radio)[order(metric)])
  }
  measured <- rbind(capture_metrics(capture), capture$stream,
                    client_segment_metrics(capture$clients), frame_metrics(capture$frames_at))
  reached <- if (receives(bundle)) measured[metric == "messages_reached", value]
  logged <- log_metrics(bundle, c(reached, NA)[1L], capture)
  out <- data.table::rbindlist(list(outcome, logged, measured))
  data.table::setorder(out, metric)
  if (in_cell(bundle)) {
    out <- rbind(out, trial_air_metrics(bundle, capture))
  }
  out[]
}

#' Whether the laboratory's cell carried the trial: it captures all of its air, and counts for each
#' station. Physical boards are in another.
in_cell <- function(bundle) {
  identical(bundle$trial$parameters$link, "air") && !identical(bundle$trial$testbed, "hardware")
}
