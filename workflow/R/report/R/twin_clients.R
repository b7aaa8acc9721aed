# Which of several clients a device hears that reads only the first message of a segment: recorded
# and in the lab. Both know the sender of a message by its payload (workflow/R/study/R/senders.R).

#' The share of each client, by rank.
#'
#' @param recorded,samples,cells see [twin_samples()].
#' @return data.table `row`, `clients`, `source` ("recorded", "lab"), `rank` (1: the greatest
#'   share), `value` (%: of its messages those that come first in their segment; a mean over the
#'   runs). No rows for a cell that was not recorded, or not run.
twin_clients <- function(recorded, samples, cells) {
  name <- "client_first_of_segment_pct"
  empty <- data.table::data.table(row = character(), clients = integer(), source = character(),
                                  rank = integer(), value = numeric())
  if (is.null(recorded)) return(empty)
  lab <- samples[sample == name][cells, on = "trial", nomatch = NULL,
                                 .(trial, row, clients, value, source = "lab")]
  there <- recorded[sample == name, .(trial = "", row, clients, value, source = "recorded")]
  all <- rbind(there, lab)
  all[, rank := data.table::frank(-value, ties.method = "first"),
      by = .(trial, row, clients, source)]
  all[, both := data.table::uniqueN(source) == 2L, by = .(row, clients)]
  out <- all[both == TRUE, .(value = mean(value)), by = .(row, clients, source, rank)]
  rbind(empty, out[order(match(row, kuleuven_rows), clients, source != "recorded", rank)])
}

#' Least, median and greatest share, and the number of clients that never come first.
#'
#' @param x result of [twin_clients()].
twin_client_table <- function(x) {
  if (nrow(x) == 0L) return("no recorded capture was at hand")
  spread <- x[, .(least = min(value), median = median(value), greatest = max(value),
                  never = sum(value == 0)), by = .(row, clients, source)]
  pairs <- merge(spread[source == "recorded", !"source"], spread[source == "lab", !"source"],
                 by = c("row", "clients"), suffixes = c("", "_lab"), sort = FALSE)
  both <- function(name) {
    paste(kuleuven_digits(pairs[[name]], 1L), kuleuven_digits(pairs[[paste0(name, "_lab")]], 1L),
          sep = " / ")
  }
  cells <- cbind(latex_text(sprintf("%s, %d", pairs$row, pairs$clients)), both("least"),
                 both("median"), both("greatest"), both("never"))
  latex_table(cells, "@{}lcccc@{}", c("recorded / lab", "least, \\%", "median, \\%",
                                      "greatest, \\%", "clients that never come first"))
}

#' The shares by rank, a panel for each cell.
#'
#' @param x result of [twin_clients()].
twin_client_figure <- function(x) {
  x <- data.table::copy(x)
  x[, cell := sprintf("%s, %d clients", row, clients)]
  x[, `:=`(cell = factor(cell, unique(cell)), source = factor(source, c("recorded", "lab")))]
  plot <- ggplot2::ggplot(x, ggplot2::aes(rank, value, linetype = source, shape = source)) +
    ggplot2::geom_line(linewidth = 0.4, colour = ink) +
    ggplot2::geom_point(size = 1, colour = ink) +
    ggplot2::facet_wrap(~cell, nrow = 1L, scales = "free_x") +
    ggplot2::scale_shape_manual(values = c(recorded = 16, lab = 1), name = NULL) +
    ggplot2::scale_linetype_manual(values = c(recorded = "solid", lab = "22"), name = NULL) +
    ggplot2::scale_y_continuous(limits = c(0, 100)) +
    ggplot2::labs(x = "client, by its share", y = "first of its segment, %") + theme_thinwire()
  list(plot = plot, width = 17.6, height = 5)
}

#' Numbers for the text: of ten clients at QoS 0 those that never come first, recorded and in the
#' lab.
twin_client_numbers <- function(x) {
  mine <- x[row == "MQTT QoS 0" & clients == 10L]
  if (nrow(mine) == 0L) return(character())
  count <- function(which) latex_number(mine[source == which, sum(value == 0)])
  greatest <- function(which) latex_number(mine[source == which, max(value)])
  c(latex_macro("twTwinsNeverRecorded", count("recorded")),
    latex_macro("twTwinsNeverLab", count("lab")),
    latex_macro("twTwinsMostRecorded", greatest("recorded")),
    latex_macro("twTwinsMostLab", greatest("lab")))
}
