# The captures on the page: the time line of a trial, and one exchange step by step.

#' The trials that are drawn, one of each mode: its exchange from an idle cell with the radio awake,
#' its time line from the busiest cell with the radio asleep.
#'
#' @param trials result of [decide_trials()].
#' @return list of `ladder` and `line`: tables of `study`, `trial`, `mode`.
page_drawn <- function(trials) {
  first <- function(rows) rows[, .SD[1L], by = mode, .SDcols = c("study", "trial")]
  awake <- trials[sleep == 0L & load == "idle" & interval <= 1]
  asleep <- trials[sleep == 1L & mbps == max(c(0, mbps[sleep == 1L])) & interval <= 1]
  list(ladder = first(awake[order(-interval, trial)]), line = first(asleep[order(trial)]))
}

#' The frames of a trial's conversations on the air, and the device's null frames, which announce
#' that it sleeps or wakes.
#'
#' @param bundle result of [read_bundle()].
#' @return data.table `ms` (from the first frame), `epoch` (s), `from` ("device", "access point"),
#'   `kind` ("data", "retry", "ack", "null"), `what`, `bytes`; attributes `starts`: when each
#'   message's exchange begins, s of `epoch`; `sent`: the IP packets that the device sent, and when
#'   their frames ended.
air_frames <- function(bundle) {
  file <- file.path(bundle$folder, "air.pcapng.gz")
  p <- dissect_air(file)
  mac <- station_of_board(bundle)$mac
  out <- frames_on_air(p, bundle$device, mac)
  out[, ms := round(1000 * (epoch - epoch[1L]), 3L)]
  starts <- exchange_starts(p, bundle$device, mac, bundle$trial$parameters[["topic"]], file)
  data.table::setattr(out, "starts", starts + as.numeric(p$epoch[1L]) - p$time[1L])
  out[]
}

#' The same of any bundle, without the times that need its messages.
#'
#' @param p result of [dissect_air()]. @param device IP address. @param mac address of its radio.
frames_on_air <- function(p, device, mac) {
  x <- conversation_frames(p, device, mac)
  null <- p[transmitter == mac & subtype == "0x0024"]
  null[, `:=`(role = "null", sent = TRUE)]
  both <- rbind(x, null, fill = TRUE)
  both[, epoch := as.numeric(epoch)]
  data.table::setorder(both, epoch, frame)
  out <- both[, .(epoch, from = ifelse(sent, "device", "access point"), kind = role,
                  what = ifelse(role == "ack", "802.11 ACK", frame_words(both)), bytes)]
  out[kind == "null", what := "null frame: sleeps or wakes"]
  data.table::setattr(out, "sent", x[src == device, .(
    ip_id, ip_len, end = as.numeric(epoch) + airtime_us * 1e-6)])
  out[]
}

mqtt_words <- c("CONNECT", "CONNACK", "PUBLISH", "PUBACK", "PUBREC", "PUBREL", "PUBCOMP",
                "SUBSCRIBE", "SUBACK", "UNSUBSCRIBE", "UNSUBACK", "PINGREQ", "PINGRESP",
                "DISCONNECT")
coap_words <- c("CON", "NON", "ACK", "RST")

#' A short label of each packet: the message if its protocol names it, otherwise the segment.
#'
#' @param p packets, see [packet_schema()].
frame_words <- function(p) {
  layer <- sub("^.*:", "", p$protocols)
  for (known in setdiff(protocol_values("layer"), c("data", "http"))) {
    layer[grepl(paste0(":", known, "(:|$)"), p$protocols)] <- known
  }
  mqtt <- strtoi(sub(",.*$", "", p$mqtt_flags), 0L) %/% 16L
  segment <- ifelse(p$syn, "SYN", ifelse(p$fin, "FIN", ifelse(p$rst, "RST", "ACK")))
  words <- data.table::fcase(
    p$payload %in% c(0, NA) & p$transport == "tcp", paste("TCP", segment),
    !is.na(mqtt) & mqtt > 0L, paste("MQTT", mqtt_words[pmax(mqtt, 1L)]),
    !is.na(p$coap_type), paste("CoAP", coap_words[pmin(as.integer(p$coap_type), 3L) + 1L]),
    !p$http_method %in% c("", NA), paste("HTTP", p$http_method),
    !p$http_status %in% c("", NA), paste("HTTP", p$http_status),
    layer %in% protocol_values("layer"),
    protocol_values("label")[match(layer, protocol_values("layer"))]
  )
  ifelse(is.na(words), toupper(layer), words)
}

