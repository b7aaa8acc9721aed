# The error of the laboratory itself, by class of metric, in the verdicts (docs/claims.md).
#
# The spread between runs does not show how far the laboratory is from hardware: all its runs share
# its error. So a claim is also compared with the discrepancy of its metric's class, from conditions
# that were recorded and not fitted.

#' Classes of metrics by pattern of the name, the first that fits; times are divided by their size.
#' `scale`: "exact" (the protocol or the program decides: no discrepancy), else see [model_reach()].
metric_classes <- data.table::fread(sep = ";", strip.white = TRUE, text = "
pattern ; class ; scale
^turn_ ; times inside the chip ; ratio
^engine_(flash|ram)_bytes$ ; memory ; exact
^board_(heap|stack)_ ; memory ; exact
_u[cC]$ ; charge ; ratio
_mj$ ; charge ; ratio
^(retransmission|repetition)_ratio_pct$ ; repetitions ; points
_pct$ ; losses ; points
^server_(memory|open_files)_max ; memory ; exact
^airtime_per_ ; airtime ; exact
^(retransmissions|spurious_retransmissions|device_crashes|con_attempts_max)$ ; counts ; points
^clients_never_first$ ; counts ; points
^(throughput|stream)_ ; throughput ; ratio
^(goodput|interarrival_mean|delivery_span)_ ; rates ; ratio
_per_s(_mean)?$ ; rates ; ratio
_bytes$ ; bytes ; exact
^bytes_per_ ; bytes ; exact
_bytes_per_message$ ; bytes ; exact
_packets$ ; packets ; exact
^packets_per_ ; packets ; exact
^(device_offline_s|interarrival_max_ms)$ ; times above 250 ms ; ratio
_(ms|s)$ ; times ; ratio
")

#' Class and scale of a metric.
#'
#' @param metric name. @param value of ours: divides the times, in ms or s as the name says.
#' @return list(class, scale).
metric_class <- function(metric, value = NA_real_) {
  at <- which(vapply(metric_classes$pattern, grepl, NA, x = metric, perl = TRUE))
  if (length(at) == 0L) return(list(class = "metrics without a class", scale = "none"))
  found <- as.list(metric_classes[at[1L], .(class, scale)])
  if (found$class == "times") {
    found$class <- time_class(value * if (endsWith(metric, "_ms")) 1 else 1e3)
  }
  # how many times are shorter than a bound follows from their error, but not as a ratio
  if (found$class == "times inside the chip" && endsWith(metric, "_pct")) found$scale <- "none"
  found
}

#' The discrepancy by class, see [model_discrepancy()]: of the recorded pairs of laboratory and
#' captures (data/recorded/fidelity.csv), and for times inside the chip of [chip_pairs()]. The
#' option `thinwire.discrepancy` replaces it.
discrepancy_table <- function() {
  given <- getOption("thinwire.discrepancy")
  if (!is.null(given)) return(given)
  top <- file.path(getOption("thinwire.workflow"), "..")
  pairs <- read_table(file.path(top, recorded_fidelity), c("class", "state", "counts", "scale"))
  model_discrepancy(with_chip_pairs(pairs))
}

#' Add [chip_pairs()] to the pairs of laboratory and captures.
#'
#' @param pairs result of [fidelity_pairs()].
with_chip_pairs <- function(pairs) {
  chip <- chip_pairs(file.path(getOption("thinwire.workflow"), "..", "docs", "measured",
                               "bearssl-times.csv"))
  data.table::rbindlist(list(pairs, chip), use.names = TRUE, fill = TRUE)
}

#' How far the laboratory may be from hardware for a metric.
#'
#' @param metric name. @param value of ours. @param known result of [discrepancy_table()].
#' @return list(class, scale, n, reach): scale "exact" (no discrepancy), "ratio" (`reach` is the
#'   factor within which the next condition lies), "points" (the difference), or "none": no pair of
#'   laboratory and recording shows it.
model_reach <- function(metric, value, known = discrepancy_table()) {
  found <- metric_class(metric, value)
  row <- known[class == found$class & scale == found$scale]
  if (found$scale == "exact") return(c(found, n = NA, reach = NA))
  if (nrow(row) != 1L) return(list(class = found$class, scale = "none", n = 0L, reach = NA))
  c(found, n = row$n, reach = row$reach)
}

#' An interval with the discrepancy in it.
#'
#' @param low,high limits. @param reach result of [model_reach()]. @param sides 2 for the difference
#'   of two, whose errors may have different signs. @param base of a difference: the mean that the
#'   other side is compared with; NULL for a value.
#' @return c(low, high); infinite where the discrepancy is not known.
with_discrepancy <- function(low, high, reach, sides = 1L, base = NULL) {
  switch(reach$scale,
    exact = c(low, high),
    none = c(-Inf, Inf),
    points = c(low, high) + c(-1, 1) * reach$reach * sqrt(sides),
    ratio = {
      from <- if (is.null(base)) 0 else base
      limits <- c(low, high) + from
      factor <- reach$reach^sqrt(sides)
      c(min(limits[1L] / factor, limits[1L] * factor),
        max(limits[2L] / factor, limits[2L] * factor)) - from
    })
}

#' The reason of a claim that the laboratory's runs decide, and its discrepancy does not.
discrepancy_reason <- function(reach) {
  if (reach$scale == "none") {
    return(paste("no recording shows the lab's error for", reach$class))
  }
  size <- if (reach$scale == "ratio") paste("a factor of", short(reach$reach)) else
    paste(short(reach$reach), "points")
  sprintf("the lab's error for %s is up to %s (%d held-out conditions)", reach$class, size,
          as.integer(reach$n))
}

#' Counts of events that messages or frames cause one by one; of the others, as the most attempts
#' of a trial, no exact interval is known.
event_counts <- c("retransmissions", "spurious_retransmissions", "device_crashes")

#' The exact interval of a count or share over all messages: Clopper and Pearson's of a share,
#' Garwood's of a count or of a ratio above 1.
#'
#' @param runs result of [select_runs()]. @param metric name.
#' @return c(low, high) in the metric's unit, per trial for a count; NA for other classes.
exact_limits <- function(runs, metric) {
  class <- metric_class(metric)$class
  of <- sum(runs$of)
  events <- round(sum(runs$events))
  share <- class %in% c("losses", "repetitions")
  if (!(share || metric %in% event_counts) || !isTRUE(of > 0)) {
    return(c(NA_real_, NA_real_))
  }
  if (share && events <= of) {
    return(100 * stats::binom.test(events, of, conf.level = verdict_level)$conf.int[1:2])
  }
  each <- if (share) of / 100 else sum(lengths(strsplit(runs$trials, " ")))
  stats::poisson.test(events, each, conf.level = verdict_level)$conf.int[1:2]
}

#' Pairs for times inside the chip: the arithmetic of TLS keys at the lab's two cycles an
#' instruction, and as Tasmota publishes it at 80 MHz, less the wait that no clock shortens
#' (docs/security.md). The lab's cycles were calibrated on CoreMark, not on these.
#'
#' @param file docs/measured/bearssl-times.csv.
#' @return data.table in the form of [fidelity_pairs()].
chip_pairs <- function(file) {
  x <- read_table(file, c("million instructions", "80 MHz: published, s"))
  out <- data.table::data.table(
    class = "times inside the chip", condition = x[[1L]], state = "held out", unit = "s",
    scale = "ratio", recorded = x[["80 MHz: published, s"]] - chip_wait_s,
    ours = x[["million instructions"]] * chip_cycles / 80, counts = TRUE)
  out[, error := ours / recorded - 1]
  out[]
}

#' Cycles an instruction of the board `lx106` (docs/lab.md), and the wait of Tasmota's handshakes
#' that no clock shortens, s (docs/security.md).
chip_cycles <- 2
chip_wait_s <- 0.11
