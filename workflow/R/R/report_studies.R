# Summaries of a study's trials, for tables and for numbers in the text.

#' One row per kind of trial: mode, Nagle, interval, pooled over the repetitions.
#'
#' Messages are pooled, so a share has one binomial interval (Wilson's) and a mean round trip one
#' normal interval from the pooled moments.
#'
#' @param metrics,factors tables of one study.
#' @return data.table `mode`, `nagle_label`, `interval`, `trials`, `sent`, `delivered`,
#'   `delivery_pct`, `delivery_low`, `delivery_high`, `rtt_n`, `rtt_mean`, `rtt_low`, `rtt_high`,
#'   `rtt_median`, `rtt_p95`, `bytes`, `packets`, `retransmissions`, `per_s`.
summarise_study <- function(metrics, factors) {
  wide <- data.table::dcast(metrics, study + trial ~ metric, value.var = "value")
  counts <- metrics[metric == "rtt_mean_ms", .(study, trial, rtt_n = n)]
  wide <- merge(wide, counts, by = c("study", "trial"), all.x = TRUE)
  needed <- c("sent", "delivered", "messages", "rtt_mean_ms", "rtt_sd_ms", "rtt_median_ms",
              "rtt_p95_ms", "bytes_per_message", "packets_per_message", "retransmissions",
              "server_delivery_per_s_mean")
  for (name in setdiff(needed, names(wide))) wide[, (name) := NA_real_]
  wide <- with_modes(wide, factors)
  out <- wide[, pooled_row(.SD), by = .(mode, nagle_label, interval)]
  data.table::setorder(out, mode, nagle_label, interval)
  out[]
}

#' Pool the trials of one kind.
pooled_row <- function(t) {
  share <- wilson_interval(sum(t$delivered), sum(t$sent))
  rtt <- pooled_mean(t$rtt_n, t$rtt_mean_ms, t$rtt_sd_ms)
  list(trials = nrow(t), sent = sum(t$sent), delivered = sum(t$delivered),
       delivery_pct = 100 * sum(t$delivered) / sum(t$sent), delivery_low = 100 * share[[1L]],
       delivery_high = 100 * share[[2L]], rtt_n = rtt$n, rtt_mean = rtt$mean, rtt_low = rtt$low,
       rtt_high = rtt$high, rtt_median = mean(t$rtt_median_ms), rtt_p95 = mean(t$rtt_p95_ms),
       bytes = mean(t$bytes_per_message), packets = mean(t$packets_per_message),
       retransmissions = 1000 * sum(t$retransmissions) / sum(t$messages),
       per_s = mean(t$server_delivery_per_s_mean))
}

#' Wilson's interval of a share.
wilson_interval <- function(k, n, level = 0.95) {
  if (is.na(n) || n == 0) return(c(NA_real_, NA_real_))
  z <- stats::qnorm((1 + level) / 2)
  p <- k / n
  centre <- (p + z^2 / (2 * n)) / (1 + z^2 / n)
  half <- z / (1 + z^2 / n) * sqrt(p * (1 - p) / n + z^2 / (4 * n^2))
  c(max(0, centre - half), min(1, centre + half))
}

#' Mean of pooled samples from their moments, with a normal interval.
pooled_mean <- function(n, mean, sd) {
  keep <- !is.na(mean) & !is.na(n)
  if (!any(keep)) return(list(n = 0, mean = NA_real_, low = NA_real_, high = NA_real_))
  n <- n[keep]
  m <- sum(n * mean[keep]) / sum(n)
  within <- sum((n - 1) * sd[keep]^2, na.rm = TRUE)
  spread <- sqrt((within + sum(n * (mean[keep] - m)^2)) / max(1, sum(n) - 1))
  limits <- normal_interval(sum(n), m, spread)
  list(n = sum(n), mean = m, low = limits[["low"]], high = limits[["high"]])
}

#' Table of a study for the paper.
study_table <- function(s) {
  label <- ifelse(s$nagle_label == "UDP", "--", sub("TCP, Nagle ", "", s$nagle_label))
  first <- !duplicated(paste(s$mode, s$nagle_label))
  cells <- cbind(ifelse(first, as.character(s$mode), ""), ifelse(first, label, ""),
                 latex_number(s$interval), latex_number(s$sent), latex_number(s$delivery_pct, 2L),
                 latex_interval(s$delivery_low, s$delivery_high, 2L), latex_number(s$per_s, 2L),
                 latex_number(s$rtt_median, 1L), latex_number(s$rtt_mean, 1L),
                 latex_interval(s$rtt_low, s$rtt_high, 1L), latex_number(s$rtt_p95, 1L),
                 latex_number(s$bytes, 0L), latex_number(s$packets, 2L),
                 latex_number(s$retransmissions, 1L))
  header <- c("Protocol", "Nagle", "\\shortstack{interval\\\\ms}", "sent",
              "\\shortstack{delivered\\\\\\%}",
              "95\\,\\% interval", "\\shortstack{per\\\\second}", "median", "mean",
              "95\\,\\% interval", "p95", "bytes", "packets",
              "\\shortstack{again\\\\\\textperthousand}")
  groups <- which(first & !duplicated(s$mode))[-1L]
  latex_table(cells, "@{}llrrrlrrrlrrrr@{}", header, groups)
}

#' Numbers of a study for the text: `\tw<Study><Mode><Nagle><Interval><Quantity>`, and totals.
study_numbers <- function(study, s, metrics) {
  prefix <- function(i, what) {
    macro_name(study, s$mode[i], sub("TCP, ", "", sub("UDP", "", s$nagle_label[i])), s$interval[i],
               what)
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
    latex_macro(macro_name(study, "Messages"), latex_number(sum(s$sent))),
    latex_macro(macro_name(study, "Frames"),
                latex_number(metrics[metric == "captured_frames", sum(value)])),
    per_row)
}
