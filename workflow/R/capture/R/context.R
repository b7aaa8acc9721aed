# The data on which metrics are computed: the device's packets, its messages, and the workload among
# them.

#' Prepare the tables that every metric reads.
#'
#' @param p packets table.
#' @param device IP address of the device, in any spelling.
#' @param topic MQTT topic, CoAP or HTTP path, AMQP routing key, see [topic_matches()]; NULL: all.
#' @param source name of the capture, for errors.
#' @param known list(protocol, topic, direction, port, transport) of an earlier part of the same
#'   capture; if given, nothing is chosen again.
#' @param ports named integer vector; each packet on a port of `tcp` or `udp` counts as a message
#'   even if it is of no known form.
#' @return list with `device`, `packets` (to or from the device), `messages` (likewise, with
#'   `outward`: from the device), `workload` (the messages that count; repetitions have `dup`),
#'   `service` (packets of the device's conversations on the workload's port), `others` (all other
#'   frames), `protocol`, `topic`, `direction` ("to" or "from" the device), `port`, `transport`.
measure_context <- function(p, device, topic = NULL, source = "capture", known = NULL,
                            ports = NULL) {
  device <- plain_address(device)
  mine <- packets_of(p, device)
  if (nrow(mine) == 0L && is.null(known)) {
    seen <- frequent_ends(p)
    if (!length(seen)) {
      silence_error(source, "holds no IP packets", "give a pcap or pcapng capture of the device")
    }
    silence_error(source, paste("no packet to or from", device),
                  paste0("give --device one of its addresses, such as ", toString(seen)))
  }
  all <- messages(mine, ports)
  all[, outward := is_outward(all, device, known$port)]
  candidates <- workload_kinds(all)
  if (is.null(known)) known <- choose_workload(all, candidates, topic, source, mine)
  workload <- pick_workload(candidates, known)
  service <- mine[transport == known$transport & (sport == known$port | dport == known$port)]
  others <- p[!frame %in% service$frame, .(frame, time, len)]
  c(list(device = device, packets = mine, messages = all, workload = workload, service = service,
         others = others), known)
}

#' Packets to or from a device, and the CoAP requests to a group (RFC 7252, 8) that it answered.
packets_of <- function(p, device) {
  own <- p$src == device | p$dst == device
  asked <- which(!own & p$coap_code %in% 1:31 & is_group(p$dst))
  if (length(asked)) {
    answers <- p[src == device & coap_code >= 64L, paste(dst, dport, coap_token)]
    own[asked] <- p[asked, paste(src, sport, coap_token)] %in% answers
  }
  p[own %in% TRUE]
}

#' Is a message from the device? Where both ends have its address, as on a loopback interface, the
#' device is the side of the client.
#'
#' @param rows messages. @param device address. @param port of the server, NULL if not yet known.
is_outward <- function(rows, device, port = NULL) {
  local <- rows$src == device & rows$dst == device
  out <- rows$src == device
  if (any(local)) out[local] <- rows$dport[local] == server_ports(rows[local], port)
  out
}

#' Port of the server of each message: the given one, else the port of the two that has more peers,
#' or the lower.
server_ports <- function(rows, port = NULL) {
  if (!is.null(port)) return(rep(port, nrow(rows)))
  ends <- unique(data.table::data.table(port = c(rows$sport, rows$dport),
                                        other = c(rows$dport, rows$sport)))
  others <- ends[, .N, by = port]
  count <- function(port) others$N[match(port, others$port)]
  from <- count(rows$sport)
  to <- count(rows$dport)
  data.table::fifelse(from > to | (from == to & rows$sport < rows$dport), rows$sport, rows$dport)
}

#' The most frequent value, as text; among equally frequent values the first in alphabetical order.
#'
#' @param x vector. @return NA if there is none but NA.
most_common <- function(x) {
  counts <- table(x)
  if (length(counts)) names(counts)[which.max(counts)] else NA_character_
}
