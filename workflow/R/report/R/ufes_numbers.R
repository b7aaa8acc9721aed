# Numbers of the study `ufes` for the text.

#' `\\twUfes<Variant><Interval><Others><Quantity>` of the messages of 30 bytes,
#' `\\twUfesSize<Variant><Payload><Others><Quantity>` of those each second; totals. Of the
#' conditions that differ in queue or signal alone there are none.
ufes_numbers <- function(s, runs, metrics) {
  ms <- "\\,ms"
  quantities <- list(PerSecond = list("per_s", 1L, ""), Counted = list("counted", 2L, ""),
                     Silent = list("silent_counted", 1L, "\\,\\%"),
                     Rtt = list("rtt", 1L, ms), Ack = list("ack_median", 1L, ms),
                     Packets = list("packets", 1L, ""), Again = list("again", 1L, "\\,\\%"),
                     Lost = list("lost", 1L, "\\,\\%"), Spurious = list("spurious", 0L, ""),
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
  usual <- runs[errors == 0 & (load == 0 | queue == ifelse(as_made, ufes_queue, "each"))]
  good <- runs[errors == 0 & as_made == TRUE]
  c(latex_macro("twUfesTrials", latex_number(nrow(runs))),
    latex_macro("twUfesMessages", latex_number(metrics[metric == "made", sum(value)])),
    latex_macro("twUfesLoad", latex_number(ufes_load)),
    latex_macro("twUfesQueue", ufes_queue),
    latex_macro("twUfesMostAttempts", latex_number(max(good$attempts, 0, na.rm = TRUE))),
    latex_macro("twUfesLongestSilence",
                latex_number(max(s[as_made == TRUE & errors == 0 & interval <= 1000 &
                                     protocol == "MQTT", silence], 0), 1L)),
    latex_macro("twUfesSpurious",
                latex_number(sum(good[!grepl("no Nagle", variant), spurious], na.rm = TRUE))),
    latex_macro("twUfesSpuriousNoNagle",
                latex_number(sum(good[grepl("no Nagle", variant), spurious], na.rm = TRUE))),
    macros(usual[payload == 30], "Ufes", "interval"),
    macros(usual[interval == 1000 & payload != 30], "Ufes Size", "payload"))
}

#' Names of macros, one for each row.
macro_name_each <- function(...) {
  unname(mapply(function(...) macro_name(...), ..., USE.NAMES = FALSE))
}

#' How near our distributions are, and the programs' own times.
#'
#' @param published result of [ufes_distributions()]. @param d of [ufes_distances()].
ufes_fit_numbers <- function(published, d) {
  of <- function(x) {
    if (nrow(x) == 0L) return(c(NA, NA, NA))
    c(range(x$distance), median(x$distance))
  }
  alone <- of(d[load == 0])
  beside <- of(d[load > 0])
  loops <- ufes_loop_times(published)
  loop <- function(kind_name, column) loops[kind == ufes_kinds[[kind_name]]][[column]]
  silent <- function(kind_name) {
    x <- published[kind == ufes_kinds[[kind_name]] & interval == 100]
    paste0(latex_number(100 * sum(x[value == 0, share]), 1L), "\\,\\%")
  }
  chosen <- function(wanted) {
    loads <- d[kind == ufes_kinds[["coap..beside others"]] & load > 0 & wanted(interval), load]
    if (length(loads) == 0L) return("--")
    paste(unique(latex_number(range(loads))), collapse = " to ")
  }
  c(latex_macro("twUfesTheirsSilentCoAP", silent("coap..beside others")),
    latex_macro("twUfesTheirsSilentMQTT", silent("mqtt.true.beside others")),
    latex_macro("twUfesTheirsSilentNoNagle", silent("mqtt.false.beside others")),
    latex_macro("twUfesLoadsCoAPFast", chosen(function(interval) interval <= 500)),
    latex_macro("twUfesLoadsCoAPSlow", chosen(function(interval) interval >= 600)),
    latex_macro("twUfesPublished",
                latex_number(nrow(unique(published[, .(kind, interval)])))),
    latex_macro("twUfesCompared", latex_number(nrow(d))),
    latex_macro("twUfesWithinTenth", latex_number(sum(d$distance <= 0.1))),
    latex_macro("twUfesAloneMedian", latex_number(alone[3L], 3L)),
    latex_macro("twUfesAloneGreatest", latex_number(alone[2L], 2L)),
    latex_macro("twUfesBesideMedian", latex_number(beside[3L], 3L)),
    latex_macro("twUfesBesideGreatest", latex_number(beside[2L], 2L)),
    latex_macro("twUfesLoadsLeast", latex_number(min(d[load > 0, load], Inf))),
    latex_macro("twUfesLoadsMost", latex_number(max(d[load > 0, load], -Inf))),
    latex_macro("twUfesLoopLeast", latex_number(loop("coap..alone", "least"), 1L)),
    latex_macro("twUfesLoopMedian", latex_number(loop("coap..alone", "median"), 1L)),
    latex_macro("twUfesLoopMost", latex_number(loop("coap..alone", "most"), 1L)),
    latex_macro("twUfesDeviceLoopMedian", latex_number(loop("mqtt.true.alone", "median"), 1L)))
}
