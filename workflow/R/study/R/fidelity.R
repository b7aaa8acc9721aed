# How far is the lab from recorded hardware? Each condition of KU Leuven's captures beside the trial
# of the study `twins` that repeats it, by class of metric, with what was fitted on it. The errors
# of the conditions that were held out are the discrepancy of the model (docs/cell.md).

#' The metrics that are compared beside the times of [twin_quantities], with their class. `scale`:
#' "ratio" (the error is the ratio of both, less 1) or "points" (their difference, since both can be
#' zero). Of a class the first counts that a condition has.
fidelity_metrics <- data.table::fread(text = "
metric                          class        unit        scale
bytes_per_message               bytes        bytes       ratio
packets_per_message             packets      packets     ratio
delivery_per_s_mean             rates        messages/s  ratio
throughput_mean_bytes_per_10ms  throughput   bytes       ratio
messages_behind_first_pct       losses       %           points
device_loss_pct                 losses       %           points
network_loss_pct                losses       %           points
retransmission_ratio_pct        repetitions  %           points
")

#' Bounds of the classes of times, ms: below the first the radio's sleep has no part in a time, and
#' above the second several exchanges make one.
fidelity_bounds_ms <- c(5, 250)

#' Where the project keeps the result of [fidelity_pairs()], since captures and trials are not
#' everywhere at hand; `tools/fidelity.R` writes it.
recorded_fidelity <- "data/recorded/fidelity.csv"

#' Class of a time by its recorded median.
time_class <- function(ms) {
  names <- c("times below 5 ms", "times of 5 to 250 ms", "times above 250 ms")
  names[1L + findInterval(ms, fidelity_bounds_ms)]
}

#' Every condition that was recorded and repeated in the lab, for every metric.
#'
#' @param tables result of [read_results()] with the tables of the studies `twins` and `recordings`.
#' @return data.table: `class`, `condition` (as "MQTT QoS 0, 10 clients"), `row`, `clients`,
#'   `capture`, `state` (of [fit_states]) and `numbers` (see [fit_state()]), `metric` (of the
#'   samples, for times), `unit`, `scale`; `recorded`, `ours` (of times medians), `n`, `n_ours`
#'   (values of a time; NA of others), `error` (ratio less 1, or points), `error_least`,
#'   `error_most` (95 % interval of a ratio of medians; NA of others), `distance` (Kolmogorov and
#'   Smirnov; NA of others), `counts`: is it the metric of this class that counts for the condition?
#'   Times of one exchange are not independent, nor are two rates. No rows without captures.
fidelity_pairs <- function(tables) {
  cells <- kuleuven_cells(tables$factors[study == "twins"])[variant == "as designed"]
  captured <- unique(tables$metrics[study == "recordings", trial])
  recorded <- data.table::data.table(trial = captured, capture = captured,
                                     kuleuven_capture_cells(captured))
  out <- rbind(paired_times(tables$samples, cells, recorded),
               paired_metrics(tables$metrics, cells, recorded))
  out <- out[recorded, on = c("row", "clients"), nomatch = NULL][, !"trial"]
  out <- cbind(out, fit_state(out$capture))
  out[, condition := kuleuven_cell_name(row, clients)]
  out[, counts := !duplicated(paste(class, condition))]
  first <- c("class", "condition", "row", "clients", "capture", "state", "numbers", "metric",
             "unit", "scale", "recorded", "ours", "n", "n_ours", "error", "error_least",
             "error_most", "distance", "counts")
  out[order(match(row, kuleuven_rows), clients), first, with = FALSE]
}

#' The times of [fidelity_pairs()].
paired_times <- function(samples, cells, recorded) {
  hardware <- samples[study == "recordings"][recorded, on = "trial", nomatch = NULL]
  times <- twin_times(twin_samples(hardware, samples[study == "twins"], cells))
  if (nrow(times) == 0L) return(NULL)
  quantity_of <- function(row, quantity) {
    q <- twin_quantities[[sub(" QoS.*", "", row)]]
    names(q)[match(quantity, q)]
  }
  times[, .(class = time_class(median), row, clients, metric = mapply(quantity_of, row, quantity),
            unit = "ms", scale = "ratio", recorded = median, ours = median_lab, n, n_ours = n_lab,
            error = off, error_least = off_least, error_most = off_most, distance)]
}

#' The other metrics of [fidelity_pairs()]: means over the lab's repetitions.
paired_metrics <- function(metrics, cells, recorded) {
  mean_of <- function(name, where) {
    metrics[study == name][where, on = "trial", nomatch = NULL][
      , .(value = mean(value)), by = .(row, clients, metric)]
  }
  both <- merge(mean_of("recordings", recorded), mean_of("twins", cells),
                by = c("row", "clients", "metric"), suffixes = c("", "_ours"))
  both <- fidelity_metrics[both, on = "metric", nomatch = NULL]
  both <- both[scale == "points" | value > 0 & value_ours > 0]
  both[order(match(metric, fidelity_metrics$metric)),
       .(class, row, clients, metric, unit, scale, recorded = value, ours = value_ours,
         n = NA_integer_, n_ours = NA_integer_,
         error = ifelse(scale == "ratio", value_ours / value - 1, value_ours - value),
         error_least = NA_real_, error_most = NA_real_, distance = NA_real_)]
}

#' Within which the next condition's error lies, see [model_discrepancy()].
#'
#' @param errors of the held-out conditions. @param level see [verdict_level].
error_reach <- function(errors, level = verdict_level) {
  stats::qt((1 + level) / 2, length(errors)) * sqrt(mean(errors^2))
}

#' The discrepancy of the model by class of metric, from the conditions that were held out.
#'
#' With `n` conditions whose errors (logarithms of ratios; points) have the root mean square s, the
#' next condition's error lies within t(n) s with the probability `level`, Student's t since s is
#' estimated and the mean error is taken as zero. The interval of s is that of the chi-squared
#' distribution with n degrees of freedom.
#'
#' @param pairs result of [fidelity_pairs()]. @param level of the factor; see [verdict_level].
#' @return data.table by `class`, `scale`: `n`, `rms` (of a ratio: as its logarithm), `rms_least`,
#'   `rms_most` (95 %), `worst` (the largest error: the ratio, or points), `reach`: the factor (or
#'   points) within which a condition lies with this probability.
model_discrepancy <- function(pairs, level = verdict_level) {
  held <- pairs[state == "held out" & counts]
  held[, off := ifelse(scale == "ratio", log(ours / recorded), error)]
  out <- held[, {
    s <- sqrt(mean(off^2))
    limits <- s * sqrt(.N / stats::qchisq(c(0.975, 0.025), .N))
    reach <- error_reach(off, level)
    worst <- max(abs(off))
    list(n = .N, rms = s, rms_least = limits[1L], rms_most = limits[2L],
         worst = if (scale == "ratio") exp(worst) else worst,
         reach = if (scale == "ratio") exp(reach) else reach)
  }, by = .(class, scale)]
  out[order(match(class, unique(pairs$class)))]
}
