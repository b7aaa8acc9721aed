# The cells of KU Leuven's Fig. 25, in trials and in captures.

#' The cells of Fig. 25, in its order.
kuleuven_rows <- c("MQTT QoS 0", "MQTT QoS 1", "MQTT QoS 2", "CoAP", "HTTP")

#' The name of a cell of the table, as Fig. 25 has it: "MQTT QoS 1, 10 clients".
#'
#' @param row of [kuleuven_rows]. @param clients their number.
kuleuven_cell_name <- function(row, clients) {
  sprintf("%s, %d client%s", row, clients, ifelse(clients > 1L, "s", ""))
}

#' The kind of each trial: a cell of the table as designed, or that cell with one mechanism changed.
#'
#' @param factors table of the study.
#' @return data.table `trial`, `row` (of [kuleuven_rows]), `clients`, `cell` (as Fig. 25 names it),
#'   `variant` ("as designed", or what is changed).
kuleuven_cells <- function(factors) {
  wide <- wide_factors(factors)
  needed <- c("qos", "broker_nagle", "broker_in_flight", "quirks", "start_spread_ms",
              "modem_sleep")
  for (name in setdiff(needed, names(wide))) wide[, (name) := NA_character_]
  mqtt <- wide$protocol == "mqtt"
  wide[, row := ifelse(mqtt, paste("MQTT QoS", qos), protocol_values("label")[protocol])]
  wide[, clients := as.integer(clients)]
  wide[, cell := kuleuven_cell_name(row, clients)]
  wide[, variant := data.table::fcase(
    start_spread_ms != "0", "clients start spread over a second",
    modem_sleep != "1", "no modem sleep",
    mqtt & broker_nagle != "1", "no Nagle at the broker",
    mqtt & broker_in_flight != "1", "twenty messages in flight",
    mqtt & grepl("window", quirks), "window opens each 40 ms, too",
    mqtt & !grepl("first_message", quirks), "device reads the whole segment",
    default = "as designed")]
  wide[, .(trial, row, clients, cell, variant)]
}

#' Row and clients of a recorded capture, which its name holds ("mqtt_qos0_pub10").
#'
#' @param name names of captures. @return data.table `row` (of [kuleuven_rows]), `clients`.
kuleuven_capture_cells <- function(name) {
  qos <- sub("^mqtt_qos(.).*$", "\\1", name)
  row <- data.table::fcase(startsWith(name, "mqtt"), paste("MQTT QoS", qos),
                           startsWith(name, "coap"), "CoAP", default = "HTTP")
  clients <- as.integer(sub("^.*?([0-9]+)(clients?)?$", "\\1", name, perl = TRUE))
  data.table::data.table(row = row, clients = clients)
}

#' All cells: `row`, `clients`.
kuleuven_grid <- function() {
  data.table::CJ(row = factor(kuleuven_rows, kuleuven_rows), clients = c(1L, 10L, 100L))[
    , row := as.character(row)][]
}
