# The report of the study `ufes`: the source's Figures 2 to 6 from our trials, the sweep of the
# background load, a table of all conditions, and the numbers of the text.

#' @param study see [make_report()].
report_ufes <- function(study) {
  trials <- ufes_trials(study$factors)
  runs <- ufes_runs(study$metrics, trials)
  summary <- summarise_ufes(runs)
  list(figures = ufes_figures(summary, study$samples, trials),
       tables = list(table = ufes_table(summary)),
       numbers = ufes_numbers(summary, runs, study$metrics))
}

#' Background load of the source's figures, Mb/s: the one with enough runs.
ufes_load <- 60

#' Condition of each trial: `variant` (mode, Nagle's algorithm, sleep, signal), `protocol`,
#' `interval` (ms), `payload` (bytes), `load` (Mb/s that the others ask for, 0 without them). Input
#' error if the trials differ in anything else.
ufes_trials <- function(factors) {
  wide <- add_modes(wide_factors(factors))
  if (!"frame_error_rate" %in% names(wide)) wide[, frame_error_rate := NA_character_]
  check_shown(wide, c("mode", "nagle", "payload_bytes", "interval_ms", "background_profile",
                      "background_load_mbps", "modem_sleep", "frame_error_rate", "duration_s"),
              "ufes")
  if (!"nagle" %in% names(wide)) wide[, nagle := NA_character_]
  off <- wide$nagle %in% c("0", "FALSE")
  asleep <- wide$modem_sleep %in% c("1", "TRUE")
  poor <- !is.na(wide$frame_error_rate)
  wide[, variant := paste0(as.character(mode), ifelse(off, ", no Nagle", ""),
                           ifelse(asleep, ", radio sleeps", ""), ifelse(poor, ", bad signal", ""))]
  wide[, load := ifelse(background_profile == "none", 0, as.numeric(background_load_mbps))]
  first <- unique(wide[order(mode, off, asleep, poor), variant])
  wide[, .(study, trial, protocol = label_protocols(protocol), variant = factor(variant, first),
           interval = as.numeric(interval_ms), payload = as.numeric(payload_bytes), load)]
}

#' Metrics of the report, and their names in the summary; each is averaged over the trials of a
#' condition, except the largest number of attempts and the longest silence.
ufes_means <- c(
  server_delivery_per_s_mean = "per_s", repetition_ratio_pct = "again", rtt_mean_ms = "rtt",
  rtt_median_ms = "rtt_median", transmission_mean_ms = "transmission",
  interarrival_mean_ms = "interarrival", interarrival_equation_ms = "equation",
  packets_per_message = "packets", delivered_of_made_pct = "delivered",
  server_silent_seconds_pct = "silent", spurious_retransmissions = "spurious"
)

#' Factors that distinguish conditions.
ufes_condition <- c("variant", "protocol", "interval", "payload", "load")

#' One row per trial: [ufes_condition], a column for each of [ufes_means], `attempts`, `silence`.
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
  out[]
}

#' One row per condition.
#'
#' @param runs result of [ufes_runs()].
#' @return data.table [ufes_condition], `runs`, a column for each of [ufes_means], `attempts`
#'   (most), `silence` (longest, s).
summarise_ufes <- function(runs) {
  out <- runs[, c(list(runs = .N, attempts = max(attempts), silence = max(silence)),
                  lapply(.SD, mean)), by = ufes_condition, .SDcols = unname(ufes_means)]
  data.table::setorderv(out, ufes_condition)
  out[]
}

