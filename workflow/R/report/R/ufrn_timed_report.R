# UFRN's 28 medians beside the times of its libraries on the LX106, for the report of `ufrn`.

#' The times that are shown, us: A, B and C of [ufrn_timed_hypotheses], B without any constant.
ufrn_timed_shown <- function(timed) {
  fitted <- vapply(names(ufrn_timed_hypotheses), function(name) {
    ufrn_timed_fit(timed, ufrn_timed_hypotheses[[name]])$predicted
  }, numeric(nrow(timed)))
  data.table::data.table(timed[, .(location, protocol, payload, published)], fitted)
}

#' Medians by payload: published (black and larger, so that they stand out), and A, B and C.
figure_ufrn_timed <- function(timed) {
  shown <- c("published", grep("^[ABC]:", names(ufrn_timed_hypotheses), value = TRUE))
  x <- data.table::melt(ufrn_timed_shown(timed), id.vars = c("location", "protocol", "payload"),
                        measure.vars = shown, variable.name = "quantity")
  x[, protocol := ifelse(quantity == "published", "published", protocol_values("label")[protocol])]
  ggplot2::ggplot(x, ggplot2::aes(payload, value / 1000, shape = quantity, linetype = quantity,
                                  size = quantity, colour = protocol)) +
    ggplot2::geom_line(linewidth = 0.35) + ggplot2::geom_point() +
    ggplot2::facet_wrap(~ufrn_panels(location), nrow = 2L, scales = "free_x") +
    ggplot2::scale_y_log10() +
    ggplot2::scale_colour_manual(values = c(protocol_colours(), published = ink), guide = "none") +
    ggplot2::scale_size_manual(values = c(2, 1.4, 1.4, 1.8), name = NULL) +
    ggplot2::scale_x_continuous(expand = ggplot2::expansion(c(0.05, 0.08))) +
    ggplot2::scale_shape_manual(values = c(16, 2, 4, 5), name = NULL) +
    ggplot2::scale_linetype_manual(values = c("solid", "22", "13", "42"), name = NULL) +
    ggplot2::labs(x = "payload of the question, bytes", y = "median, ms (logarithmic)") +
    theme_thinwire()
}

#' The hypotheses as a LaTeX table.
ufrn_fits_table <- function(timed) {
  fits <- ufrn_timed_fits(timed)
  number <- function(x, digits = 0L) ifelse(is.na(x), "--", latex_number(x, digits))
  none <- fits$name == "published"
  cells <- cbind(latex_text(fits$name), number(fits$free), number(fits$cycles, 2L),
                 number(fits$yield_us), ifelse(none, "--", number(fits$constant_us)),
                 ifelse(none, "--", number(fits$near)),
                 ifelse(none, "--", number(fits$largest_pct)), number(fits$step_126),
                 number(fits$step_1400), number(fits$step_mqtt))
  latex_table(cells, "@{}lrrrrrrrrr@{}",
              c("", "free", "cycles", "yield", "more", "near", "error", "126", "1400", "MQTT"),
              nrow(fits))
}

#' The hypotheses for the paper: fitted constants, medians that they give, steps in microseconds.
ufrn_hypotheses_table <- function(timed) {
  fits <- ufrn_timed_fits(timed)
  number <- function(x) ifelse(is.na(x), "--", latex_number(x))
  said <- fits$name == "published"
  cells <- cbind(latex_text(fits$name), number(fits$free),
                 ifelse(said, "--", number(fits$near)),
                 ifelse(said, "--", number(fits$largest_pct)),
                 number(fits$step_126), number(fits$step_1400))
  heading <- function(...) sprintf("\\shortstack[r]{%s}", paste(..., sep = "\\\\"))
  latex_table(cells, "@{}lrrrrr@{}",
              c("", heading("con-", "stants"), heading("within", "10\\,\\%"),
                heading("largest", "error, \\%"), heading("step at", "126 B, \\textmu s"),
                heading("step at", "1400 B, \\textmu s")), nrow(fits))
}

#' The 28 medians as a LaTeX table, ms.
ufrn_timed_table <- function(timed) {
  x <- ufrn_timed_shown(timed)
  columns <- c("published", names(ufrn_timed_hypotheses))
  cells <- cbind(ifelse(duplicated(x$location), "", x$location), latex_number(x$payload),
                 do.call(cbind, lapply(columns, function(c) latex_number(x[[c]] / 1000, 3L))))
  latex_table(cells, "@{}lrrrrrr@{}", c("", "bytes", "published", "A", "B", "B and more", "C"),
              which(!duplicated(x$location))[-1L])
}

#' Numbers for the text: what was kept, and how the hypotheses fit.
ufrn_timed_numbers <- function(timed) {
  macro <- function(..., text) latex_macro(macro_name("Ufrn", "Timed", ...), text)
  fits <- ufrn_timed_fits(timed)
  whole <- fits[name == "B and a constant"]
  best <- fits[name == "C: pass before to callback"]
  said <- fits[name == "published"]
  read <- timed[protocol == "mqtt" & role == "echo"]
  a_byte <- stats::cov(read$loop, read$payload) / stats::var(read$payload)
  c(macro("Medians", text = nrow(timed)),
    macro("LeastRoundTrip", text = latex_number(min(timed$publish_rtt) / 1000, 2L)),
    macro("LoopNear", text = fits[name == "B: top of loop() to callback", near]),
    macro("ConstantNear", text = whole$near),
    macro("Near", text = best$near), macro("Error", text = latex_number(best$largest_pct)),
    macro("Cycles", text = latex_number(best$cycles, 2L)),
    macro("Yield", text = latex_number(best$yield_us)),
    macro("More", text = latex_number(best$constant_us)),
    macro("StepHeader", text = latex_number(best$step_126)),
    macro("StepHeaderPublished", text = latex_number(said$step_126)),
    macro("StepSecond", text = latex_number(best$step_1400)),
    macro("StepSecondPublished", text = latex_number(said$step_1400)),
    macro("Instructions", text = latex_number(a_byte * 80 / 2)),
    macro("Exchanges", text = latex_number(min(timed$n))))
}