#' The offset between the clocks of the wire and of the air, s: the cell counts from its own start.
#' The packet in both captures that crosses the access point fastest is assumed to take no time.
#'
#' @param wire packets of the device. @param sent attribute of [air_frames()].
wire_offset <- function(wire, sent) {
  same <- c("ip_id", "ip_len")
  both <- merge(unique(sent, by = same), unique(wire[, .(ip_id, ip_len, epoch)], by = same))
  min(both$epoch - both$end)
}

#' One exchange on air and wire, the third of the trial: what the page draws as a ladder.
#'
#' @param bundle result of [read_bundle()]. @param frames its [air_frames()].
#' @return data.table `ms` (from the first frame), `from`, `to`, `what`, `bytes`.
ladder_steps <- function(bundle, frames) {
  starts <- attr(frames, "starts")
  if (length(starts) < 4L) return(NULL)
  window <- function(epoch) epoch >= starts[3L] - 1e-6 & epoch < starts[4L] - 1e-6
  air <- frames[window(epoch), .(epoch, from, to = ifelse(from == "device", "access point",
                                                          "device"), what, bytes)]
  wire <- dissect(file.path(bundle$folder, "wire.pcapng.gz"))
  wire[, epoch := as.numeric(epoch)]
  wire[, epoch := epoch - wire_offset(wire[src == bundle$device], attr(frames, "sent"))]
  wire <- wire[window(epoch) & (src == bundle$device | dst == bundle$device) & transport != "other"]
  words <- frame_words(wire)
  wire <- wire[, .(epoch, from = ifelse(src == bundle$device, "access point", "server"),
                   to = ifelse(src == bundle$device, "server", "access point"), what = words,
                   bytes = len)]
  out <- rbind(air, wire)
  data.table::setorder(out, epoch)
  out[, ms := round(1000 * (epoch - epoch[1L]), 3L)][, epoch := NULL]
  out[]
}

#' The data of all captures that the page draws.
#'
#' @param trials result of [decide_trials()]. @param bundles data/raw. A bundle without a capture of
#'   the air has nothing to draw.
page_frames <- function(trials, bundles) {
  drawn <- page_drawn(trials)
  each <- function(rows, draw) {
    rows <- rows[file.exists(file.path(bundles, study, trial, "air.pcapng.gz"))]
    lapply(seq_len(nrow(rows)), function(i) {
      bundle <- read_bundle(file.path(bundles, rows$study[i], rows$trial[i]))
      list(mode = rows$mode[i], study = rows$study[i], trial = rows$trial[i],
           rows = as_columns(draw(bundle, air_frames(bundle))))
    })
  }
  list(ladder = each(drawn$ladder, ladder_steps),
       line = each(drawn$line, line_rows))
}

#' The frames of a time line, and the begin of each message's exchange.
#'
#' @param bundle result of [read_bundle()]. @param frames its [air_frames()].
line_rows <- function(bundle, frames) {
  starts <- attr(frames, "starts")
  zero <- frames$epoch[1L]
  begins <- data.table::data.table(ms = round(1000 * (starts - zero), 3L), from = "message",
                                   kind = "message", bytes = NA_real_,
                                   what = sprintf("message %d begins", seq_along(starts)))
  out <- rbind(frames[, !"epoch"], begins, use.names = TRUE)
  data.table::setorder(out, ms)
  out[]
}

#' A table as a list of columns, half as large as a list of rows.
as_columns <- function(table) lapply(as.list(table), I)