#' Table of all conditions.
ufes_table <- function(s) {
  cells <- cbind(ifelse(duplicated(s$variant), "", latex_text(as.character(s$variant))),
                 latex_number(s$interval), latex_number(s$payload), latex_number(s$load),
                 latex_number(s$runs), latex_number(s$per_s, 1L), latex_number(s$delivered),
                 latex_number(s$packets, 1L), latex_number(s$again, 1L), latex_number(s$attempts),
                 latex_number(s$rtt_median), latex_number(s$rtt),
                 latex_number(s$transmission, 1L), latex_number(s$interarrival),
                 latex_number(s$silence, 1L))
  lines <- function(...) paste0("\\shortstack{", paste(..., sep = "\\\\"), "}")
  header <- c("", lines("interval,", "ms"), lines("payload,", "bytes"), lines("others,", "Mb/s"),
              "runs", lines("per", "second"), lines("deliv-", "ered, \\%"), "packets",
              lines("again,", "\\%"), lines("most", "attempts"),
              lines("median", "round", "trip, ms"), lines("mean,", "ms"), lines("at the", "PC, ms"),
              lines("between", "two, ms"), lines("silence,", "s"))
  latex_long_table(cells, "@{}lrrrrrrrrrrrrrr@{}", header, which(!duplicated(s$variant))[-1L],
                   "ufesall")
}

#' Numbers for the text: `\\twUfes<Variant><Interval><Others><Quantity>` of the messages of 30
#' bytes, `\\twUfesSize<Variant><Payload><Others><Quantity>` of those each second; totals; where
#' the source's statement begins to hold.
ufes_numbers <- function(s, runs, metrics) {
  ms <- "\\,ms"
  quantities <- list(PerSecond = list("per_s", 1L, ""), Rtt = list("rtt", 0L, ms),
                     Packets = list("packets", 1L, ""),
                     Interarrival = list("interarrival", 0L, ms),
                     Capture = list("transmission", 2L, ms), Equation = list("equation", 0L, ms))
  macros <- function(wanted, first, level) {
    rows <- unique(wanted[, ufes_condition, with = FALSE])
    others <- ifelse(rows$load == 0, "Alone", paste("Others", rows$load))
    unlist(lapply(names(quantities), function(q) {
      k <- quantities[[q]]
      text <- wanted[, .(text = latex_measured(get(k[[1L]]), k[[2L]], k[[3L]])),
                     by = ufes_condition]$text
      latex_macro(macro_name_each(first, rows$variant, rows[[level]], others, q), text)
    }))
  }
  near <- runs[payload == 30]
  sizes <- runs[interval == 1000 & payload != 30]
  good <- runs[!grepl("signal", variant)]
  c(latex_macro("twUfesTrials", latex_number(nrow(runs))),
    latex_macro("twUfesMessages", latex_number(metrics[metric == "made", sum(value)])),
    latex_macro("twUfesLoad", latex_number(ufes_load)),
    latex_macro("twUfesMostAttempts", latex_number(max(good$attempts, 0, na.rm = TRUE))),
    latex_macro("twUfesLongestSilence", latex_number(max(s[interval <= 1000, silence]), 1L)),
    latex_macro("twUfesSpurious", latex_number(sum(good$spurious, na.rm = TRUE))),
    ufes_threshold(s), macros(near, "Ufes", "interval"),
    macros(sizes, "Ufes Size", "payload"))
}

#' Names of macros, one for each row.
macro_name_each <- function(...) {
  unname(mapply(function(...) macro_name(...), ..., USE.NAMES = FALSE))
}

#' The smallest load of the sweep at which CoAP delivers at least 0.1 messages per second less than
#' MQTT, and the largest at which it does not.
ufes_threshold <- function(s) {
  sweep <- s[payload == 30 & interval == 100 & load > 0]
  both <- merge(sweep[variant == "CoAP CON", .(load, coap = per_s)],
                sweep[variant == "MQTT QoS 0", .(load, mqtt = per_s)], by = "load")
  holds <- both$mqtt - both$coap >= 0.1
  c(latex_macro("twUfesHoldsFrom", if (any(holds)) latex_number(min(both$load[holds])) else "--"),
    latex_macro("twUfesNotYetAt", if (any(!holds)) latex_number(max(both$load[!holds])) else "--"))
}
