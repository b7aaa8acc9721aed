# The summary of a measurement: the lines that a reader wants first.

#' The lines of a summary: metrics in the order of preference, and what they are in words. A line
#' takes the first of its metrics that the capture has data for.
summary_lines <- list(
  list("messages", "messages"),
  list("messages_repeated", "sent again by protocol or TCP"),
  list(c("delivered", "messages_reached"), "known to have arrived"),
  list("rtt_median_ms", "round trip at the device, median"),
  list("request_ack_median_ms", "to the acknowledgement, median"),
  list("response_median_ms", "to the response, median"),
  list("delivery_per_s_mean", "rate"),
  list(c("exchange_bytes_per_message", "bytes_per_message"), "bytes on the wire, per message"),
  list("packets_per_message", "packets per message"),
  list("retransmissions", "TCP retransmissions")
)

#' How many lines a summary has at most.
summary_length <- 8L

#' The summary of a result for reading.
#'
#' @param r as in [format_results()].
#' @return lines: where the capture was made, then at most [summary_length] metrics with three
#'   digits and their intervals.
format_summary <- function(r) {
  items <- r$header$items
  of <- function(name) items$value[match(name, items$item)]
  talk <- paste0(of("protocol"), if (nzchar(of("role"))) paste0(", role ", of("role")), ", ",
                 of("device"), " with ", of("server"), " port ", of("port"))
  rows <- with_intervals(r$metrics)
  found <- lapply(summary_lines, function(line) {
    at <- match(line[[1L]], rows$metric)
    at <- at[!is.na(at)][1L]
    if (is.na(at) || is.na(rows$value[at])) return(NULL)
    row <- rows[at]
    interval <- if (is.na(row$ci95_low)) "" else
      sprintf("[%s, %s]", format_brief(row$ci95_low), format_brief(row$ci95_high))
    c(line[[2L]], format_brief(row$value), row$unit, interval)
  })
  found <- head(Filter(Negate(is.null), found), summary_length)
  cells <- do.call(rbind, found)
  c(of("file"), paste0("  ", talk), paste0("  captured ", of("vantage")), "",
    format_findings(r$findings),
    align(c("", "value", "unit", "95 % interval"), cells, c(FALSE, TRUE, FALSE, FALSE)), "",
    sprintf("%d metrics with --all; thinwire analyze --explain METRIC defines one.",
            nrow(rows)))
}

#' A number with three significant digits; whole numbers from 100 on are whole.
format_brief <- function(x) {
  tidy_number(ifelse(abs(x) >= 100, round(x), signif(x, 3L)))
}
