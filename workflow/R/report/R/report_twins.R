# The report of the study `twins`: the lab against the recorded ESP8266, each of KU Leuven's
# captures beside a trial of its design.

#' @param study see [make_report()]; its tables, where the recorded captures are at hand:
#'   `recordings` (their metrics) and `recorded_times` (their samples); and `timelines`.
report_twins <- function(study) {
  cells <- kuleuven_cells(study$factors)
  captured <- kuleuven_recording(study, "recorded_times", "sample")
  recorded <- kuleuven_recording(study, "recordings", "metric")
  samples <- twin_samples(captured, study$samples, cells)
  clients <- twin_clients(captured, study$samples, cells)
  pairs <- fidelity_pairs(twin_tables(study))
  times <- twin_times(samples)
  if (nrow(times)) {
    times <- times[unique(pairs[, .(row, clients, state, numbers)]), on = c("row", "clients"),
                   nomatch = NULL]
  }
  lines <- cell_timelines(report_table(study, "timelines",
                                       c("study", "trial", "time_s", "way", "bytes")), cells)
  list(figures = c(if (nrow(samples)) list(times = twin_figure(samples, times)),
                   if (nrow(clients)) list(clients = twin_client_figure(clients)),
                   if (nrow(lines)) list(timelines = timeline_figure(lines))),
       tables = list(held_out = twin_time_table(times, "held out", kuleuven_grid()),
                     fitted = twin_time_table(times, c("fitted", "partly fitted")),
                     discrepancy = discrepancy_table(pairs),
                     costs = twin_cost_table(recorded, kuleuven_lab(study$metrics, cells)),
                     clients = twin_client_table(clients), fits = fit_table(study$factors)),
       numbers = c(latex_macro("twTwinsTrials", latex_number(data.table::uniqueN(cells$trial))),
                   twin_numbers(times), twin_client_numbers(clients),
                   awake_numbers(kuleuven_recording(study, "recordings", c("metric", "n")))))
}

#' The tables of the study and of the recorded captures together, as [fidelity_pairs()] reads them.
twin_tables <- function(study) {
  both <- function(own, name, what) {
    if (!name %in% names(study$tables)) return(own)
    other <- report_table(study, name, c("study", "trial", what, "value"))
    other[, value := as.numeric(value)]
    rbind(own, other, fill = TRUE)
  }
  list(metrics = both(study$metrics, "recordings", "metric"),
       samples = both(study$samples, "recorded_times", "sample"), factors = study$factors)
}

#' The goal for conditions that were not fitted: a median that differs by this share at most, and a
#' distribution by this distance.
twin_goal <- list(median = 0.1, distance = 0.2)

#' The table of times of the conditions with some of [fit_states]: bold is what meets the goal. The
#' conditions that were held out are predictions; of the others it names the numbers that were
#' fitted on them.
#'
#' @param x result of [twin_times()] with the columns of [fit_state()]. @param states of these.
#' @param grid result of [kuleuven_grid()]: the conditions that have no capture get a row that says
#'   so; NULL: none.
twin_time_table <- function(x, states, grid = NULL) {
  if (nrow(x) == 0L) return("no recorded capture was at hand")
  met <- function(text, good) ifelse(good, sprintf("\\textbf{%s}", text), text)
  three <- function(...) do.call(paste, c(lapply(list(...), latex_number, 1L), sep = " & "))
  absent <- if (!is.null(grid)) grid[!x, on = c("row", "clients")]
  x <- x[state %in% states]
  name <- sprintf("%s, %d", x$row, x$clients)
  held <- identical(states, "held out")
  cells <- cbind(ifelse(duplicated(name), "", latex_text(name)), x$quantity, latex_number(x$n),
                 three(x$low, x$median, x$high), latex_number(x$n_lab),
                 three(x$low_lab, x$median_lab, x$high_lab),
                 sprintf("%s [%s, %s]", met(latex_number(100 * x$off),
                                            abs(x$off) <= twin_goal$median),
                         latex_number(100 * x$off_least), latex_number(100 * x$off_most)),
                 met(latex_number(x$distance, 2L), x$distance <= twin_goal$distance),
                 if (!held) ifelse(duplicated(name), "", latex_text(paste0(x$state, ": ",
                                                                           x$numbers))))
  if (NROW(absent)) {
    cells <- rbind(cells, cbind(latex_text(sprintf("%s, %d", absent$row, absent$clients)),
                                "no capture at hand", matrix("", nrow(absent), ncol(cells) - 2L)))
  }
  latex_table(cells, paste0("@{}llrrrrrrrrrr", if (!held) "p{0.3\\linewidth}", "@{}"),
              c("", "ms", "recorded", "Q1", "median", "Q3", "lab", "Q1", "median", "Q3",
                "off, \\%", "distance", if (!held) "fitted on it"))
}

