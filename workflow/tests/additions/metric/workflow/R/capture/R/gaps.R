# Gaps between the frames of the device.

#' Milliseconds from each frame of the device to its next one.
gap_events <- function(ctx) {
  own <- ctx$packets[src == ctx$device]
  events_of("device_gap", own[-1L], diff(own$time) * 1e3)
}
