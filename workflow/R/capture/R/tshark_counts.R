# The same quantities counted by tshark's own statistics and by the analysis.

#' The quantities that both count: name, statistic of `tshark -z io,stat` and its frames, where `@`
#' stands for those to or from the device.
shared_counts <- list(
  c("captured frames", "COUNT", "frame.number", ""),
  c("captured bytes", "SUM", "frame.len", ""),
  c("TCP retransmissions", "COUNT", "tcp.analysis.retransmission", "&&@"),
  c("MQTT packets", "COUNT", "mqtt.msgtype", "&&@"),
  c("MQTT PUBLISH", "COUNT", "mqtt.topic_len", "&&mqtt.msgtype==3&&@"),
  c("CoAP requests", "COUNT", "coap.code", "&&coap.code>0&&coap.code<32&&@"),
  c("CoAP responses", "COUNT", "coap.code", "&&coap.code>=64&&@"),
  c("HTTP requests", "COUNT", "http.request.method", "&&@"),
  c("HTTP responses", "COUNT", "http.response.code", "&&@")
)

#' tshark's statistics of a capture.
#'
#' @return named numbers, see [shared_counts].
tshark_counts <- function(capture, device) {
  columns <- vapply(shared_counts, function(x) {
    paste0(x[2L], "(", x[3L], ")", x[3L], sub("@", paste0("ip.addr==", device), x[4L]))
  }, "")
  words <- c("-n", "-r", capture, "-q", "-z", paste0("io,stat,0,", paste(columns, collapse = ",")))
  lines <- run_program("tshark", words, stdout = TRUE, stderr = FALSE)
  row <- grep("<>", lines, fixed = TRUE, value = TRUE)
  cells <- as.numeric(strsplit(row, "|", fixed = TRUE)[[1L]][-(1:2)])
  stats::setNames(head(cells, length(columns)), vapply(shared_counts, `[`, "", 1L))
}

#' The same by the analysis: from its packets and messages tables.
analysis_counts <- function(capture, device) {
  p <- dissect(capture)
  mine <- p[src == device | dst == device]
  m <- messages(mine)
  counts <- c(nrow(p), sum(p$len), sum(mine$retransmit), m[protocol == "mqtt", .N],
              m[type == "PUBLISH", .N], m[protocol == "coap" & kind == "request", .N],
              m[protocol == "coap" & kind == "response", .N],
              m[protocol == "http" & kind == "request", .N],
              m[protocol == "http" & kind == "response", .N])
  stats::setNames(as.numeric(counts), vapply(shared_counts, `[`, "", 1L))
}

#' Both counts of what a capture holds.
#'
#' @param capture file. @param device address.
#' @return data.table `capture`, `quantity`, `tshark`, `thinwire`.
compare_counts <- function(capture, device) {
  theirs <- tshark_counts(capture, device)
  ours <- analysis_counts(capture, device)
  out <- data.table::data.table(capture = basename(capture), quantity = names(theirs),
                                tshark = unname(theirs), thinwire = unname(ours))
  out[tshark > 0 | thinwire > 0 | quantity == "TCP retransmissions"]
}
