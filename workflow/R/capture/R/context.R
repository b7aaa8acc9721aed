# What a metric is computed on: the device's packets, its messages, and the workload among them.

#' Prepare the tables that every metric reads.
#'
#' @param p packets table.
#' @param device IP address of the device.
#' @param topic MQTT topic, CoAP or HTTP path, AMQP routing key; NULL: the one with most messages.
#' @param source name of the capture, for errors.
#' @param known list(protocol, topic, direction, port, transport) of an earlier part of the same
#'   capture; given, nothing is chosen anew.
#' @return list with `device`, `packets` (to or from the device), `messages` (likewise), `workload`
#'   (the messages that count; repetitions have `dup`), `service` (packets of the device's
#'   conversations on the workload's port), `others` (all other frames), `protocol`, `topic`,
#'   `direction` ("to" or "from" the device), `port`, `transport`.
measure_context <- function(p, device, topic = NULL, source = "capture", known = NULL) {
  mine <- p[src == device | dst == device]
  if (nrow(mine) == 0L && is.null(known)) {
    seen <- frequent_ends(p)
    if (!length(seen)) {
      input_error(source, "holds no IP packets", "give a pcap or pcapng capture of the device")
    }
    input_error(source, paste("no packet to or from", device),
                paste0("give --device one of its addresses, such as ", toString(seen)))
  }
  all <- messages(mine)
  candidates <- all[kind == "data" | (kind == "request" & protocol %in% request_protocols())]
  if (is.null(known)) known <- choose_workload(candidates, device, topic, source)
  workload <- pick_workload(candidates, device, known)
  service <- mine[transport == known$transport & (sport == known$port | dport == known$port)]
  others <- p[!frame %in% service$frame, .(frame, time, len)]
  c(list(device = device, packets = mine, messages = all, workload = workload, service = service,
         others = others), known)
}

#' Choose protocol, topic and direction of the workload: what is asked for, else what there is most
#' of; an application protocol goes before TLS records and raw payload.
choose_workload <- function(candidates, device, topic, source) {
  if (nrow(candidates) == 0L) {
    input_error(source, paste("no message to or from", device, "that tshark can dissect"),
                "name the protocol's port, such as --ports mqtt=1884")
  }
  asked <- if (is.null(topic)) rep(TRUE, nrow(candidates)) else same_topic(candidates$topic, topic)
  chosen <- candidates[asked]
  if (nrow(chosen) == 0L) {
    there <- head(names(sort(table(candidates$topic), decreasing = TRUE)), 6L)
    input_error(source, paste0("no message on topic '", topic, "'"),
                paste0("topics to or from this device are ", toString(there)))
  }
  weak <- chosen$protocol %in% c("tls", "dtls", "tcp", "udp")
  if (!all(weak)) chosen <- chosen[!weak]
  protocol <- most_common(chosen$protocol)
  chosen <- chosen[chosen$protocol == protocol]
  direction <- if (sum(chosen$dst == device) >= sum(chosen$src == device)) "to" else "from"
  chosen <- chosen[(if (direction == "to") chosen$dst else chosen$src) == device]
  by_topic <- protocol %in% protocols_with("addressing", "topic", "queue")
  list(protocol = protocol, direction = direction,
       topic = if (!is.null(topic)) topic else if (by_topic) most_common(chosen$topic),
       port = service_port(chosen), transport = sub(":.*", "", chosen$stream[1L]))
}

#' The rows of the chosen protocol, topic and direction.
pick_workload <- function(candidates, device, known) {
  rows <- candidates[protocol == known$protocol &
                       (if (known$direction == "to") dst else src) == device]
  if (!is.null(known$topic)) rows <- rows[same_topic(rows$topic, known$topic)]
  rows
}

#' Topics are equal with or without a leading slash, as CoAP's Uri-Path has none.
same_topic <- function(x, topic) !is.na(x) & sub("^/", "", x) == sub("^/", "", topic)

#' The most frequent value; of equally frequent ones the first in alphabetical order.
#'
#' @param x vector.
most_common <- function(x) {
  counts <- table(x)
  names(counts)[which.max(counts)]
}

#' Port of the server: of requests where they go; else the side with fewer ports, or the lower one.
service_port <- function(rows) {
  if (all(rows$kind == "request")) return(as.integer(most_common(rows$dport)))
  sides <- c(data.table::uniqueN(rows$sport), data.table::uniqueN(rows$dport))
  ports <- c(as.integer(most_common(rows$sport)), as.integer(most_common(rows$dport)))
  if (sides[1L] != sides[2L]) ports[which.min(sides)] else min(ports)
}
