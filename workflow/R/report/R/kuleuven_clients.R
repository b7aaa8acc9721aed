# The share of each of several clients in KU Leuven's cells as designed.

kuleuven_spreads <- c("least", "median", "greatest")

#' The smallest, median and largest value over the clients of a run, averaged over the runs.
#'
#' @param metrics table of the study. @param cells result of [kuleuven_cells()].
#' @return data.table `row`, `clients`, `runs`, columns `share_least` ... (%: of the messages or
#'   requests of a client, those that the device took) and `rtt_least` ... (ms: the median of a
#'   client's round trips; NA where it waits for no answer). No rows without such a cell.
kuleuven_client_spreads <- function(metrics, cells) {
  mine <- metrics[cells[variant == "as designed" & clients > 1L], on = "trial", nomatch = NULL]
  out <- mine[, .(runs = data.table::uniqueN(trial)), by = .(row, clients)]
  for (which in kuleuven_spreads) {
    mean_of <- function(name) {
      mine[metric == sprintf(name, which), .(value = mean(value)), by = .(row, clients)][
        out, value, on = c("row", "clients")]
    }
    share <- mean_of("client_delivered_of_made_%s_pct")
    rtt <- mean_of("client_rtt_median_%s_ms")
    out[, paste0(c("share_", "rtt_"), which) := list(share, rtt)]
  }
  out[order(match(row, kuleuven_rows), clients)]
}

#' Table of [kuleuven_client_spreads()].
kuleuven_client_table <- function(x) {
  spread <- function(what) {
    columns <- paste0(what, "_", kuleuven_spreads)
    lapply(columns, function(column) kuleuven_digits(x[[column]], 1L))
  }
  cells <- do.call(cbind, c(list(latex_text(sprintf("%s, %d clients", x$row, x$clients)), x$runs),
                            spread("share"), spread("rtt")))
  latex_table(cells, "@{}lrrrrrrr@{}",
              c("", "runs", "taken, \\%: least", "median", "greatest", "round trip, ms: least",
                "median", "greatest"), setdiff(which(!duplicated(x$row)), 1L))
}

#' Numbers for the text: `\twKuleuvenShare<Least|Median|Greatest>` of ten clients at QoS 0.
kuleuven_client_numbers <- function(x) {
  mine <- x[row == "MQTT QoS 0" & clients == 10L & !is.na(share_least)]
  if (nrow(mine) == 0L) return(character())
  shares <- unlist(mine[, paste0("share_", kuleuven_spreads), with = FALSE])
  latex_macro(vapply(paste("Kuleuven share", kuleuven_spreads), macro_name, ""),
              paste0(kuleuven_digits(shares, 1L), "\\,\\%"))
}
