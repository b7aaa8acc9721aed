# The report of the study `ufes`: the source's distributions beside ours, what loses and delays in
# the cell, its Figures 4 to 6 from our trials, a table of all conditions, and the text's numbers.

#' @param study see [make_report()]; its table `published` has the source's distributions.
report_ufes <- function(study) {
  trials <- ufes_trials(study$factors)
  runs <- ufes_runs(study$metrics, trials)
  summary <- summarise_ufes(runs)
  published <- ufes_distributions(report_table(study, "published", c(
    "protocol", "nagle", "others", "interval_ms", "messages_in_a_second", "share_of_seconds")))
  own <- ufes_own_shares(study$samples, trials)
  distances <- ufes_distances(published, own)
  list(figures = ufes_figures(summary, runs, published, own, distances),
       tables = list(table = ufes_table(summary), distances = ufes_distance_table(distances),
                     causes = ufes_causes_table(summary),
                     silence = ufes_silence_table(study$samples, trials)),
       numbers = c(ufes_numbers(summary, runs, study$metrics),
                   ufes_fit_numbers(published, distances)))
}

#' Load of the claims, Mb/s, and the access point's queue that all of theirs have, frames.
ufes_load <- 20
ufes_queue <- "25"

#' Condition of each trial: `variant` (mode, Nagle's algorithm, signal, ours), `as_made` (as the
#' source ran it), `protocol`, `interval` (ms, without the programs' own time), `payload` (bytes),
#' `load` (Mb/s that the others ask for, 0 without them), `queue` (frames of the queue that all
#' stations share; "each": a queue for each station), `errors` (frame error rate). Input error if
#' the trials differ in anything else.
ufes_trials <- function(factors) {
  wide <- add_modes(wide_factors(factors))
  for (name in setdiff(c("frame_error_rate", "nagle", "clients", "ap_queue", "ap_queue_frames"),
                       names(wide))) {
    wide[, (name) := NA_character_]
  }
  check_shown(wide, c("mode", "nagle", "role", "clients", "server_link", "payload_bytes",
                      "interval_ms", "background_profile", "background_load_mbps", "ap_queue",
                      "ap_queue_frames", "frame_error_rate", "duration_s"), "ufes")
  wide[, `:=`(as_made = server_link == "wired",
              load = ifelse(background_profile == "none", 0, as.numeric(background_load_mbps)),
              errors = ifelse(is.na(frame_error_rate), 0, as.numeric(frame_error_rate)),
              queue = ifelse(ap_queue %in% "shared", ap_queue_frames, "each"))]
  off <- wide$nagle %in% c("0", "FALSE")
  wide[, variant := paste0(as.character(mode), ifelse(off, ", no Nagle", ""),
                           ifelse(as_made, "", ", ours"))]
  first <- unique(wide[order(!as_made, mode, off), variant])
  made <- as.numeric(wide$interval_ms)
  wide[, .(study, trial, protocol = label_protocols(protocol), variant = factor(variant, first),
           as_made, interval = made - ifelse(as_made, made %% 100, 0),
           payload = as.numeric(payload_bytes), load, queue, errors)]
}

#' Metrics of the report, and what the summary calls them; each is averaged over the trials of a
#' condition, but for the greatest attempts and the longest silence.
ufes_means <- c(
  server_delivery_per_s_mean = "per_s", frames_per_s_mean = "frames", messages = "messages",
  repetition_ratio_pct = "again", rtt_mean_ms = "rtt", response_mean_ms = "response",
  transmission_mean_ms = "transmission", request_ack_median_ms = "ack_median",
  interarrival_mean_ms = "interarrival", interarrival_equation_ms = "equation",
  packets_per_message = "packets", delivered_of_made_pct = "delivered",
  server_silent_seconds_pct = "silent", frame_silent_seconds_pct = "silent_frames",
  spurious_retransmissions = "spurious", ap_queue_drops = "drops"
)

#' Factors that distinguish conditions.
ufes_condition <- c("variant", "as_made", "protocol", "interval", "payload", "load", "queue",
                    "errors")

#' One row per trial: [ufes_condition], a column for each of [ufes_means], `attempts`, `silence`;
#' `counted` and `silent_counted`: a second's messages and the silent seconds as the source's
#' programs count (frames over MQTT); `lost`: frames for the device that the access point's queue
#' lost, of 100 messages.
#'
#' @param metrics table of the study. @param trials result of [ufes_trials()].
ufes_runs <- function(metrics, trials) {
  wanted <- c(names(ufes_means), "con_attempts_max", "interarrival_max_ms")
  wide <- data.table::dcast(metrics[metric %in% wanted], study + trial ~ metric,
                            value.var = "value")
  for (name in setdiff(wanted, names(wide))) wide[, (name) := NA_real_]
  out <- wide[trials, on = c("study", "trial"), nomatch = NULL]
  out[, silence := interarrival_max_ms / 1e3]
  data.table::setnames(out, c(names(ufes_means), "con_attempts_max"),
                       c(unname(ufes_means), "attempts"))
  out[, `:=`(counted = data.table::fcoalesce(frames, per_s),
             silent_counted = data.table::fcoalesce(silent_frames, silent),
             rtt = data.table::fcoalesce(rtt, response), lost = 100 * drops / messages)]
  out[]
}

