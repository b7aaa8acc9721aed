# Sessions of MQTT and MQTT-SN outlast their connections (MQTT 3.1.1, 3.1.2.4 and 4.4; MQTT-SN 1.2,
# 6.3): a message sent on one connection may be acknowledged on the next.

#' The conversations that continue a session of an earlier one: their client has the same identifier
#' and server and does not request a clean session.
#'
#' @param p packets table of the device.
#' @return data.table `stream`, `port` (of the client), `home` and `home_port` (those of the
#'   session's first conversation).
session_homes <- function(p) {
  rows <- rbind(
    p[nzchar(mqtt_client), .(stream, frame, src, sport, dst, dport, client = mqtt_client,
                             clean = mqtt_clean)],
    p[nzchar(mqttsn_client), .(stream, frame, src, sport, dst, dport, client = mqttsn_client,
                               clean = mqttsn_clean)])
  rows <- unique(rows[order(frame)], by = "stream")
  rows[, `:=`(client = first_value(client), clean = first_value(clean) %in% c("1", "True"))]
  rows[, turn := cumsum(clean), by = .(client, src, dst, dport)]
  rows[, `:=`(home = stream[1L], home_port = sport[1L]), by = .(client, src, dst, dport, turn)]
  rows[home != stream, .(stream, port = sport, home, home_port)]
}

#' The first of the joined values of each row.
first_value <- function(joined) sub(paste0(list_separator, ".*"), "", joined)

#' Move each message to the first conversation of its session.
#'
#' @param rows messages. @param homes result of [session_homes()].
at_home <- function(rows, homes) {
  if (nrow(homes) == 0L) return(rows)
  at <- match(rows$stream, homes$stream)
  moved <- function(port) {
    own <- port == homes$port[at]
    data.table::fifelse(own %in% TRUE, homes$home_port[at], port)
  }
  out <- data.table::copy(rows)
  out[, `:=`(sport = moved(sport), dport = moved(dport),
             stream = data.table::fcoalesce(homes$home[at], stream))]
}
