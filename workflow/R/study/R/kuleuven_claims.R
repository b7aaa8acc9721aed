# KU Leuven's Fig. 25 in the lab: each of its 105 cells is a claim about the study `kuleuven`.

#' The trials of a cell as it was designed.
#'
#' @param cell row of the table, as "MQTT QoS 0, 10 clients".
#' @return named list: factor = level.
kuleuven_design <- function(cell) {
  clients <- sub("^.*, ([0-9]+) clients?$", "\\1", cell)
  if (!startsWith(cell, "MQTT")) {
    return(list(protocol = tolower(sub(",.*$", "", cell)), clients = clients))
  }
  list(protocol = "mqtt", qos = sub("^MQTT QoS (.),.*$", "\\1", cell), clients = clients,
       broker_nagle = "1", broker_in_flight = "1", start_spread_ms = "0", modem_sleep = "1",
       quirks = "first_message_per_segment")
}

#' A claim per cell, by the definition of its column ([fig25_definition()]; MQTT's throughput as the
#' study read it off its graphs), see [cell_row()].
kuleuven_cell_claims <- function(folder, metrics, factors) {
  published <- read_published(folder, "kuleuven2019")
  cells <- published[location == "Fig. 25"]
  windows <- moving_windows(published)
  data.table::rbindlist(lapply(seq_len(nrow(cells)), function(i) {
    cell <- cells[i]
    rule <- list(study = "kuleuven",
                 metric = fig25_definition(cell$row, cell$column, windows[cell$row]))
    claim <- list(needs = kuleuven_needs(cell), id = gsub("[^a-z0-9]+", "-",
                            tolower(paste("kuleuven-lab", cell$row, cell$column))),
                  source = "kuleuven2019", section = "Fig. 25", rule = rule,
                  statement = sprintf("%s, run again: %s is %s %s.", cell$row,
                                      gsub("_", " ", cell$column), cell$value, cell$unit))
    runs <- select_runs(rule, kuleuven_design(cell$row), metrics, factors)
    cell_row(claim, as.numeric(cell$value), cell$unit, runs,
             equivalence_margin(rule$metric)$margin, factors,
             kuleuven_condition(runs, factors), kuleuven_assumption(cell))
  }))
}

#' What a cell depends on: the study's losses and repetitions are those of its radio and of a device
#' that crashed, those of MQTT's messages behind the first of a segment are not.
#'
#' @return names of [abilities()].
kuleuven_needs <- function(cell) {
  if (cell$column == "device_loss" && startsWith(cell$row, "MQTT")) return(character())
  switch(cell$column, network_loss = , retransmissions = "loss", device_loss = c("loss", "crash"),
         device_crashes = , device_offline = "crash", character())
}

#' How our runs of a cell differ from the study's: in the length of the session, which its queues,
#' counts and means depend on.
kuleuven_condition <- function(runs, factors) {
  first <- strsplit(paste(runs$trials, collapse = " "), " ", fixed = TRUE)[[1L]][1L]
  sent <- factors[study == "kuleuven" & trial == first & factor == "messages", value]
  if (length(sent) == 0L || sent == "100") return("")
  sprintf("%s messages a client, not 100", sent)
}

#' Assumption about a cell: no definition that was tried gives the throughput of CoAP and HTTP from
#' the study's own captures (docs/metrics.md).
kuleuven_assumption <- function(cell) {
  if (cell$column != "throughput_mean" || startsWith(cell$row, "MQTT")) return("")
  paste("what is averaged, which the study does not say, and which no definition tried on its",
        "captures gives: here the mean of the 10 ms that carry anything")
}
