# Oracles of MQTT: packet identifiers, DUP, keep-alive.

#' Kinds of faults that keep the device's packets from the place of the capture, or late.
hiding_faults <- c("loss", "delay", "reorder", "truncate", "bit_flip", "rate_limit", "link_down",
                   "half_open", "outage", "device_reset")

#' The oracles of a capture with MQTT; NULL for others.
#'
#' `identifier_violations`: packets of the device with the identifier 0 (MQTT-2.3.1-1) or with one
#' that is in use on the same connection (MQTT-2.3.1-2 to -4), and its answers to a PUBLISH that the
#' server did not send (MQTT-2.3.1-6). `dup_violations`: PUBLISH with DUP and QoS 0 (MQTT-3.3.1-2),
#' and those that a session repeats on a later connection without DUP (MQTT-3.3.1-1). Damaged
#' packets do not count, see [undamaged()].
#'
#' @param ctx result of [oracle_context()]. @param spans result of [fault_spans()].
mqtt_oracles <- function(ctx, spans) {
  m <- ctx$messages[protocol == "mqtt"][order(frame, position)]
  if (nrow(m) == 0L) return(NULL)
  every <- m
  m <- undamaged(m[!stream %in% rebound(m)], ctx, spans)
  used <- identifier_uses(m, ctx, spans[kind == "device_reset", from])
  own <- m[outward == TRUE & type == "PUBLISH"]
  rbind(
    metric_row("identifier_violations",
               sum(used$zero) + sum(used$reused & !used$moved) + orphan_answers(m), "packets",
               nrow(used)),
    metric_row("dup_violations",
               nrow(own[is.na(id) & dup == TRUE]) + sum(used$reused & used$moved), "packets",
               nrow(own)),
    keep_alive_metrics(every, ctx, spans)
  )
}

#' Conversations that are no connection of MQTT: a NAT has given one another port, and the server
#' rejects what TCP repeats there. A later connection would begin with CONNECT (MQTT-3.1.0-1).
rebound <- function(m) {
  setdiff(m$stream, c(m$stream[1L], m[outward == TRUE & type == "CONNECT", stream]))
}

#' The device's packets with an identifier: `zero`, `reused` (it was not free, and the packet is
#' no marked repetition), `moved` (the use before was on another connection of the session).
#'
#' A clean session ends with its connection, and frees its identifiers (MQTT-3.1.2-6). So does one
#' that the server has no more (3.1.2.4), and one of a device that was reset.
#'
#' @param resets when the device was reset, s.
identifier_uses <- function(m, ctx, resets) {
  clean <- unlist(split_list(ctx$packets$mqtt_clean))
  persistent <- length(clean) > 0L && all(clean %in% c("0", "False"))
  frees <- c("PUBACK", "PUBCOMP", "SUBACK", "UNSUBACK",
             if (any(ctx$packets$mqtt_level == "5")) "PUBREC") # its reason may end the exchange
  begins <- c("PUBLISH", "SUBSCRIBE", "UNSUBSCRIBE")
  x <- m[!is.na(id) & ((outward & type %in% begins) | (!outward & type %in% frees))]
  x[, session := paste(if (persistent) session_of(stream, ctx) else stream,
                       findInterval(time, resets))]
  x[, use := outward & type %in% begins]
  x[, `:=`(before = data.table::shift(use, fill = FALSE), last = data.table::shift(stream)),
    by = .(session, id)]
  x[use == TRUE, .(frame, zero = strtoi(id, 0L) %in% 0L | id == "0", reused = before & !dup,
                   moved = !is.na(last) & last != stream)]
}

#' The number of the session to which each connection belongs, where none is clean: CONNACK says
#' whether the server still has the last one.
session_of <- function(stream, ctx) {
  each <- ctx$service[, .(begin = min(frame)), by = stream][order(begin)]
  said <- ctx$packets[nzchar(mqtt_present)]
  said <- said[!duplicated(said$stream)]
  first <- vapply(split_list(said$mqtt_present), `[`, "", 1L)
  fresh <- each$stream %in% said$stream[first %in% c("0", "False")]
  cumsum(fresh)[match(stream, each$stream)]
}

#' How many answers of the device name an identifier that no PUBLISH of the server had before.
orphan_answers <- function(m) {
  asked <- m[outward == FALSE & type == "PUBLISH" & !is.na(id), .(stream, id, asked = frame)]
  first <- unique(asked, by = c("stream", "id"))
  answers <- m[outward == TRUE & type %in% c("PUBACK", "PUBREC")]
  since <- first[answers, on = c("stream", "id"), asked]
  sum(is.na(since) | since > answers$frame)
}

#' `keep_alive_violations`: how often the device sent no packet for more than one and a half times
#' its keep-alive interval, while the connection stood (MQTT-3.1.2-23, -24). Not counted are times
#' that overlap a fault which hides its packets.
keep_alive_metrics <- function(m, ctx, spans) {
  connects <- ctx$packets[nzchar(mqtt_keep_alive), .(stream, mqtt_keep_alive)]
  connects <- unique(connects, by = "stream")
  connects[, interval := as.numeric(vapply(split_list(mqtt_keep_alive), `[`, "", 1L))]
  connects <- connects[interval > 0]
  if (nrow(connects) == 0L) return(NULL)
  ends <- connection_ends(ctx)
  spans <- spans[kind %in% hiding_faults]
  gaps <- data.table::rbindlist(lapply(seq_len(nrow(connects)), function(i) {
    at <- m[outward == TRUE & stream == connects$stream[i], sort(time)]
    end <- ends[stream == connects$stream[i], end]
    at <- c(at[at <= end], end)
    data.table::data.table(from = head(at, -1L), to = tail(at, -1L),
                           most = 1.5 * connects$interval[i])
  }))
  silent <- gaps[to - from > most]
  metric_row("keep_alive_violations", sum(!disturbed(silent$from, silent$to, spans)), "times",
             nrow(gaps))
}

#' When each TCP connection of the device ended: by the first FIN or RST, by the next connection of
#' a device that does not end the last, or with the capture.
#'
#' @return data.table `stream`, `begin`, `end` (s).
connection_ends <- function(ctx) {
  s <- ctx$service[transport == "tcp"]
  each <- s[, .(begin = min(time), closed = min(time[fin | rst], Inf)), by = stream]
  data.table::setorder(each, begin)
  each[, following := data.table::shift(begin, type = "lead", fill = Inf)]
  each[, end := pmin(closed, following, max(ctx$packets$time))]
  each[]
}
