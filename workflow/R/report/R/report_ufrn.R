# The report of the study `ufrn`: Tables I to IV and Figures 5 to 8 of UFRN 2018, published against
# ours, and hypotheses about what the published times measure.

#' @param study see [make_report()]; its table `published` is data/published/ufrn2018.csv.
report_ufrn <- function(study) {
  check_shown(wide_factors(study$factors),
              c("mode", "role", "pace", "quirks", "payload_steps", "messages"), "ufrn")
  cells <- ufrn_cells(report_table(study, "published", c("location", "row", "column", "value")))
  ours <- ufrn_ours(study$metrics, study$factors)
  both <- ufrn_both(cells, ours)
  fits <- ufrn_fits(both)
  list(figures = list(scatter = list(plot = figure_ufrn_scatter(study), width = 17.6, height = 9.5),
                      times = list(plot = figure_ufrn_times(both), width = 17.6, height = 8.4)),
       tables = list(cells = ufrn_cells_table(both), fits = ufrn_fits_table(fits)),
       numbers = ufrn_numbers(cells, both, fits, ours))
}

#' Hypotheses about the published times, as sums of times on our device's clock. `reads` is how MQTT
#' was read: byte by byte, as its library does, or at once; `parts` are summed.
ufrn_hypotheses <- list(
  "round trip" = list(reads = "byte_at_a_time_read", parts = "rtt"),
  "handing over" = list(reads = "byte_at_a_time_read", parts = "call"),
  "reading what is there" = list(reads = "byte_at_a_time_read", parts = "read"),
  "the same, MQTT at once" = list(reads = "", parts = "read"),
  "reading and answering" = list(reads = "byte_at_a_time_read", parts = c("read", "call"))
)

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

#' Published cells beside the prediction of each hypothesis, one column each.
ufrn_both <- function(cells, ours) {
  out <- data.table::copy(cells)
  for (name in names(ufrn_hypotheses)) {
    h <- ufrn_hypotheses[[name]]
    sums <- ours[quantity %in% h$parts,
                 .(value = if (what[1L] == "sd") sqrt(sum(value^2)) else sum(value)),
                 by = .(protocol, role, quirks, payload, what)]
    at <- out[, .(protocol, role, payload, what,
                  quirks = ifelse(protocol == "mqtt", h$reads, ""))]
    out[, (name) := sums[at, on = names(at), value]]
  }
  out[]
}

#' Growth of a table's medians with the payload, us a byte: slope of a straight line.
ufrn_growth <- function(payload, median) {
  1000 * stats::cov(payload, median) / stats::var(payload)
}

#' How well each hypothesis fits the published cells.
#'
#' @return data.table, the published values first: `name`; `near`: cells within a factor of two, of
#'   `cells`; `explained`: the share of the variance of the published medians within a protocol that
#'   a straight line of the protocol's through ours explains, %: its library's constant and pace
#'   are free; growth in each table, us a byte.
ufrn_fits <- function(both) {
  medians <- both[what == "median"]
  data.table::rbindlist(lapply(c("published", names(ufrn_hypotheses)), function(name) {
    ratio <- both[[name]] / both$published
    growth <- medians[, .(g = ufrn_growth(payload, get(name))), keyby = location]
    data.table::data.table(
      name = name, near = sum(abs(log2(ratio)) <= 1, na.rm = TRUE), cells = nrow(both),
      explained = explained_pct(medians$published, medians[[name]], medians$protocol),
      data.table::setnames(data.table::as.data.table(as.list(growth$g)), growth$location))
  }))
}