#' The table of [model_discrepancy()].
discrepancy_table <- function(pairs) {
  if (nrow(pairs) == 0L) return("no recorded capture was at hand")
  x <- model_discrepancy(pairs)
  ratio <- x$scale == "ratio"
  shown <- function(v) ifelse(ratio, latex_number(100 * (exp(v) - 1)), latex_number(v, 1L))
  cells <- cbind(latex_text(x$class), ifelse(ratio, "\\%", "points"), x$n,
                 sprintf("%s [%s, %s]", shown(x$rms), shown(x$rms_least), shown(x$rms_most)),
                 ifelse(ratio, latex_number(100 * (x$worst - 1)), latex_number(x$worst, 1L)),
                 ifelse(ratio, paste0("factor ", latex_number(x$reach, 2L)),
                        latex_number(x$reach, 1L)))
  latex_table(cells, "@{}llrrrr@{}", c("class", "error in", "conditions", "root mean square",
                                       "largest", "discrepancy"))
}

#' The cost of an exchange, recorded / lab: bytes and packets per message, messages per segment,
#' retransmitted segments per hundred messages; and, for the lab only since no capture on the PC
#' shows it, the mean current of the radio by the smallest and the largest published currents.
#'
#' @param recorded see [kuleuven_recording()]. @param lab result of [kuleuven_lab()].
twin_cost_table <- function(recorded, lab) {
  if (is.null(recorded)) return("no recorded capture was at hand")
  costs <- function(table, row, clients) {
    value <- function(metric) kuleuven_value(table, row, clients, metric)
    c(value("bytes_per_message"), value("packets_per_message"),
      value("messages") / value("frames_with_messages"),
      100 * value("retransmissions") / value("messages"))
  }
  grid <- kuleuven_grid()
  grid <- grid[mapply(function(r, k) is.finite(costs(recorded, r, k)[1L]), row, clients)]
  body <- t(vapply(seq_len(nrow(grid)), function(i) {
    pairs <- rbind(costs(recorded, grid$row[i], grid$clients[i]),
                   costs(lab, grid$row[i], grid$clients[i]))
    text <- vapply(1:4, function(k) {
      paste(latex_number(pairs[, k], c(0L, 2L, 2L, 1L)[k]), collapse = " / ")
    }, "")
    current <- vapply(c("least", "greatest"), function(which) {
      kuleuven_value(lab, grid$row[i], grid$clients[i], sprintf("radio_current_%s_ma", which))
    }, 0)
    c(latex_text(sprintf("%s, %d", grid$row[i], grid$clients[i])), text,
      paste(latex_number(current, 1L), collapse = " to "))
  }, character(6L)))
  latex_table(body, "@{}lccccc@{}", c("", "bytes", "packets", "messages a segment",
                                      "repeated, a hundred", "radio, mA"))
}

#' The fitted values, as the trials have them.
#'
#' @param factors table of the study.
fit_table <- function(factors) {
  wide <- wide_factors(factors)
  x <- twin_fits[, .(source = paste(unique(source), collapse = "; ")), by = .(protocol, factor)]
  x[, value := mapply(function(p, f) {
    if (!f %in% names(wide)) return("")
    paste(setdiff(unique(wide[protocol == p | p == "all"][[f]]), NA),
          collapse = ", ")
  }, protocol, factor)]
  x <- x[nzchar(value)]
  x <- x[order(match(protocol, c("all", names(protocol_values("label")))))]
  label <- c(all = "all", protocol_values("label"))[x$protocol]
  latex_table(cbind(ifelse(duplicated(label), "", label), latex_text(x$factor),
                    latex_text(x$value), x$source),
              "@{}lllp{0.52\\linewidth}@{}", c("", "parameter", "value", "fitted on"))
}

#' End of the figure's axis, ms. It is linear: on a logarithmic one distant curves look alike.
twin_axis_ms <- 300

