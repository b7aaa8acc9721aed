# The generic report: figures that the study names, a table of its trials, and the table's numbers
# for the text.

#' @param study see [make_report()].
report_common <- function(study) {
  figures <- lapply(stats::setNames(nm = study$figures), study_figure, study$metrics,
                    study$samples, study$factors)
  summary <- summarise_study(study$metrics, study$factors, study$samples)
  list(figures = figures, tables = list(table = study_table(summary)),
       numbers = study_numbers(study$name, summary, study$metrics))
}

#' One row per kind of trial: mode and the factors that vary, pooled over the repetitions.
#'
#' Messages are pooled, so a share has one binomial interval (Wilson's), and round trips are
#' pooled, so their mean has one bootstrap interval.
#'
#' @param metrics,factors,samples tables of one study.
#' @return data.table `mode`, `nagle_label`, `interval` (ms), a column for each of
#'   [varying_factors()], `trials`, `made`, `delivered`, `delivery_pct`, `delivery_low`,
#'   `delivery_high`, `rtt_n`, `rtt_mean`, `rtt_low`, `rtt_high`, `rtt_median`, `rtt_p95`, `bytes`,
#'   `packets`, `retransmissions`, `per_s`; attribute `shown`: the factors besides interval and
#'   Nagle's algorithm.
summarise_study <- function(metrics, factors, samples) {
  trials <- trial_conditions(factors)
  shown <- setdiff(attr(trials, "shown"), c("interval_ms", "nagle"))
  wide <- data.table::dcast(metrics, study + trial ~ metric, value.var = "value")
  needed <- c("made", "delivered", "messages", "bytes_per_message", "packets_per_message",
              "retransmissions", "server_delivery_per_s_mean")
  for (name in setdiff(needed, names(wide))) wide[, (name) := NA_real_]
  kind <- c("mode", shown, "nagle_label", "interval")
  out <- with_conditions(wide, trials)[, pooled_row(.SD), by = kind]
  rtt <- with_conditions(samples[sample == "rtt_ms"], trials)[, round_trip_row(value), by = kind]
  out <- merge(out, rtt, by = kind, all.x = TRUE)
  data.table::setorderv(out, kind)
  data.table::setattr(out, "shown", shown)
  out[]
}

#' Pool the trials of one kind.
pooled_row <- function(t) {
  share <- wilson_interval(sum(t$delivered), sum(t$made))
  list(trials = nrow(t), made = sum(t$made), delivered = sum(t$delivered),
       delivery_pct = 100 * sum(t$delivered) / sum(t$made), delivery_low = 100 * share[[1L]],
       delivery_high = 100 * share[[2L]],
       bytes = mean(t$bytes_per_message), packets = mean(t$packets_per_message),
       retransmissions = 1000 * sum(t$retransmissions) / sum(t$messages),
       per_s = mean(t$server_delivery_per_s_mean))
}

#' Pooled round trips, ms: mean with its bootstrap interval, median, 95th percentile.
round_trip_row <- function(x) {
  limits <- bootstrap_interval(x)
  list(rtt_n = length(x), rtt_mean = mean(x), rtt_low = limits[["low"]],
       rtt_high = limits[["high"]], rtt_median = median(x),
       rtt_p95 = quantile(x, 0.95, names = FALSE))
}

#' Table of a study for the paper.
#'
#' @param s result of [summarise_study()].
study_table <- function(s) {
  shown <- attr(s, "shown")
  label <- ifelse(s$nagle_label == "UDP", "--", sub("TCP, Nagle ", "", s$nagle_label))
  first <- !duplicated(paste(s$mode, s$nagle_label))
  further <- lapply(shown, function(name) latex_text(as.character(s[[name]])))
  cells <- do.call(cbind, c(
    list(ifelse(first, as.character(s$mode), ""), ifelse(first, label, "")), further,
    list(latex_number(s$interval), latex_number(s$made), latex_number(s$delivery_pct, 2L),
         latex_interval(s$delivery_low, s$delivery_high, 2L), latex_number(s$per_s, 2L),
         latex_number(s$rtt_median, 1L), latex_number(s$rtt_mean, 1L),
         latex_interval(s$rtt_low, s$rtt_high, 1L), latex_number(s$rtt_p95, 1L),
         latex_number(s$bytes, 0L), latex_number(s$packets, 2L),
         latex_number(s$retransmissions, 1L))
  ))
  header <- c("Protocol", "Nagle", latex_text(gsub("_", " ", shown)),
              "\\shortstack{interval\\\\ms}", "made",
              "\\shortstack{delivered\\\\\\%}",
              "95\\,\\% interval", "\\shortstack{per\\\\second}", "median", "mean",
              "95\\,\\% interval", "p95", "bytes", "packets",
              "\\shortstack{retrans-\\\\missions,\\\\\\textperthousand}")
  groups <- which(first & !duplicated(s$mode))[-1L]
  latex_table(cells, paste0("@{}ll", strrep("l", length(shown)), "rrrlrrrlrrrr@{}"), header, groups)
}

#' Numbers of a study for the text, and totals:
#' `\tw<Study><Mode><Nagle><Interval>[<further levels>]<Quantity>`.
study_numbers <- function(study, s, metrics) {
  shown <- attr(s, "shown")
  prefix <- function(i, what) {
    levels <- vapply(shown, function(name) as.character(s[[name]][i]), "")
    macro_name(study, s$mode[i], sub("TCP, ", "", sub("UDP", "", s$nagle_label[i])), s$interval[i],
               paste(levels, collapse = " "), what)
  }
  quantities <- list(Delivery = list("delivery_pct", 2L), Rtt = list("rtt_mean", 1L),
                     RttMedian = list("rtt_median", 1L), RttTail = list("rtt_p95", 1L),
                     Bytes = list("bytes", 0L), Packets = list("packets", 2L),
                     PerSecond = list("per_s", 2L), Again = list("retransmissions", 1L))
  per_row <- unlist(lapply(seq_len(nrow(s)), function(i) {
    vapply(names(quantities), function(q) {
      k <- quantities[[q]]
      latex_macro(prefix(i, q), latex_number(s[[k[[1L]]]][i], k[[2L]]))
    }, "")
  }))
  c(latex_macro(macro_name(study, "Trials"), latex_number(sum(s$trials))),
    latex_macro(macro_name(study, "Messages"), latex_number(sum(s$made))),
    latex_macro(macro_name(study, "Frames"),
                latex_number(metrics[metric == "captured_frames", sum(value)])),
    per_row)
}
