# What was measured: the device, its server, the workload and the frames, and how each was chosen.

#' How an item was chosen: by the user; by the port number registered for the protocol; or from the
#' contents of the capture.
chosen_by <- c(given = "given", standard = "standard", most = "guessed: most messages",
               bytes = "guessed: first bytes", follows = "")

#' Add a part of a capture to the counts from which a header is made.
#'
#' @param head result of this function for the parts before; NULL at first.
#' @param p,owned see [reduce_part()]. @param ctx its context.
#' @return list: `first` and `last` frame by time (`time` in s, `epoch` as printed), `frames` by
#'   their use, messages by `servers`, `peers` and `topics`, `within`, see [acknowledged_within()],
#'   and `unread`: frames by the names of [unread_names()].
describe_part <- function(head, p, owned, ctx) {
  inside <- function(frame) frame >= owned[1L] & frame <= owned[2L]
  own <- p[inside(frame)]
  w <- ctx$workload[dup == FALSE & inside(frame)]
  ends <- own[c(which.min(time), which.max(time)), .(time, epoch)]
  both <- data.table::rbindlist(list(head$first, head$last, ends))
  shown <- if (nrow(w)) w else ctx$service # a session without a message also has a server
  server <- data.table::fifelse(shown$dport %in% ctx$port, shown$dst, shown$src)
  peer <- if (ctx$direction == "to") w$src else w$dst
  sealed <- sealed_names(ctx$packets)[inside(ctx$packets$frame)]
  list(first = both[which.min(time)], last = both[which.max(time)],
       frames = add_counts(head$frames, frame_fates(own, ctx)),
       servers = add_counts(head$servers, server), peers = add_counts(head$peers, peer),
       topics = add_counts(head$topics, w$topic[!is.na(w$topic)]),
       within = least_of(head$within, acknowledged_within(ctx$service[inside(frame)], ctx)),
       unread = add_counts(head$unread, c(unread_names(packets_of(own, ctx$device)), sealed)))
}

least_of <- function(one, other) if (is.null(one)) other else pmin(one, other)

#' The use of a frame: "used", or excluded for one of these reasons.
fates <- c("used", "without an IP address", "of other addresses", "neither TCP nor UDP",
           "of other ports or transports")

#' The use of each frame, one of [fates].
frame_fates <- function(own, ctx) {
  device <- ctx$device
  fates[data.table::fcase(own$frame %in% ctx$service$frame, 1L, !nzchar(own$src), 2L,
                          own$src != device & own$dst != device, 3L, own$transport == "other", 4L,
                          default = 5L)]
}

#' Add up named counts.
add_counts <- function(counts, values) {
  more <- table(values)
  keys <- c(names(counts), names(more))
  sums <- tapply(c(counts, as.numeric(more)), factor(keys, unique(keys)), sum)
  stats::setNames(as.numeric(sums), names(sums))
}

#' The header of a result.
#'
#' @param head result of [describe_part()]. @param known list(protocol, topic, direction, port,
#'   transport), see [measure_context()]. @param request list(capture, device, topic, ports) as
#'   the user gave them. @param guessed ports that [guess_ports()] recognised.
#' @return list: `items`, data.table `item`, `value`, `chosen`; `frames`, named counts: "used",
#'   then why others were left out. A session without a message has no direction and no role.
capture_header <- function(head, known, request, guessed = NULL) {
  port_chosen <- if (known$port %in% request$ports) "given" else
    if (known$port %in% guessed) "bytes" else "standard"
  topic_chosen <- if (!is.null(request$topic)) "given" else
    if (is.null(known$topic)) "follows" else "most"
  talks <- length(head$peers) > 0L
  by_messages <- if (talks) "most" else "follows"
  item <- function(item, value, chosen = "follows") {
    data.table::data.table(item = item, value = as.character(value), chosen = chosen_by[[chosen]])
  }
  vantage <- vantage_point(head$within, if (talks) known$direction else "")
  items <- data.table::rbindlist(list(
    item("file", request$capture), item("device", request$device, "given"),
    item("server", name_most(head$servers), by_messages),
    item("protocol", known$protocol, "most"),
    item("direction", if (talks) paste(known$direction, "the device") else "", by_messages),
    item("role", if (talks) device_role(known) else ""),
    item("topic", topic_text(known, head$topics), topic_chosen),
    item("port", paste0(known$port, "/", known$transport), port_chosen),
    item("peers", length(head$peers)),
    data.table::data.table(item = "vantage", value = vantage$text, chosen = vantage$chosen),
    item("first", iso_time(head$first$epoch)), item("last", iso_time(head$last$epoch))))
  frames <- stats::setNames(head$frames[fates], fates)
  frames[is.na(frames)] <- 0
  list(items = items, frames = frames[fates == "used" | frames > 0])
}

#' The name with the highest count, and how many others there are.
name_most <- function(counts) {
  if (!length(counts)) return("")
  more <- if (length(counts) > 1L) paste0(" (and ", length(counts) - 1L, " others)")
  paste0(names(counts)[which.max(counts)], more)
}

#' The role of the device, as in studies: it publishes, subscribes, or serves requests.
device_role <- function(known) {
  if (known$direction == "from") return("publish")
  if (known$protocol %in% request_protocols()) "serve" else "subscribe"
}

#' The topic, or how many topics were measured together.
topic_text <- function(known, topics) {
  if (!is.null(known$topic)) return(as_printed(known$topic))
  if (!length(topics)) return("")
  if (length(topics) == 1L) return(names(topics))
  paste("all of", length(topics))
}

#' Seconds since 1970, as tshark prints them, as a time in UTC (ISO 8601).
iso_time <- function(epoch) {
  if (!nzchar(epoch)) return("") # a packet without a time
  whole <- as.POSIXct(as.numeric(sub("[.].*$", "", epoch)), origin = "1970-01-01", tz = "UTC")
  paste0(format(whole, "%Y-%m-%dT%H:%M:%S", tz = "UTC"), sub("^[^.]*", "", epoch), "Z")
}
