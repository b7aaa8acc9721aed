# AAMEC's tables: each of their 55 values is a claim about the study `aamec`.

#' The values with their place in our trials.
#'
#' @param published result of [read_published()].
#' @return data.table: `location`, `row`, `column`, `published`, `unit`; `metric`, `mode`,
#'   `session_messages`, `fields`, `link` of our trials; `base`: it is a multiple of the value with
#'   one field.
aamec_cells <- function(published) {
  cells <- published[kind == "table"]
  swapped <- cells$column %in% c("MQTT", "HTTP")
  of <- ifelse(swapped, cells$column, cells$row)
  what <- ifelse(swapped, cells$row, cells$column)
  number <- function(word) {
    found <- sub(paste0("^.*, ([0-9]+) ", word, "$"), "\\1", of)
    ifelse(grepl("^[0-9]+$", found), found, "1")
  }
  out <- cells[, .(location, row, column, published = as.numeric(value), unit,
            metric = unname(aamec_metrics[what]),
            mode = ifelse(startsWith(of, "MQTT"), "mqtt-qos1", "http-kept"),
            session_messages = number("messages"), fields = number("fields"),
            link = ifelse(grepl("WiFi", of, fixed = TRUE), "air", "netem"),
            base = what == "ratio")]
  # Locust's client of HTTP keeps its connection: what it times is a message, not a session
  out[mode == "http-kept" & metric == "session_ms", metric := "session_message_ms"]
  out[mode == "http-kept" & endsWith(metric, "_ms"), session_messages := "100"]
  out[]
}

#' Published quantity -> metric of ours.
aamec_metrics <- c(
  cycle_mean = "session_ms", message_mean = "session_message_ms", field_mean = "session_field_ms",
  establish_connection = "phase_connect_bytes", message = "phase_message_bytes",
  disconnect = "phase_disconnect_bytes", sum = "session_bytes", packet_size = "phase_message_bytes",
  ratio = "phase_message_bytes", outgoing = "session_out_bytes", incoming = "session_in_bytes",
  packets = "session_packets")

#' Properties that the study does not state, and those of them that decide a value.
aamec_assumption <- function(cell) {
  if (endsWith(cell$metric, "_ms")) {
    return("a round trip of 40 ms to the cloud, from the study's own 40366 ms for 1000 messages")
  }
  if (cell$mode == "http-kept" && cell$metric %in% c("phase_connect_bytes", "session_bytes")) {
    return("full handshakes of TLS: a resumed one has no certificates")
  }
  ""
}

#' How our trials differ from a cell's in what it depends on; empty if they do not.
aamec_condition <- function(cell) {
  if (cell$location == "section V, test 1") {
    return("the case study is another source's (flespi), with another cloud and other clients")
  }
  ""
}

#' What a cell depends on: a request's time is mostly that of the source's cloud.
aamec_needs <- function(cell) {
  if (cell$mode == "http-kept" && endsWith(cell$metric, "_ms")) "cloud-time" else character()
}

#' How each value counts, see [counted_names]: the multiple of one field is 1 in any protocol, and
#' the summary repeats values of the tables before it.
#'
#' @param cells result of [aamec_cells()].
aamec_counted <- function(cells) {
  again <- duplicated(cells[, .(metric, mode, session_messages, fields, link, base, published)])
  data.table::fifelse(cells$base & cells$fields == "1", "trivial",
                      data.table::fifelse(again, "repeated", "once"))
}

#' The usual trials: the version of TLS that the source's public code forces, and a full handshake.
aamec_usual <- list(tls = "1.2", tls_resume = "0", chain_bytes = "3000", token = "RS256",
                    answer_fields = "cloud", await_connack = "0")

#' The trials of a cell.
aamec_design <- function(cell) {
  wanted <- as.list(cell[, .(mode, session_messages, fields, link)])
  apart <- if (cell$mode == "mqtt-qos1") "answer_fields" else "await_connack"
  usual <- aamec_usual[setdiff(names(aamec_usual), apart)]
  by_phase <- startsWith(cell$metric, "phase_") && cell$mode == "mqtt-qos1"
  if (by_phase) usual$await_connack <- "1" # otherwise the CONNACK falls into the message phase
  c(wanted, usual)
}

#' Our runs of a cell, as multiples of those with one field where it is such a multiple.
#'
#' @param cell row of [aamec_cells()]. @param metrics,factors tables of the study.
#' @return see [select_runs()].
aamec_runs <- function(cell, metrics, factors) {
  rule <- list(study = "aamec", metric = cell$metric)
  wanted <- aamec_design(cell)
  runs <- select_runs(rule, wanted, metrics, factors)
  if (cell$base) {
    wanted$fields <- "1"
    runs[, value := value / mean(select_runs(rule, wanted, metrics, factors)$value)]
  }
  runs
}

#' A claim per value, see [cell_row()].
aamec_cell_claims <- function(folder, metrics, factors) {
  cells <- aamec_cells(read_published(folder, "aamec2019"))
  counted <- aamec_counted(cells)
  data.table::rbindlist(lapply(seq_len(nrow(cells)), function(i) {
    cell <- cells[i]
    rule <- list(study = "aamec", metric = cell$metric)
    suffix <- if (cell$location == "section V, summary") "summary" else ""
    claim <- list(id = gsub("[^a-z0-9]+", "-",
                            tolower(trimws(paste("aamec-lab", suffix, cell$row, cell$column)))),
                  source = "aamec2019", section = sub("section ", "", cell$location, fixed = TRUE),
                  rule = rule, needs = aamec_needs(cell), counted = counted[i],
                  statement = sprintf("%s: %s is %s%s.", cell$row, gsub("_", " ", cell$column),
                                      short(cell$published), paste0(" ", cell$unit)))
    runs <- aamec_runs(cell, metrics, factors)
    cell_row(claim, cell$published, cell$unit, runs, 1, factors, aamec_condition(cell),
             aamec_assumption(cell))
  }))
}
