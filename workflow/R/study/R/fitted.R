# What the study `twins` takes from KU Leuven's captures, and which conditions it therefore cannot
# predict.

#' The fitted factors, with the source of each value.
#'
#' `protocol` ("all" for all protocols), `factor`; `captures`: names of those that the number is
#' computed from, in `data/recordings.yaml`, separated by blanks; `answers`: is it computed from
#' times between a message and its answer, which the study compares? `source`: for the paper.
twin_fits <- data.table::rbindlist(lapply(list(
  list("mqtt", "payload_bytes", "mqtt_qos0_pub1", FALSE, "mqtt\\_qos0\\_pub1: bytes of a PUBLISH"),
  list("mqtt", "processing_times", "mqtt_qos2_pub1", TRUE,
       "mqtt\\_qos2\\_pub1: PUBREC to PUBCOMP, the distribution"),
  list("all", "sleep_fetch_ms", "mqtt_qos1_pub1 mqtt_qos2_pub1", TRUE,
       paste("for all protocols; mqtt\\_qos1\\_pub1, mqtt\\_qos2\\_pub1: least delay of an answer",
             "of a radio that slept, less the median of one that did not, less what the message",
             "came before the latest that makes a beacon, on average")),
  list("all", "sleep_idle_ms", "mqtt_qos1_pub1", TRUE,
       paste("for all protocols; mqtt\\_qos1\\_pub1: longest since the device's last frame that a",
             "message was answered at once")),
  list("all", "sleep_wake_pct", "coap_1clients", TRUE,
       paste("for all protocols; coap\\_1clients: requests just after a beacon that were answered",
             "at once")),
  list("all", "arrival_delay", "http_1client", TRUE,
       "for all protocols; http\\_1client: from FIN to its ACK, the distribution"),
  list("all", "clock_ppm", "mqtt_qos1_pub1 mqtt_qos2_pub1", FALSE,
       paste("for all protocols; mqtt\\_qos1\\_pub1, mqtt\\_qos2\\_pub1: the device's own",
             "messages, each 10 s of its clock, least squares")),
  list("mqtt", "overrun_us", "mqtt_qos0_pub1 mqtt_qos1_pub1 mqtt_qos2_pub1", FALSE,
       paste("mqtt\\_qos0\\_pub1, mqtt\\_qos1\\_pub1, mqtt\\_qos2\\_pub1: the clients' second,",
             "median")),
  list("mqtt", "after_publish_ms", "mqtt_qos0_pub10 mqtt_qos1_pub1 mqtt_qos2_pub1", FALSE,
       paste("QoS 0 with more clients, QoS 1, 2; mqtt\\_qos0\\_pub10, mqtt\\_qos1\\_pub1,",
             "mqtt\\_qos2\\_pub1: the device's PUBLISH (PUBREL) to the clients' next message, the",
             "first")),
  list("mqtt", "after_publish_ms", "mqtt_qos0_pub1", TRUE,
       paste("QoS 0 with one client; mqtt\\_qos0\\_pub1: two ticks and their drift, less the",
             "median TCP ACK")),
  list("mqtt", "broker_in_flight", "mqtt_qos1_pub10", FALSE,
       "mqtt\\_qos1\\_pub10: PUBACK to the next PUBLISH"),
  list("mqtt", "mss", "mqtt_qos0_pub1", FALSE, "SYN"),
  list("coap", "payload_bytes", "coap_1clients", FALSE,
       "coap\\_1clients: bytes of request and response"),
  list("coap", "separate_ms", "coap_1clients", TRUE, "coap\\_1clients: ACK to response, median"),
  list("coap", "think_time", "coap_1clients", FALSE, "coap\\_1clients: its 99 pauses"),
  list("http", "payload_bytes", "http_1client", FALSE,
       "http\\_1client: bytes of request and response"),
  list("http", "processing_times", "http_1client", TRUE,
       "http\\_1client: GET to the first segment, less FIN to its ACK, the distribution"),
  list("http", "http_piece_ms", "http_1client", TRUE,
       "http\\_1client: how many answers take three segments, by the time of an ACK"),
  list("http", "interval_ms", "http_1client", FALSE,
       "http\\_1client: the client's FIN to its next SYN, median"),
  list("http", "mss", "http_1client", FALSE, "SYN")
), stats::setNames, c("protocol", "factor", "captures", "answers", "source")))

#' What was fitted on a capture: the words of the tables of fidelity, from most to least.
fit_states <- c("fitted", "partly fitted", "held out")

#' Is the condition of a capture a prediction of the lab?
#'
#' fitted: a time of its answers gave a number; partly fitted: other times of it or what is sent did
#' (when its clients began, how many messages its broker has in flight); held out: nothing did.
#'
#' @param captures names as in `data/recordings.yaml`.
#' @return data.table `state` (of [fit_states]), `numbers`: the factors fitted on it, by name.
fit_state <- function(captures) {
  from <- strsplit(twin_fits$captures, " ", fixed = TRUE)
  own <- lapply(captures, function(name) twin_fits[vapply(from, function(x) name %in% x, NA)])
  data.table::data.table(
    state = vapply(own, function(x) {
      fit_states[if (any(x$answers)) 1L else if (nrow(x)) 2L else 3L]
    }, ""),
    numbers = vapply(own, function(x) paste(unique(x$factor), collapse = ", "), ""))
}
