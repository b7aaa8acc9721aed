# The properties of each protocol: the table that the whole project reads, workflow/protocols.yaml.

known <- new.env()

#' The table of protocols.
#'
#' @return list by protocol, in the table's order; its keys are explained in its file.
protocol_table <- function() {
  if (is.null(known$protocols)) {
    known$protocols <- yaml::read_yaml(file.path(getOption("thinwire.workflow"), "protocols.yaml"))
  }
  known$protocols
}

#' One key of every protocol.
#'
#' @param key a key of the table with one value a protocol, such as "label".
#' @return vector, named by protocol.
protocol_values <- function(key) {
  values <- lapply(protocol_table(), function(row) row[[key]])
  vapply(values, identity, values[[1L]])
}

#' The protocols whose `key` has one of these values.
#'
#' @param key of the table, see [protocol_values()]. @param ... values.
protocols_with <- function(key, ...) {
  values <- protocol_values(key)
  names(values)[values %in% c(...)]
}

#' Protocols whose workload consists of requests with responses.
request_protocols <- function() protocols_with("exchange", "request")

#' The modes of all protocols, in the table's order.
#'
#' @return data.table `name` ("mqtt-qos1", as trials call it), `protocol`, `label` ("MQTT QoS 1").
mode_table <- function() {
  rows <- lapply(names(protocol_table()), function(protocol) {
    modes <- protocol_table()[[protocol]]$modes
    data.table::data.table(name = paste0(protocol, "-", names(modes)), protocol = protocol,
                           label = vapply(modes, function(mode) mode$label, ""))
  })
  data.table::rbindlist(rows)
}
