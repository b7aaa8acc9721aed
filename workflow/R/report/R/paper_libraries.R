# Libraries of other authors beside our engines, for the paper: from the results that are kept in
# data/measured, and from the league's last results.

#' The conditions of the paper's table: study, then the factors that choose its trials.
library_conditions <- data.table::fread(sep = ";", strip.white = TRUE, colClasses = "character",
                                        na.strings = NULL, text = "
study ; title ; factors
ufes-libraries ; UFES, CoAP, 30 bytes each 10 ms ; mode=coap-con payload_bytes=30 interval_ms=10
ufes-libraries ; UFES, MQTT, 30 bytes each 10 ms ; mode=mqtt-qos0 payload_bytes=30 interval_ms=10
ufes-libraries ; UFES, MQTT, 1000 bytes each second ; mode=mqtt-qos0 payload_bytes=1000
kuleuven-library ; KU Leuven, MQTT QoS 0 ; qos=0 broker_in_flight=1
kuleuven-library ; KU Leuven, MQTT QoS 1 ; qos=1 broker_in_flight=1
kuleuven-library ; KU Leuven, MQTT QoS 2 ; qos=2 broker_in_flight=1
")

#' Names of the libraries in the paper.
library_names <- c("espcoap-2018" = "ESP-CoAP", "arduinomqtt-1.5.1" = "ArduinoMqtt 1.5.1",
                   "rtos-mqtt-3.2" = "esp-mqtt (SDK 3.2)")

#' Metrics of the table: heading, decimals and divisor.
library_metrics <- data.table::fread(text = "
metric                    heading               decimals  divisor
delivered_of_made_pct     delivered,~\\%        0         1
packets_per_message       packets               2         1
bytes_per_message         bytes                 0         1
memory_free_min_bytes     memory,~kB            1         1000
")

#' Table of the kept trials: for each condition the library's row and our engine's.
#'
#' @param folder data/measured.
libraries_table <- function(folder) {
  rows <- data.table::rbindlist(lapply(seq_len(nrow(library_conditions)), function(i) {
    library_rows(folder, library_conditions[i])
  }))
  values <- as.matrix(rows[, library_metrics$metric, with = FALSE])
  first <- !duplicated(rows$title)
  latex_table(cbind(ifelse(first, latex_text(rows$title), ""), latex_text(rows$who), rows$n,
                    values),
              paste0("@{}llr", strrep("r", nrow(library_metrics)), "@{}"),
              c("condition", "implementation", "$n$",
                gsub("~", " ", library_metrics$heading, fixed = TRUE)), which(first)[-1L])
}

#' Means of the trials of one condition with their intervals ([latex_mean()]), by library; the
#' engine last.
library_rows <- function(folder, condition) {
  metrics <- read_table(file.path(folder, condition$study, "metrics.csv"),
                        c("trial", "metric", "value"))
  factors <- read_table(file.path(folder, condition$study, "factors.csv"),
                        c("trial", "factor", "value"))
  wide <- data.table::dcast(factors, trial ~ factor, value.var = "value")
  for (pair in strsplit(strsplit(condition$factors, " ")[[1L]], "=")) {
    wide <- wide[wide[[pair[1L]]] %in% pair[2L]]
  }
  if (!"library" %in% names(wide)) wide[, library := ""]
  wide[is.na(library), library := ""]
  out <- wide[, .(n = .N), by = library]
  for (name in library_metrics$metric) {
    k <- library_metrics[metric == name]
    means <- metrics[metric == name][wide, on = "trial", nomatch = NULL][
      , .(mean = latex_mean(as.numeric(value) / k$divisor, k$decimals)), by = library]
    out[, (name) := means$mean[match(library, means$library)]]
    out[is.na(out[[name]]), (name) := "--"]
  }
  out[, `:=`(title = condition$title,
             who = ifelse(nzchar(library), unname(library_names[library]), "our engine"))]
  out[order(library == "")]
}

#' Numbers of the league's last results (docs/measured/league.csv): clients, servers and trials; and
#' of the clients before the usual server that is away for a while: how many deliver every message,
#' what the worst delivers, and when after its return the first arrives.
#'
#' @param file the league's table.
league_kept_numbers <- function(file) {
  x <- read_table(file, c("protocol", "client", "server", "case", "delivered",
                          "back_after_outage_s"))
  usual <- c(MQTT = "mosquitto", CoAP = "aiocoap")
  away <- x[case == "server-away" & server == usual[protocol]]
  made <- max(x[case == "undisturbed", delivered])
  back <- as.numeric(away$back_after_outage_s)
  macro <- function(name, value) latex_macro(paste0("twLeagueKept", name), value)
  c(macro("Clients", data.table::uniqueN(x$client)),
    macro("Servers", data.table::uniqueN(x$server)),
    macro("Trials", nrow(x)), macro("Messages", made),
    macro("Undisturbed", x[case == "undisturbed", sum(delivered == made)]),
    macro("UndisturbedTrials", x[case == "undisturbed", .N]),
    macro("AwayClients", nrow(away)), macro("AwayAll", sum(away$delivered == made)),
    macro("AwayLeast", min(away$delivered)),
    macro("BackLeast", latex_number(min(back, na.rm = TRUE), 2L)),
    macro("BackMost", latex_number(max(back, na.rm = TRUE), 1L)))
}
