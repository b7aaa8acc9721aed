# Traffic between a device and its peers over time: the tables behind KU Leuven's graphs of traffic
# (its Figs 26, 61 and similar ones), for recorded captures and for trials.

#' The packets of a device, in the order of the capture.
#'
#' @param packets packets table. @param device IP address.
#' @return data.table `time_s` (since the first of them), `way` ("to" or "from" the device), `bytes`
#'   (of the frame, as captured).
timeline <- function(packets, device) {
  own <- packets[transport %in% c("tcp", "udp") & (src == device | dst == device)]
  own[, .(time_s = round(time - time[1L], 6L), way = ifelse(dst == device, "to", "from"),
          bytes = len)]
}

#' The time line of a trial; no rows if it failed.
#'
#' @param bundle result of [read_bundle()].
bundle_timeline <- function(bundle) {
  packets <- bundle_packets(bundle)
  timeline(if (went_well(bundle)) packets else packets[0L], bundle$device)
}
