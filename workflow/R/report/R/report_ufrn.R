# The report of the study `ufrn`: Tables I to IV of UFRN 2018 beside our engine's round trips, and
# beside the times of the study's own libraries (ufrn_timed_report.R).

#' @param study see [make_report()]; its table `published` is data/published/ufrn2018.csv, and
#'   `kept` and `kept_factors` are the tables of data/measured/ufrn-libraries.
report_ufrn <- function(study) {
  check_shown(wide_factors(study$factors),
              c("mode", "role", "pace", "quirks", "payload_steps", "messages"), "ufrn")
  published <- report_table(study, "published", c("location", "row", "column", "value"))
  cells <- ufrn_cells(published)
  ours <- ufrn_ours(study$metrics, study$factors)
  both <- ufrn_both(cells, ours)
  timed <- ufrn_timed(published, report_table(study, "kept", c("trial", "metric", "value")),
                      report_table(study, "kept_factors", c("trial", "factor", "value")))
  list(figures = list(scatter = list(plot = figure_ufrn_scatter(study, published), width = 17.6,
                                     height = 9.5),
                      timed = list(plot = figure_ufrn_timed(timed), width = 17.6, height = 8.4)),
       tables = list(cells = ufrn_cells_table(both), fits = ufrn_fits_table(timed),
                     hypotheses = ufrn_hypotheses_table(timed),
                     timed = ufrn_timed_table(timed)),
       numbers = c(ufrn_numbers(cells, ours), ufrn_timed_numbers(timed)))
}

#' Our engine's quantities, as the tables name them.
ufrn_quantities <- c("round trip" = "rtt", "handing over" = "call",
                     "reading what is there" = "read")

#' Means over the trials of each metric of a closed loop, ms.
#'
#' @return data.table `protocol`, `role`, `quirks`, `payload`, `quantity`, `what`, `value`, `n`
#'   (exchanges of all trials), `trials`.
ufrn_ours <- function(metrics, factors) {
  wide <- wide_factors(factors)
  if (!"quirks" %in% names(wide)) wide[, quirks := ""]
  wide[is.na(quirks), quirks := ""]
  pattern <- "^turn_(rtt|call|read)_at_([0-9]+)_(mean|sd|median)_ms$"
  mine <- metrics[grepl(pattern, metric)]
  mine[, `:=`(quantity = sub(pattern, "\\1", metric),
              payload = as.numeric(sub(pattern, "\\2", metric)),
              what = sub(pattern, "\\3", metric))]
  mine[wide, on = c("study", "trial"), nomatch = NULL][
    , .(value = mean(value), n = sum(n), trials = .N),
    by = .(protocol, role, quirks, payload, quantity, what)]
}

#' Published cells beside our engine's [ufrn_quantities], one column each; MQTT read byte by byte.
ufrn_both <- function(cells, ours) {
  out <- data.table::copy(cells)
  for (name in names(ufrn_quantities)) {
    mine <- ours[quantity == ufrn_quantities[[name]]]
    at <- c("protocol", "role", "quirks", "payload", "what")
    out[, (name) := mine[out, on = at, value]]
  }
  out[]
}

#' Tables I to IV cell by cell: the published values, and ours of the round trip.
ufrn_cells_table <- function(both) {
  whats <- c("mean", "sd", "median")
  wide <- function(value) {
    data.table::dcast(both, location + row + payload ~ what, value.var = value)
  }
  published <- wide("published")[order(location, payload)]
  ours <- wide("round trip")[order(location, payload)]
  reads <- wide("reading what is there")[order(location, payload)]
  calls <- wide("handing over")[order(location, payload)]
  number <- function(x) lapply(whats, function(w) latex_number(x[[w]], 3L))
  cells <- do.call(cbind, c(list(ifelse(duplicated(published$location), "", published$location),
                                 latex_number(published$payload)), number(published), number(ours),
                            list(latex_number(calls$median, 3L), latex_number(reads$median, 3L))))
  latex_table(cells, "@{}lrrrrrrrrr@{}",
              c("", "bytes", rep(c("mean", "s.\\,d.", "median"), 2L), "hand over", "read"),
              which(!duplicated(published$location))[-1L])
}

#' Panels in the order of the study's figures.
ufrn_panels <- function(location) {
  names <- c("Table I" = "WebSocket, device answers", "Table II" = "MQTT, device answers",
             "Table III" = "WebSocket, device asks", "Table IV" = "MQTT, device asks")
  factor(names[location], names)
}

#' Round trips of our engine by payload, all repetitions, beside the published medians (black
#' diamonds): UFRN's Figs. 5 to 8 without the order of the exchanges, which shows nothing.
#'
#' @param study see [make_report()]. @param published its table.
figure_ufrn_scatter <- function(study, published) {
  wide <- wide_factors(study$factors)
  if (!"quirks" %in% names(wide)) wide[, quirks := ""]
  wide[is.na(quirks), quirks := ""]
  pattern <- "^turn_rtt_at_([0-9]+)_ms$"
  x <- study$samples[grepl(pattern, sample)]
  x[, payload := as.numeric(sub(pattern, "\\1", sample))]
  x <- x[wide, on = c("study", "trial"), nomatch = NULL]
  x <- ufrn_tables()[x, on = c("protocol", "role", "quirks"), nomatch = NULL]
  sizes <- sort(unique(x$payload))
  said <- published[column == "rtt_median" & location %in% x$location]
  said[, `:=`(payload = as.numeric(sub("^.* ([0-9]+) bytes$", "\\1", row)),
              protocol = ifelse(startsWith(row, "MQTT"), "mqtt", "websocket"))]
  ggplot2::ggplot(x, ggplot2::aes(factor(payload, sizes), value,
                                  colour = protocol_values("label")[protocol])) +
    ggplot2::geom_boxplot(outlier.size = 0.3, linewidth = 0.35, width = 0.6) +
    ggplot2::geom_point(data = said[payload %in% sizes], size = 2.4, colour = ink,
                        ggplot2::aes(y = as.numeric(value), shape = "published median")) +
    ggplot2::scale_shape_manual(values = c("published median" = 18), name = NULL) +
    ggplot2::facet_wrap(~ufrn_panels(location), nrow = 2L, scales = "free_x") +
    ggplot2::scale_y_log10() + scale_protocol("none") +
    ggplot2::labs(x = "payload, bytes", y = "round trip, ms (logarithmic)") + theme_thinwire()
}

#' Numbers for the text: the cells, and the number of runs and exchanges in a cell of ours.
ufrn_numbers <- function(cells, ours) {
  macro <- function(..., text) latex_macro(macro_name("Ufrn", ...), text)
  shown <- ours[quantity == "rtt" & what == "median" &
                  quirks == ifelse(protocol == "mqtt", "byte_at_a_time_read", "")]
  c(macro("Cells", text = nrow(cells)),
    macro("LeastRuns", text = min(shown$trials)),
    macro("LeastExchanges", text = min(shown$n)),
    macro("MostExchanges", text = max(shown$n)))
}