#' The distributions of the times that the study prints, recorded and in the lab; each panel has
#' their distance, the numbers of values and what was fitted.
#'
#' @param samples result of [twin_samples()]. @param times see [twin_time_table()].
twin_figure <- function(samples, times) {
  first <- vapply(twin_quantities, function(q) q[[1L]], "")
  mine <- function(x) x[quantity == first[sub(" QoS.*", "", row)]]
  named <- function(x) {
    order <- kuleuven_grid()[, sprintf("%s, %d", row, clients)]
    x[, cell := factor(sprintf("%s, %d", row, clients), order)]
  }
  x <- named(mine(samples))
  x[, source := factor(source, c("recorded", "lab"))]
  curves <- x[, cumulative(value), by = .(cell, source)]
  notes <- named(mine(times))
  notes[, text := sprintf("%s\nKS %.2f\nn %d, %d", state, distance, n, n_lab)]
  notes <- notes[twin_corners(curves), on = "cell", nomatch = NULL]
  plot <- ggplot2::ggplot(curves, ggplot2::aes(value, share)) +
    ggplot2::geom_step(ggplot2::aes(linetype = source), linewidth = 0.5, colour = ink) +
    ggplot2::geom_text(ggplot2::aes(at, level, label = text, hjust = right, vjust = 1 - right),
                       notes, size = 2.4, lineheight = 0.95, colour = ink) +
    ggplot2::facet_wrap(~cell, nrow = 2L) +
    ggplot2::coord_cartesian(xlim = c(0, twin_axis_ms)) +
    ggplot2::scale_y_continuous(breaks = seq(0, 1, 0.25), labels = c("0", "", "0.5", "", "1"),
                                expand = ggplot2::expansion(0.01)) +
    ggplot2::scale_linetype_manual(values = c(recorded = "solid", lab = "22"), name = NULL) +
    ggplot2::labs(x = "time, ms", y = "share of the values") + theme_thinwire()
  list(plot = plot, width = 17.6, height = 8.6)
}

#' The corner of each panel that its curves leave free: the lower right one, or the upper left one
#' where a curve is still low at two thirds of the axis.
#'
#' @param curves data.table `cell`, `source`, `value` (ms), `share`.
#' @return data.table `cell`, `right` (1 or 0), and the place of its text, `at` and `level`.
twin_corners <- function(curves) {
  reached <- curves[, .(share = max(0, share[value <= twin_axis_ms * 2 / 3])),
                    by = .(cell, source)]
  reached[, .(right = as.numeric(min(share) > 1 / 3)), by = cell][
    , `:=`(at = right * twin_axis_ms, level = ifelse(right == 1, 0.03, 0.97))][]
}

#' Shares of the recorded messages that find the radio awake, per cent, after a frame to a group and
#' otherwise: means over the captures with one client. Also, over all these captures, how many
#' messages must find it awake if such frames kept it awake (see [awake_shares()]), and how many do;
#' likewise after a frame to a group that was sent to the PC as unicast.
#'
#' @param recorded see [kuleuven_recording()], with the column `n`.
awake_numbers <- function(recorded) {
  if (is.null(recorded)) return(character())
  share <- function(name) recorded[clients == 1L & metric == name, value]
  after <- share("radio_awake_after_group_pct")
  if (length(after) == 0L) return(character())
  otherwise <- share("radio_awake_otherwise_pct")
  due <- recorded[clients == 1L & metric == "radio_awake_if_lingering_pct",
                  .(value, n = as.numeric(n))]
  copied <- recorded[clients == 1L & metric == "radio_awake_after_copy_pct",
                     .(value, n = as.numeric(n))]
  c(latex_macro("twTwinsAwakeGroup", latex_number(mean(after))),
    latex_macro("twTwinsAwakeElse", latex_number(mean(otherwise))),
    if (nrow(due)) {
      c(latex_macro("twTwinsLingerDue", latex_number(sum(due$n))),
        latex_macro("twTwinsLingerAwake", latex_number(sum(due$n * due$value / 100))))
    },
    if (nrow(copied)) {
      c(latex_macro("twTwinsCopyDue", latex_number(sum(copied$n))),
        latex_macro("twTwinsCopyAwake", latex_number(sum(copied$n * copied$value / 100))))
    })
}

#' Numbers for the text: how many conditions and times were compared, how many of each state meet
#' the goals, and the errors of those that were held out. A condition counts by its first time.
#'
#' @param x see [twin_time_table()].
twin_numbers <- function(x) {
  if (nrow(x) == 0L) return(character())
  held <- x[state == "held out"]
  firsts <- held[!duplicated(paste(row, clients))]
  of <- function(name, rows) {
    c(latex_macro(paste0("twTwins", name, "Cells"), data.table::uniqueN(rows[, .(row, clients)])),
      latex_macro(paste0("twTwins", name, "Times"), nrow(rows)),
      latex_macro(paste0("twTwins", name, "Medians"), sum(abs(rows$off) <= twin_goal$median)),
      latex_macro(paste0("twTwins", name, "Distances"), sum(rows$distance <= twin_goal$distance)))
  }
  missed <- held[abs(off) > twin_goal$median]
  c(of("Held", held), of("Partly", x[state == "partly fitted"]), of("Fitted", x[state == "fitted"]),
    latex_macro("twTwinsHeldMissed", nrow(missed)),
    latex_macro("twTwinsHeldUnsure", nrow(missed[off_least <= 0 & off_most >= 0])),
    if (nrow(firsts)) {
      c(latex_macro("twTwinsHeldRms", latex_number(100 * sqrt(mean(firsts$off^2)))),
        latex_macro("twTwinsHeldWorst", latex_number(100 * max(abs(firsts$off)))))
    })
}
