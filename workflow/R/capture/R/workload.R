# The workload of a capture: the protocol, topic and direction that are measured.

#' Choose protocol and direction of the workload: those of the requested topic, otherwise the most
#' frequent; an application protocol takes precedence over TLS records and raw payload. A session
#' without messages has no workload but is measured.
#'
#' @param all,candidates messages to or from the device, and those that can be a workload.
#' @param topic,source see [measure_context()]. @param mine the device's packets.
choose_workload <- function(all, candidates, topic, source, mine) {
  if (!is.null(topic)) candidates <- candidates_on(candidates, topic, source)
  chosen <- strong(if (nrow(candidates)) candidates else all)
  if (nrow(chosen) == 0L) unrecognised(mine, source)
  best <- most_common(chosen$protocol)
  chosen <- chosen[protocol == best]
  outward <- sum(chosen$outward)
  local <- all(chosen$src == chosen$dst)
  inward <- nrow(chosen) - outward
  to <- nrow(candidates) > 0L && (if (local) inward > outward else inward >= outward)
  if (any(chosen$outward != to)) chosen <- chosen[chosen$outward != to]
  list(protocol = best, direction = if (to) "to" else "from", topic = topic,
       port = service_port(chosen), transport = sub(":.*", "", chosen$stream[1L]))
}

#' The messages on a topic; an input error that names the topics if there are none.
candidates_on <- function(candidates, topic, source) {
  asked <- topic_matches(candidates$topic, topic, candidates$protocol)
  if (any(asked)) return(candidates[asked])
  there <- head(names(sort(table(candidates$topic), decreasing = TRUE)), 6L)
  input_error(source, paste0("no message on topic '", topic, "'"),
              if (length(there)) paste("topics to or from this device are", toString(there)) else
                "leave --topic away: no message here has a topic")
}

#' The messages that can be a workload: data, and requests of the protocols that answer them.
workload_kinds <- function(rows) {
  rows[kind == "data" | (kind == "request" & protocol %in% request_protocols())]
}

#' Is this a TLS record or raw payload, not an application protocol?
unnamed <- function(protocol) protocol %in% c("tls", "dtls", "tcp", "udp")

#' Messages of application protocols; TLS records and raw payload if there are no others.
strong <- function(rows) {
  weak <- unnamed(rows$protocol)
  if (all(weak)) rows else rows[!weak]
}

#' Stop with an error that names the device's traffic as tshark does.
unrecognised <- function(mine, source) {
  filled <- mine[payload > 0L & transport != "other"]
  if (nrow(filled) == 0L) {
    silence_error(source, "the device sends and receives no payload over TCP or UDP",
                  "record it while messages are sent")
  }
  filled[, name := sub("^.*:((tcp|udp):.*)$", "\\1", protocols)]
  filled[, name := data.table::fcoalesce(unread_names(filled), name)]
  filled[, port := server_ports(filled)]
  kinds <- filled[, .N, by = .(name, port)][order(-N, name, port)]
  said <- kinds[seq_len(min(4L, .N)), paste0(N, " packets ", name, ", port ", port)]
  input_error(source, paste0("no protocol is recognised in the device's traffic (",
                             paste(said, collapse = "; "), ")"),
              paste("name a protocol's port, such as --ports mqtt=1884, or --ports",
                    "udp=PORT or tcp=PORT to count each packet as a message"))
}

#' The rows of the chosen protocol, topic and direction.
pick_workload <- function(candidates, known) {
  rows <- candidates[protocol == known$protocol & outward == (known$direction == "from")]
  if (is.null(known$topic)) rows else
    rows[topic_matches(rows$topic, known$topic, rows$protocol)]
}

#' Does a topic match a filter with MQTT's wildcards (MQTT 3.1.1, 4.7): `+` for one level, `#` for
#' all levels from there on, none for the `$` that a topic begins with? Paths are equal with or
#' without a leading slash, as CoAP's Uri-Path has none.
#'
#' @param x topics. @param filter one filter. @param protocol of each topic.
topic_matches <- function(x, filter, protocol) {
  path <- protocol %in% request_protocols()
  bare <- function(x) sub("^/", "", x)
  filter <- as_printed(filter)
  found <- like_filter(x, filter)
  found[path] <- like_filter(bare(x[path]), bare(filter))
  found
}

#' A text in tshark's notation: control characters as in C, see also [list_separator].
as_printed <- function(text) {
  marks <- c("\b" = "\\b", "\f" = "\\f", "\n" = "\\n", "\r" = "\\r", "\t" = "\\t", "\x1f" = "\\x1f")
  for (mark in names(marks)) text <- gsub(mark, marks[[mark]], text, fixed = TRUE)
  text
}

like_filter <- function(x, filter) {
  levels <- strsplit(paste0(filter, "/"), "/", fixed = TRUE)[[1L]]
  last <- length(levels)
  if (any(grepl("#", levels, fixed = TRUE) & (levels != "#" | seq_len(last) < last))) {
    input_error("--topic", paste0("'", filter, "' has a # that is not its last level"),
                "see MQTT 3.1.1, 4.7.1.2")
  }
  literal <- gsub("([][{}()+*^$|\\\\?.#])", "\\\\\\1", levels)
  pattern <- paste0("/", ifelse(levels == "+", "[^/]*", literal))
  pattern[levels == "#"] <- "(/.*)?" # it takes the level above it, too
  wild <- levels[1L] %in% c("+", "#")
  !is.na(x) & grepl(paste0("^", paste(pattern, collapse = ""), "$"), paste0("/", x)) &
    !(wild & startsWith(x, "$"))
}

#' Port of the server: the destination of requests; otherwise the side with fewer ports, or the
#' lower port.
service_port <- function(rows) {
  if (all(rows$kind == "request")) return(as.integer(most_common(rows$dport)))
  sides <- c(data.table::uniqueN(rows$sport), data.table::uniqueN(rows$dport))
  ports <- c(as.integer(most_common(rows$sport)), as.integer(most_common(rows$dport)))
  if (sides[1L] != sides[2L]) ports[which.min(sides)] else min(ports)
}
