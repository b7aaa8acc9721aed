# The factors of a trial in words, for figures and tables.

#' One row per trial: study, trial and its factors as columns (text).
wide_factors <- function(factors) {
  data.table::dcast(factors, study + trial ~ factor, value.var = "value")
}

#' Add `mode` ("MQTT QoS 1", "CoAP CON"), `nagle_label` and `interval_label`, ordered for display,
#' to a table that has `study` and `trial`.
#'
#' @param table metrics or samples. @param factors long table of [trial_factors()].
with_modes <- function(table, factors) {
  wide <- wide_factors(factors)
  for (name in setdiff("nagle", names(wide))) wide[, (name) := NA_character_]
  modes <- mode_table()
  wide[, mode := factor(modes$label[match(mode, modes$name)], modes$label)]
  wide[, mode := droplevels(mode)]
  nagled <- protocol_uses_tcp(wide$protocol) & !is.na(wide$nagle)
  wide[, nagle_label := ifelse(!nagled, "UDP", ifelse(nagle %in% c("1", "TRUE"), "TCP, Nagle on",
                                                      "TCP, Nagle off"))]
  wide[, nagle_label := factor(nagle_label, c("TCP, Nagle off", "TCP, Nagle on", "UDP"))]
  wide[, interval := as.numeric(interval_ms)]
  levels <- paste("every", sort(unique(wide$interval)), "ms")
  wide[, interval_label := factor(paste("every", interval, "ms"), levels)]
  keep <- c("study", "trial", "mode", "nagle_label", "interval", "interval_label", "repetition")
  merge(table, wide[, keep, with = FALSE], by = c("study", "trial"), sort = FALSE)
}

protocol_uses_tcp <- function(protocol) protocol %in% protocols_with("transport", "tcp")
