# UFRN's Tables I to IV: each of the 84 cells is a claim about a round trip in a closed loop.

#' The tables: protocol, what the device does, and how its library reads. PubSubClient reads byte by
#' byte, arduinoWebSockets in pieces.
ufrn_tables <- function() {
  data.table::data.table(
    location = paste("Table", c("I", "II", "III", "IV")), figure = paste("Fig.", 5:8),
    protocol = c("websocket", "mqtt", "websocket", "mqtt"),
    role = c("echo", "echo", "publish", "publish"),
    quirks = c("", "byte_at_a_time_read", "", "byte_at_a_time_read"))
}

#' The cells with their place in our trials.
#'
#' @param published result of [read_published()].
#' @return data.table of the 84 cells: the columns of [ufrn_tables()], `row`, `payload` (bytes),
#'   `what` (mean, sd, median), `published` (ms).
ufrn_cells <- function(published) {
  cells <- published[location %in% ufrn_tables()$location & startsWith(column, "rtt_")]
  out <- ufrn_tables()[cells, on = "location"]
  out[, .(location, figure, protocol, role, quirks, row,
          payload = as.numeric(sub(".* ([0-9]+) bytes$", "\\1", row)),
          what = sub("rtt_", "", column, fixed = TRUE), published = as.numeric(value))]
}

#' A claim per cell, see [cell_row()].
ufrn_cell_claims <- function(folder, metrics, factors) {
  cells <- ufrn_cells(read_published(folder, "ufrn2018"))
  data.table::rbindlist(lapply(seq_len(nrow(cells)), function(i) {
    cell <- cells[i]
    rule <- list(study = "ufrn",
                 metric = sprintf("turn_rtt_at_%d_%s_ms", as.integer(cell$payload), cell$what))
    claim <- list(id = gsub("[^a-z0-9]+", "-", tolower(paste("ufrn", cell$location, cell$payload,
                                                                cell$what))),
                  source = "ufrn2018", section = cell$location, rule = rule, needs = "library",
                  statement = sprintf("%s: the %s is %s ms.", cell$row, stat_words[[cell$what]],
                                      cell$published))
    wanted <- as.list(cell[, .(protocol, role, quirks)])
    runs <- select_runs(rule, wanted[nzchar(wanted)], metrics, factors)
    cell_row(claim, cell$published, "ms", runs, margin = NULL, factors,
             assumption = reading_assumption(cell))
  }))
}

#' The cost of reading single bytes decides the times of longer messages that MQTT's device answers.
reading_assumption <- function(cell) {
  if (cell$location != "Table II" || cell$payload < 100) return("")
  "byte-wise reading costs our engine more a byte than the published growth"
}

stat_words <- c(mean = "mean", sd = "standard deviation", median = "median")
