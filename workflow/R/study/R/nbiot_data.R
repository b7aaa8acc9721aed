# Tables of the NB-IoT system simulation, and the quantities that its figures and claims share.

#' Stacks of the Ericsson study: name in the tables, name in the text.
nbiot_stacks <- c("coap-non" = "CoAP", "coap-con" = "CoAP confirm", mqtt = "MQTT")

#' Read the tables of a profile.
#'
#' @param folder holds study/, sensitivity/, beyond/ and perhaps extended/, each with runs.csv,
#'   results.csv and coverage.csv (`nbiot run`).
#' @return list of data.tables `runs`, `results` (the study, with its higher loads), `coverage`,
#'   `sensitivity`, `beyond`.
read_nbiot <- function(folder) {
  read <- function(part, name) {
    read_table(file.path(folder, part, name), c("variant", "stack", "payload_bytes", "load"))
  }
  parts <- c("study", if (dir.exists(file.path(folder, "extended"))) "extended")
  bind <- function(name) data.table::rbindlist(lapply(parts, read, name), use.names = TRUE)
  out <- list(runs = bind("runs.csv"), results = bind("results.csv"),
              coverage = bind("coverage.csv"),
              sensitivity = read("sensitivity", "results.csv"),
              beyond = read("beyond", "results.csv"))
  for (table in out) data.table::setkeyv(table, c("variant", "stack", "payload_bytes", "load"))
  if (nrow(out$runs) == 0L) {
    input_error(file.path(folder, "study", "runs.csv"), "has no rows", "run nbiot again")
  }
  out
}

#' The load at which a rising curve first crosses a level, by linear interpolation.
#'
#' @param load,value of one curve, in any order. @param level of the values.
#' @return NA where it never does.
crossing_load <- function(load, value, level) {
  order <- order(load)
  load <- load[order]
  value <- value[order]
  above <- which(value >= level)
  if (length(above) == 0L) return(NA_real_)
  i <- above[1L]
  if (i == 1L) return(as.numeric(load[1L]))
  share <- (level - value[i - 1L]) / (value[i] - value[i - 1L])
  load[i - 1L] + share * (load[i] - load[i - 1L])
}

#' The load of the highest cell throughput.
#'
#' @param load,throughput of one curve.
peak_load <- function(load, throughput) load[which.max(throughput)]

#' Share of the devices that a stack leaves unserved at which the study calls service poor.
nbiot_poor_pct <- 5

#' For every stack and size of a results table: the load at which 5 % are not served, the load of
#' the highest cell throughput, and the highest load that was run.
#'
#' @param results table of `nbiot run`.
nbiot_limits <- function(results) {
  results[, .(poor_load = crossing_load(load, not_served_pct, nbiot_poor_pct),
              peak_load = peak_load(load, cell_throughput_bps), most = max(load)),
          by = .(variant, stack, payload_bytes)]
}

#' A load as text: "3.2", or "> 8" if it lies beyond the loads that were run.
#'
#' @param load numbers. @param most highest load that was run. @param decimals of the text.
load_text <- function(load, most, decimals = 1L) {
  ifelse(is.na(load), paste0("> ", most), formatC(load, format = "f", digits = decimals))
}