#' Share of the variance of y within groups that a straight line of each group explains, %.
explained_pct <- function(y, x, group) {
  left <- function(...) sum(stats::resid(stats::lm(...))^2)
  100 * (1 - left(y ~ group * x) / left(y ~ group))
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

#' The fits as a LaTeX table.
ufrn_fits_table <- function(fits) {
  tables <- grep("^Table", names(fits), value = TRUE)
  cells <- cbind(latex_text(fits$name),
                 ifelse(fits$name == "published", "--", latex_number(fits$near)),
                 ifelse(fits$name == "published", "--", latex_number(fits$explained)),
                 do.call(cbind, lapply(tables, function(t) latex_number(fits[[t]], 2L))))
  latex_table(cells, "@{}lrrrrrr@{}", c("", "near", "\\%", sub("Table ", "", tables)), 2L)
}

#' Panels in the order of the study's figures.
ufrn_panels <- function(location) {
  names <- c("Table I" = "WebSocket, device answers", "Table II" = "MQTT, device answers",
             "Table III" = "WebSocket, device asks", "Table IV" = "MQTT, device asks")
  factor(names[location], names)
}

#' Figures 5 to 8: every round trip in the order of its run, by payload.
figure_ufrn_scatter <- function(study) {
  wide <- wide_factors(study$factors)
  if (!"quirks" %in% names(wide)) wide[, quirks := ""]
  wide[is.na(quirks), quirks := ""]
  pattern <- "^turn_rtt_at_([0-9]+)_ms$"
  x <- study$samples[grepl(pattern, sample)]
  x[, `:=`(payload = as.numeric(sub(pattern, "\\1", sample)), place = seq_len(.N)),
    by = .(study, trial, sample)]
  x <- x[wide, on = c("study", "trial"), nomatch = NULL]
  x <- ufrn_tables()[x, on = c("protocol", "role", "quirks"), nomatch = NULL]
  x <- x[place <= 5000]
  x[, size := factor(payload, sort(unique(payload)))]
  ggplot2::ggplot(x, ggplot2::aes(place, value, alpha = size,
                                  colour = protocol_values("label")[protocol])) +
    ggplot2::geom_point(size = if (max(x$place) > 500) 0.2 else 0.7, shape = 16) +
    ggplot2::facet_wrap(~ufrn_panels(location), nrow = 2L) +
    ggplot2::scale_y_log10() + scale_protocol("none") +
    ggplot2::scale_alpha_manual(values = seq(0.2, 1, length.out = nlevels(x$size)),
                                name = "payload, bytes") +
    ggplot2::labs(x = "exchange", y = "round trip, ms (logarithmic)") + theme_thinwire()
}

#' Medians by payload: published, and what the device's clock measured.
figure_ufrn_times <- function(both) {
  shown <- c("published", "round trip", "handing over", "reading what is there",
             "the same, MQTT at once")
  x <- data.table::melt(both[what == "median"], id.vars = c("location", "protocol", "payload"),
                        measure.vars = shown, variable.name = "quantity")
  x <- x[!(quantity == "the same, MQTT at once" & protocol != "mqtt")]
  ggplot2::ggplot(x, ggplot2::aes(payload, value, shape = quantity, linetype = quantity,
                                  colour = protocol_values("label")[protocol])) +
    ggplot2::geom_line(linewidth = 0.35) + ggplot2::geom_point(size = 1.4) +
    ggplot2::facet_wrap(~ufrn_panels(location), nrow = 2L, scales = "free_x") +
    ggplot2::scale_y_log10() + scale_protocol("none") +
    ggplot2::scale_x_continuous(expand = ggplot2::expansion(c(0.05, 0.08))) +
    ggplot2::scale_shape_manual(values = c(16, 1, 2, 5, 4), name = NULL) +
    ggplot2::scale_linetype_manual(values = c("solid", "solid", "22", "42", "13"), name = NULL) +
    ggplot2::labs(x = "payload of the question, bytes", y = "median, ms (logarithmic)") +
    theme_thinwire()
}

#' Numbers for the text: fits, the published line of Table II extrapolated to no payload, beside
#' Table IV, and the number of runs and exchanges in a cell of ours.
ufrn_numbers <- function(cells, both, fits, ours) {
  macro <- function(..., text) latex_macro(macro_name("Ufrn", ...), text)
  medians <- cells[what == "median"]
  line <- stats::coef(stats::lm(published ~ payload, medians[location == "Table II"]))
  near <- fits[fits$name != "published"]
  ws <- both[location == "Table III" & what == "median"]
  shown <- ours[quantity == "rtt" & what == "median" &
                  quirks == ifelse(protocol == "mqtt", "byte_at_a_time_read", "")]
  c(macro("Cells", text = nrow(cells)),
    macro("Intercept", text = latex_number(line[[1L]], 3L)),
    macro("Slope", text = latex_number(1000 * line[[2L]], 2L)),
    macro("Empty", text = latex_number(medians[location == "Table IV" & payload == 5, published],
                                       3L)),
    macro("LeastRoundTrip", text = latex_number(min(ws[["round trip"]]), 2L)),
    macro("LeastRuns", text = min(shown$trials)),
    macro("LeastExchanges", text = min(shown$n)),
    macro("MostExchanges", text = max(shown$n)),
    unlist(lapply(seq_len(nrow(near)), function(i) {
      c(macro(near$name[i], "Near", text = latex_number(near$near[i])),
        macro(near$name[i], "Explained", text = latex_number(near$explained[i])),
        macro(near$name[i], "Growth", text = latex_number(near[["Table II"]][i], 1L)))
    })))
}
