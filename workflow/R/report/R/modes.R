# The factors of a trial in words, for figures and tables: its protocol, its mode, its condition.

protocol_uses_tcp <- function(protocol) protocol %in% protocols_with("transport", "tcp")

#' Protocols by their labels, in the order of every figure and table.
#'
#' @param protocol names as trials have them ("mqtt").
#' @return ordered factor of labels ("MQTT").
label_protocols <- function(protocol) {
  labels <- protocol_values("label")
  factor(unname(labels[as.character(protocol)]), labels)
}

#' Give the modes of a table of [wide_factors()] their labels, in the order of figures and tables.
#'
#' @param wide table with `protocol` and perhaps `mode` ("mqtt-qos1"), which a client of other
#'   authors has not: its mode is its protocol ("MQTT"). Changed in place.
#' @return the table.
add_modes <- function(wide) {
  modes <- mode_table()
  if (!"mode" %in% names(wide)) wide[, mode := NA_character_]
  protocol <- if ("protocol" %in% names(wide)) wide$protocol else rep(NA_character_, nrow(wide))
  of_protocol <- label_protocols(protocol)
  labels <- data.table::fcoalesce(modes$label[match(wide$mode, modes$name)],
                                  as.character(of_protocol))
  order <- unique(c(modes$label, levels(of_protocol)))
  wide[, mode := droplevels(factor(labels, order))]
  wide[]
}

#' Protocol of each mode, see [label_protocols()].
#'
#' @param mode labels of modes.
protocol_of_mode <- function(mode) {
  modes <- mode_table()
  label_protocols(modes$protocol[match(mode, modes$label)])
}

#' Factors that do not distinguish conditions: the trial's name, repetition and outcome, and the
#' parameters of its mode.
not_shown <- c("study", "trial", "repetition", "outcome", "mode", "protocol")

#' The factors by which trials of one mode differ, which a figure or a table has to show.
#'
#' A factor that follows from the mode and the others that vary is left out. Intervals come first,
#' Nagle's algorithm last.
#'
#' @param wide table with modes, see [add_modes()].
#' @return names of columns.
varying_factors <- function(wide) {
  names <- sort(setdiff(names(wide), not_shown), method = "radix")
  names <- c(intersect("interval_ms", names), setdiff(names, c("interval_ms", "nagle")),
             intersect("nagle", names))
  shown <- character()
  for (name in names) {
    levels <- wide[, .(levels = data.table::uniqueN(.SD)), by = c("mode", shown), .SDcols = name]
    if (any(levels$levels > 1L)) shown <- c(shown, name)
  }
  shown
}

#' Levels of a factor in words, ordered by their numbers where they are numbers: "every 100 ms",
#' "536 bytes", "loss 1 %".
#'
#' @param name of the factor. @param level text. @param protocol of the same trials.
#' @return ordered factor.
level_labels <- function(name, level, protocol) {
  if (name == "nagle") {
    text <- ifelse(!protocol_uses_tcp(protocol) | is.na(level), "UDP",
                   ifelse(level %in% c("1", "TRUE"), "TCP, Nagle on", "TCP, Nagle off"))
    return(factor(text, c("TCP, Nagle off", "TCP, Nagle on", "UDP")))
  }
  units <- c(ms = "ms", s = "s", bytes = "bytes", mbps = "Mb/s", pct = "%", db = "dB", tu = "TU")
  ending <- sub("^.*_", "", name)
  unit <- if (ending %in% names(units)) paste0(" ", units[[ending]]) else ""
  what <- gsub("_", " ", if (nzchar(unit)) sub("_[a-z]+$", "", name) else name)
  before <- switch(name, interval_ms = "every ", payload_bytes = "", paste0(what, " "))
  number <- suppressWarnings(as.numeric(level))
  known <- unique(level[order(number, level, method = "radix")])
  text <- function(x) ifelse(is.na(x), paste0("no ", what), paste0(before, x, unit))
  factor(text(level), unique(text(known)))
}

#' The trials of a study with the columns that a figure or table shows.
#'
#' @param factors long table of one study.
#' @return data.table `study`, `trial`, `protocol` (see [label_protocols()]), `mode`, `nagle_label`,
#'   `interval` (ms), and for each of [varying_factors()] a column of [level_labels()] of the same
#'   name. Its attribute `shown` holds these names.
trial_conditions <- function(factors) {
  wide <- add_modes(wide_factors(factors))
  for (name in setdiff(c("nagle", "interval_ms"), names(wide))) wide[, (name) := NA_character_]
  shown <- varying_factors(wide)
  out <- wide[, .(study, trial, protocol = label_protocols(protocol), mode,
                  nagle_label = level_labels("nagle", nagle, protocol),
                  interval = as.numeric(interval_ms))]
  for (name in shown) {
    data.table::set(out, j = name, value = level_labels(name, wide[[name]], wide$protocol))
  }
  data.table::setattr(out, "shown", shown)
  out[]
}

#' Stop if trials that a report treats as equal differ in a factor.
#'
#' @param wide one row per trial with its factors. @param by columns that the report shows.
#' @param report its name.
check_shown <- function(wide, by, report) {
  for (name in setdiff(names(wide), c(not_shown, by))) {
    levels <- wide[, .(levels = data.table::uniqueN(.SD)), by = by, .SDcols = name]
    if (any(levels$levels > 1L)) {
      input_error(paste("study", wide$study[1L]), key = name,
                  paste0("varies, and the report '", report, "' does not show it"),
                  "make it a constant, or name a report of its own in the study's file")
    }
  }
  invisible(wide)
}
