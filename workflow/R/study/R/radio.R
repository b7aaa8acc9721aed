# The board's radio, as the cell counts it.

#' Modulation of each 802.11 standard at its own rates.
standard_modulations <- c(b = "dsss", g = "ofdm", n = "ht")

#' How long the board's radio was awake, how long the cell ran, and the mean current of such a radio
#' by the least and by the greatest published currents.
#'
#' @param link the bundle's report of its cell.
radio_metrics <- function(link) {
  at <- match("board", link$stations$name)
  awake <- link$stations$awake_s[at]
  current <- function(currents) {
    mean_current_ma(link$duration_s, awake, link$stations$up$airtime_s[at],
                    standard_modulations[[link$stations$standard[at]]], currents)
  }
  rbind(metric_row("radio_awake_s", awake, "s", 1), metric_row("cell_s", link$duration_s, "s", 1),
        metric_row(c("radio_current_least_ma", "radio_current_greatest_ma"),
                   c(current(esp8266_currents_ma), current(esp8266_greatest_ma)), "mA", 1))
}