#' One row per condition.
#'
#' @param runs result of [ufes_runs()].
#' @return data.table [ufes_condition], `runs`, the means of the columns of [ufes_runs()],
#'   `attempts` (most), `silence` (longest, s).
summarise_ufes <- function(runs) {
  means <- c(unname(ufes_means), "counted", "silent_counted", "lost")
  out <- runs[, c(list(runs = .N, attempts = max(attempts), silence = max(silence)),
                  lapply(.SD, mean)), by = ufes_condition, .SDcols = means]
  data.table::setorderv(out, ufes_condition)
  out[]
}

#' Table of all conditions.
ufes_table <- function(s) {
  first <- !duplicated(s$variant)
  queue <- ifelse(s$queue == "each", "--", s$queue)
  cells <- cbind(ifelse(first, latex_text(as.character(s$variant)), ""),
                 latex_number(s$interval), latex_number(s$payload), latex_number(s$load), queue,
                 ifelse(s$errors > 0, latex_number(s$errors, 2L), "--"),
                 latex_number(s$runs), latex_number(s$per_s, 1L),
                 latex_number(s$silent_counted, 1L),
                 latex_number(s$delivered), latex_number(s$packets, 1L),
                 latex_number(s$again, 1L), latex_number(s$attempts), latex_number(s$lost, 1L),
                 latex_number(s$rtt, 1L), latex_number(s$transmission, 1L),
                 latex_number(s$interarrival), latex_number(s$silence, 1L))
  lines <- function(...) paste0("\\shortstack{", paste(..., sep = "\\\\"), "}")
  header <- c("", lines("interval,", "ms"), lines("payload,", "bytes"), lines("others,", "Mb/s"),
              lines("queue,", "frames"), lines("frame", "errors"), "runs",
              lines("per", "second"), lines("silent,", "\\%"), lines("deliv-", "ered, \\%"),
              "packets", lines("repeated,", "\\%"), lines("most", "attempts"),
              lines("lost at", "AP, \\%"), lines("round", "trip, ms"),
              lines("eq. 2,", "ms"), lines("eq. 1,", "ms"), lines("silence,", "s"))
  latex_long_table(cells, paste0("@{}l", strrep("r", 17L), "@{}"), header, which(first)[-1L],
                   "ufesall")
}

#' Table of what loses or delays, as made, 30 bytes each 100 ms: the load, the queue, the signal.
ufes_causes_table <- function(s) {
  x <- s[as_made == TRUE & payload == 30 & interval == 100]
  x[, cause := data.table::fcase(
    errors > 0, sprintf("frame error rate %g, alone", errors), load == 0, "alone",
    queue == "each", sprintf("a queue for each station, %g Mb/s", load),
    rep(TRUE, .N), sprintf("a queue of %s frames, %g Mb/s", queue, load))]
  x[, number := ifelse(queue == "each", 0, suppressWarnings(as.numeric(queue)))]
  rows <- unique(x[order(errors > 0, load > 0, queue == "each", number, load, errors), cause])
  variants <- c("CoAP CON", "MQTT QoS 0", "MQTT QoS 0, no Nagle")
  part <- function(v) {
    y <- x[variant == v][match(rows, cause)]
    cbind(latex_number(y$counted, 2L), latex_number(y$silent_counted, 1L),
          latex_number(y$lost, 1L), if (v != "CoAP CON") latex_number(y$spurious))
  }
  cells <- cbind(latex_text(rows), do.call(cbind, lapply(variants, part)))
  head <- c("a second", "silent, \\%", "lost, \\%")
  header <- c("", paste("CoAP:", head[1L]), head[-1L], paste("MQTT:", head[1L]), head[-1L],
              "spurious", paste("no Nagle:", head[1L]), head[-1L], "spurious")
  header <- sub("^(.*): (.*)$", "\\\\shortstack{\\1\\\\\\\\\\2}", header)
  latex_table(cells, paste0("@{}l", strrep("r", 11L), "@{}"), header)
}

#' Table of the frames of the longest silence in any trial of CoAP beside others: ms after the
#' request that was not answered.
ufes_silence_table <- function(samples, trials) {
  wanted <- trials[as_made == TRUE & protocol == "CoAP" & load == ufes_load & queue == ufes_queue &
                     payload == 30]
  x <- samples[sample %in% c("silence_request_ms", "silence_answer_ms")]
  x <- x[wanted, on = c("study", "trial"), nomatch = NULL]
  if (nrow(x) == 0L) return(latex_table(matrix("--", 1L, 2L), "@{}rl@{}", c("ms", "frame")))
  longest <- x[sample == "silence_answer_ms"][order(-value, trial)][1L, trial]
  x <- x[trial == longest][order(value)]
  end <- x[sample == "silence_answer_ms", value]
  x[, what := data.table::fcase(
    sample == "silence_answer_ms", "the device answers",
    value == 0, "the PC asks: lost at the access point",
    value > end, "the PC asks the next time", default = "the PC asks again, after its timeout")]
  # of the repetitions all but the last were lost, too
  again <- x[, which(sample == "silence_request_ms" & value > 0 & value < end)]
  x[again[-length(again)], what := paste0(what, ": lost")]
  latex_table(cbind(latex_number(x$value, 1L), x$what), "@{}rl@{}", c("ms", "at the PC"))
}
