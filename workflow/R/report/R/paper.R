# The paper's numbers and tables, from the claims and the metrics.

#' Write numbers.tex and the tables.
#'
#' @param numbers file. @param folder of the tables. @param claims the claims table.
#' @param published data/published. @param results result of [read_results()].
write_report <- function(numbers, folder, claims, published, results) {
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  lines <- c(tool_numbers(), published_numbers(published), claim_numbers(claims),
             floor_numbers(published), fidelity_numbers(),
             league_kept_numbers(file.path(published, "..", "..", "docs", "measured",
                                           "league.csv")))
  statements <- claims[!section %in% c("Fig. 25", "Fig. 44")]
  write_latex(claims_table(statements), file.path(folder, "claims.tex"))
  write_latex(floors_table(published), file.path(folder, "floors.tex"))
  write_latex(summary_table(claims), file.path(folder, "summary.tex"))
  write_latex(reasons_table(claims), file.path(folder, "reasons.tex"))
  write_latex(fidelity_table(), file.path(folder, "fidelity.tex"))
  write_latex(fidelity_classes(), file.path(folder, "discrepancy.tex"))
  write_latex(libraries_table(file.path(published, "..", "measured")),
              file.path(folder, "libraries.tex"))
  recordings <- read_recordings(file.path(published, "..", "recordings.yaml"))
  lines <- c(lines, trial_numbers(results$outcomes),
             capture_numbers(recordings, results$metrics[study == "recordings", unique(trial)]))
  if (any(results$metrics$study == "recordings")) {
    lines <- c(lines, write_recordings(folder, results$metrics[study == "recordings"], published,
                                       recordings))
  }
  write_latex(lines, numbers)
}

#' Versions of the tools on which the numbers depend.
tool_numbers <- function() {
  c(latex_macro("twTsharkVersion", tshark_version()),
    latex_macro("twRVersion", paste(R.version$major, R.version$minor, sep = ".")))
}

#' The number of values of each source in data/published, of each kind, and the values that the text
#' quotes.
published_numbers <- function(folder) {
  sources <- names(published_sources)
  values <- lapply(sources, function(s) read_published(folder, s))
  counts <- vapply(values, nrow, 0L)
  kinds <- table(factor(unlist(lapply(values, `[[`, "kind")), names(published_kinds)))
  total <- c(latex_macro("twPublishedValues", latex_number(sum(counts))),
             latex_macro(vapply(paste("Published", names(kinds)), macro_name, "",
                                USE.NAMES = FALSE), latex_number(as.integer(kinds))))
  quoted <- quoted_numbers(folder)
  c(latex_macro(vapply(paste("Published", gsub("[0-9]", "", sources)), macro_name, "",
                       USE.NAMES = FALSE),
                latex_number(counts)), total, quoted)
}

#' Published values that the text quotes: macro, source, location, row, column.
quoted_numbers <- function(folder) {
  list <- c(
    "twKuLossZeroTen | kuleuven2019 | Fig. 25 | MQTT QoS 0, 10 clients | device_loss",
    "twKuLossZeroHundred | kuleuven2019 | Fig. 25 | MQTT QoS 0, 100 clients | device_loss",
    "twKuRttQosTwo | kuleuven2019 | Fig. 25 | MQTT QoS 2, 10 clients | roundtrip_mean",
    "twKuRttCoapHundred | kuleuven2019 | Fig. 25 | CoAP, 100 clients | roundtrip_mean",
    "twUfrnMqttActiveFive | ufrn2018 | Table IV | MQTT, device active, 5 bytes | rtt_mean",
    "twUfrnMqttActiveMax | ufrn2018 | Table IV | MQTT, device active, 1440 bytes | rtt_mean",
    "twUfrnWsActiveFive | ufrn2018 | Table III | WebSocket, device active, 5 bytes | rtt_mean",
    "twUfrnMqttPassiveMax | ufrn2018 | Table II | MQTT, device passive, 200 bytes | rtt_mean",
    "twAamecMessage | aamec2019 | section V, summary | message | MQTT",
    "twKuLossTwoTen | kuleuven2019 | Fig. 25 | MQTT QoS 2, 10 clients | device_loss",
    "twKuSpanZero | kuleuven2019 | Fig. 17 | MQTT QoS 0, 100 clients | duration",
    "twKuSpanOne | kuleuven2019 | Fig. 17 | MQTT QoS 1, 100 clients | duration",
    "twKuSpanTwo | kuleuven2019 | Fig. 17 | MQTT QoS 2, 100 clients | duration",
    "twUfesBelow | ufes2018 | section 6.1 | MQTT better than CoAP | interval_below",
    "twAamecConnectMqtt | aamec2019 | section V, packet sizes | establish_connection | MQTT",
    "twAamecConnectHttp | aamec2019 | section V, packet sizes | establish_connection | HTTP",
    paste("twAamecHttpOneField | aamec2019 | section V, payload size over the wire",
          "| HTTP, 1 fields | packet_size"),
    "twEricssonMqttTwo | ericsson2018 | section 3.2 | MQTT, load 2 | availability",
    "twAamecHttpMessage | aamec2019 | section V, summary | message | HTTP",
    "twEricssonLimit | ericsson2018 | section 3.2 | service | delay_limit")
  quoted <- split_rows(list, c("macro", "source", "location", "row", "column"))
  vapply(seq_len(nrow(quoted)), function(i) {
    k <- quoted[i]
    v <- read_published(folder, k$source)[k, on = c("location", "row", "column"), value]
    if (length(v) != 1L || is.na(v)) {
      input_error(file.path(folder, paste0(k$source, ".csv")),
                  paste0("no single number for ", k$row, ", ", k$column), "restore the file")
    }
    latex_macro(k$macro, v)
  }, "")
}

#' Floors of the round trips that UFRN published.
ufrn_floors <- function(folder) {
  published <- read_published(folder, "ufrn2018")
  sides <- list(c("Table I", 46), c("Table III", 46), c("Table II", 45), c("Table IV", 45))
  data.table::rbindlist(lapply(sides, function(s) {
    floor_table(published[location == s[1L]], as.numeric(s[2L]))
  }))
}

floor_numbers <- function(folder) {
  f <- ufrn_floors(folder)
  worst <- f[which.max(floor - value)]
  c(latex_macro("twFloorsBelow", sum(f$below)), latex_macro("twFloorsAll", nrow(f)),
    latex_macro("twFloorLeast", latex_number(min(f$floor), 3L)),
    latex_macro("twFloorWorst", latex_number(worst$floor, 3L)),
    latex_macro("twFloorWorstPublished", latex_number(worst$value, 3L)))
}

#' Table of the published means below their floors.
floors_table <- function(folder) {
  f <- ufrn_floors(folder)[grepl("active", row)]
  f[, protocol := sub(",.*", "", row)]
  f[, payload := as.numeric(sub("^.* ([0-9]+) bytes$", "\\1", row))]
  wide <- data.table::dcast(f, payload ~ protocol, value.var = c("value", "floor", "below"))
  mark <- function(v, below) {
    ifelse(below, paste0("\\textbf{", latex_number(v, 3L), "}"), latex_number(v, 3L))
  }
  cells <- cbind(latex_number(wide$payload), mark(wide$value_WebSocket, wide$below_WebSocket),
                 latex_number(wide$floor_WebSocket, 3L), mark(wide$value_MQTT, wide$below_MQTT),
                 latex_number(wide$floor_MQTT, 3L))
  latex_table(cells, "rrrrr", c("payload", "WebSocket", "floor", "MQTT", "floor"))
}
