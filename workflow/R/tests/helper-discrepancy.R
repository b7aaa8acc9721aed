# Discrepancies of the laboratory for tests.

#' A table as [discrepancy_table()] gives it, for the option `thinwire.discrepancy`; by default the
#' lab has no error.
#'
#' @param reach named numbers: the factor, or points, of a class; NA: none is known.
lab_error <- function(reach = c()) {
  ratio <- c("times below 5 ms", "times of 5 to 250 ms", "times above 250 ms", "rates",
             "throughput", "times inside the chip", "charge")
  points <- c("losses", "repetitions", "counts")
  known <- c(stats::setNames(rep(1, length(ratio)), ratio),
             stats::setNames(rep(0, length(points)), points))
  known[names(reach)] <- reach
  known <- known[!is.na(known)]
  data.table::data.table(class = names(known), n = 8L, reach = unname(known),
                         scale = ifelse(names(known) %in% points, "points", "ratio"))
}
