# How long a device takes to come back after an interruption.

#' `back_after_outage_s`: from the end of an interruption (an outage of the link, a restart of the
#' server) to the first message after it that reached the server's application; where nothing logs
#' that, to the first that was acknowledged. The largest of all interruptions.
#'
#' @param bundle result of [read_bundle()]. @param messages result of [message_table()].
#' @return NULL where there was no interruption, or after one of which nothing arrived.
recovery_metrics <- function(bundle, messages) {
  ends <- interruption_ends(bundle)
  arrived <- arrivals(bundle, messages)
  if (length(ends) == 0L || is.null(arrived)) return(NULL)
  back <- vapply(ends, function(end) min(arrived[arrived >= end] - end, Inf), 0)
  if (any(is.infinite(back))) return(NULL)
  metric_row("back_after_outage_s", max(back), "s", length(ends))
}

#' When each interruption ended, s since 1970 on the server's clock.
interruption_ends <- function(bundle) {
  server <- bundle$server
  server[ev %in% c("started", "outage_over"), sort(as.numeric(t))]
}

#' When messages of a device that publishes reached the server's application, s since 1970; NULL
#' where the server's side is not the one that receives.
arrivals <- function(bundle, messages) {
  if (receives(bundle)) return(NULL)
  if (without_log(bundle)) return(sort(messages$time))
  sort(receipts(bundle)$time)
}
