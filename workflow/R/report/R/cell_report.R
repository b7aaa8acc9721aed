# The cell's validation for the paper: its numbers, beside a recording of hardware if there is one.

#' Numbers and a table of the cell's validation.
#'
#' @param saturation,sleep tables of `air-figures`, see [figure_cell_saturation()] and
#'   [figure_cell_sleep()].
#' @param recorded request-to-acknowledgement times of hardware, ms, or NULL.
#' @return LaTeX lines.
cell_numbers <- function(saturation, sleep, recorded = NULL) {
  on <- sleep[modem_sleep == 1, round_trip_ms]
  off <- sleep[modem_sleep == 0, round_trip_ms]
  quick <- function(x) latex_number(100 * mean(x < quick_answer_ms))
  lines <- c(
    latex_macro("twCellWorst", latex_number(100 * max(abs(saturation$ratio - 1)), 1L)),
    latex_macro("twCellPoints", nrow(saturation)),
    latex_macro("twCellStations", max(saturation$n)),
    latex_macro("twCellQuickLimit", quick_answer_ms),
    latex_macro("twCellSleepMean", latex_number(mean(on), 0L)),
    latex_macro("twCellSleepMedian", latex_number(median(on), 0L)),
    latex_macro("twCellSleepQuick", quick(on)),
    latex_macro("twCellAwakeMean", latex_number(mean(off), 1L)),
    latex_macro("twCellAwakeMedian", latex_number(median(off), 1L)),
    latex_macro("twCellRequests", length(on)))
  if (is.null(recorded)) return(lines)
  c(lines, latex_macro("twCellRecordedMean", latex_number(mean(recorded), 0L)),
    latex_macro("twCellRecordedMedian", latex_number(median(recorded), 0L)),
    latex_macro("twCellRecordedQuick", quick(recorded)),
    latex_macro("twCellDistanceSleep", latex_number(ks_distance(recorded, on), 2L)),
    latex_macro("twCellDistanceAwake", latex_number(ks_distance(recorded, off), 2L)))
}

#' A faster answer than this did not wait for a beacon, ms.
quick_answer_ms <- 25

#' Request-to-acknowledgement times of a recorded capture, ms.
#'
#' @param packets file of its packets table. @param device IP address.
recorded_times <- function(packets, device) {
  ctx <- measure_context(read_packets(packets), device, source = packets)
  ack_events(ctx)$value
}
