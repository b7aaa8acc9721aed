# Parameters of KU Leuven's cells that the study does not state, fitted to its captures with one
# client. tools/fit_kuleuven.R prints it; workflow/studies/kuleuven.yaml, twins.yaml, data/recorded
# hold it.

#' The captures that numbers are fitted on; of mqtt_qos0_pub10 only when its clients began.
fit_captures <- c("mqtt_qos0_pub1", "mqtt_qos1_pub1", "mqtt_qos2_pub1", "mqtt_qos0_pub10",
                  "coap_1clients", "http_1client")

#' A message answered within this time, ms, found the radio awake: it did not wait for a beacon.
fit_awake_ms <- 20

#' A beacon interval of 100 TU, ms (IEEE 802.11-2016, 9.4.1.3).
fit_beacon_ms <- 102.4

#' How long the radio stays on after the device's last frame, ms: sleep_idle_ms as it is found here.
fit_idle_ms <- 142

#' lwIP's tick for delayed acknowledgements, ms (TCP_TMR_INTERVAL).
fit_tick_ms <- 250

#' Of a capture with 100 messages of one client, a second apart, this is the middle, s.
fit_middle_s <- 50

#' A device publishes each 1000 ticks of FreeRTOS, whose tick is to be 10 ms (the study's program,
#' MQTT/app_main.c), ms.
fit_publish_ms <- 10000

#' All fitted numbers.
#'
#' @param packets packets tables by the names of [fit_captures]. @param device IP address.
#' @return data.table `parameter`, `protocol`, `value` (ms; `_us`: us; `_pct`: %), `n`
#'   (observations), `capture`, `how`.
device_fits <- function(packets, device) {
  qos1 <- mqtt_turns(packets$mqtt_qos1_pub1, device, c("PUBLISH", "PUBACK"))
  qos2 <- mqtt_turns(packets$mqtt_qos2_pub1, device, c("PUBLISH", "PUBREC", "PUBREL", "PUBCOMP"))
  coap <- coap_turns(packets$coap_1clients, device)
  http <- http_turns(packets$http_1client, device)
  prints <- qos2[PUBREC - PUBLISH < fit_awake_ms, PUBCOMP - PUBREL]
  fit <- function(parameter, protocol, capture, x, how, value = median) {
    data.table::data.table(parameter = parameter, protocol = protocol, value = value(x),
                           n = length(x), capture = capture, how = how)
  }
  fetch <- function(capture, x) {
    fit("sleep_fetch_ms", "all", capture, x, value = fetch_ms,
        "least answer of a radio that slept, less the median of one that did not")
  }
  first <- function(x) x[1L]
  own <- c("mqtt_qos1_pub1", "mqtt_qos2_pub1")
  periods <- vapply(packets[own], function(p) {
    period_ms(message_times(p, device, outward = TRUE))
  }, 0)
  slow_ppm <- 1e6 * (periods / fit_publish_ms - 1)
  one_client <- c("mqtt_qos0_pub1", "mqtt_qos1_pub1", "mqtt_qos2_pub1")
  clients <- unlist(lapply(packets[one_client], function(p) {
    diff(message_times(p, device, outward = FALSE))
  }))
  rbind(
    fit("arrival_delay", "all", "http_1client", http$fin_ack,
        "FIN to its ACK, median; the trial draws from the quantiles"),
    fetch("mqtt_qos1_pub1", qos1[, PUBACK - PUBLISH]),
    fetch("mqtt_qos2_pub1", qos2[, PUBREC - PUBLISH]),
    fit("sleep_idle_ms", "all", "mqtt_qos1_pub1", awake_gaps(packets$mqtt_qos1_pub1, qos1, device),
        value = max, "longest since the device's last frame that a message was answered at once"),
    fit("sleep_wake_pct", "all", "coap_1clients", behind_beacon(coap), value = percent,
        "messages just after a beacon that were answered at once"),
    fit("clock_ppm", "all", toString(own), slow_ppm, value = mean,
        "from one message of the device to the next, least squares, each 10 s of its clock"),
    fit("overrun_us", "mqtt", toString(one_client), 1e3 * (clients - 1e3),
        "from one message of the client to the next, less a second, median"),
    fit("after_publish_ms", "mqtt", "mqtt_qos0_pub1",
        ticks(packets$mqtt_qos0_pub1, device, mean(slow_ppm) / 1e3 - median(clients - 1e3)),
        "two ticks and their drift, less the median time of an acknowledgement"),
    fit("after_publish_ms", "mqtt", "mqtt_qos0_pub10",
        leads(packets$mqtt_qos0_pub10, device, "PUBLISH"), value = first,
        "the device's PUBLISH to the clients' next second, the first"),
    fit("after_publish_ms", "mqtt", "mqtt_qos1_pub1",
        leads(packets$mqtt_qos1_pub1, device, "PUBLISH"), value = first,
        "the device's PUBLISH to the next message to it, the first"),
    fit("after_publish_ms", "mqtt", "mqtt_qos2_pub1",
        leads(packets$mqtt_qos2_pub1, device, "PUBREL"), value = first,
        "the device's PUBREL to the next message to it, the first"),
    fit("processing_ms", "mqtt", "mqtt_qos2_pub1", prints,
        "PUBREL to PUBCOMP where the radio was awake, median"),
    fit("processing_ms", "http", "http_1client", http$first - median(http$fin_ack),
        "GET to the first segment, median, less FIN to its ACK, median"),
    fit("http_piece_ms", "http", "http_1client", http$segments, value = function(x) piece_ms(http),
        "pause between pieces by which as many answers take three segments"),
    fit("interval_ms", "http", "http_1client", http$pause[-1L],
        "the client's FIN to its next SYN, median"),
    fit("separate_ms", "coap", "coap_1clients", coap[, answered - acknowledged],
        "ACK to response, median"),
    fit("think_time", "coap", "coap_1clients", coap$pause[-1L],
        "ACK of a response to the next request, median; the trial draws from all"))
}

#' Time from a beacon until the device fetches its frames, ms, for messages spread evenly over a
#' beacon interval. The shortest delay of an answer of a sleeping radio belongs to the last message
#' that still came in time for the beacon. Of n such messages it came 1/(n+1) of an interval before
#' the deadline, on average.
#'
#' @param delays ms from message to answer.
fetch_ms <- function(delays) {
  slept <- delays[delays > fit_awake_ms]
  min(slept) - median(delays[delays <= fit_awake_ms]) - fit_beacon_ms / (length(slept) + 1)
}

#' Time since the device's last frame, ms, of the messages to it that were answered at once and came
#' within two beacon intervals of that frame: what came later was not awake for it.
#'
#' @param p,device see [device_fits()]. @param turns result of [mqtt_turns()].
awake_gaps <- function(p, turns, device) {
  own <- 1e3 * p$time[p$src %in% device]
  quick <- turns[PUBACK - PUBLISH <= fit_awake_ms, PUBLISH]
  gaps <- quick - c(-Inf, own)[1L + findInterval(quick, own)]
  gaps[gaps < 2 * fit_beacon_ms]
}

#' Were requests that came just after a beacon answered at once? A request that waits for the next
#' beacon takes the rest of the interval plus the time of an immediate answer, together an interval
#' or more. The requests of CoAP's single client come at this time, since about an interval passes
#' between an answer at a beacon and the next request.
#'
#' @param coap result of [coap_turns()].
behind_beacon <- function(coap) {
  delay <- coap$acknowledged - coap$asked
  delay[delay <= fit_beacon_ms + fit_awake_ms &
          (delay <= fit_awake_ms | delay >= fit_beacon_ms)] <= fit_awake_ms
}

percent <- function(x) 100 * mean(x)

#' When MQTT messages were published, ms: the device's own or (`outward` FALSE) those to it.
message_times <- function(p, device, outward) {
  m <- measure_context(p, device, NULL, "mqtt")$messages
  sent <- outward
  1e3 * m[outward == sent & type == "PUBLISH" & dup == FALSE, time]
}

#' The time between messages that are sent at even intervals and delayed each by another time: the
#' slope of a straight line through them, ms.
period_ms <- function(x) {
  number <- seq_along(x)
  stats::cov(number, x) / stats::var(number)
}

#' From what the device publishes (its packets of this type) to the client's next message, or the
#' first of those that the clients send at once, ms; within the clients' second.
leads <- function(p, device, type) {
  given <- type
  m <- measure_context(p, device, NULL, "mqtt")$messages
  own <- 1e3 * m[outward == TRUE & type == given, time]
  next_at <- 1e3 * m[outward == FALSE & type == "PUBLISH", time]
  next_at <- next_at[c(TRUE, diff(next_at) > fit_tick_ms + fit_beacon_ms)]
  lead <- c(next_at, NA)[1L + findInterval(own, next_at)] - own
  lead[lead < 1e3 & !is.na(lead)]
}

#' From a message of the device to the client's next one, ms, by which the lab's tick acknowledges
#' at QoS 0 after as long as recorded, in the middle of the capture.
#'
#' @param drift ms by which the tick comes later in each of the client's seconds.
ticks <- function(p, device, drift) {
  own <- p[src == device & payload == 0L & !is.na(ack_rtt), ack_rtt]
  2 * fit_tick_ms + fit_middle_s * drift - 1e3 * own
}

#' Distributions of the time that the application takes for a message or a request, ms: twenty
#' values, at the middles of the twentieths, so that each is as likely as the others.
#'
#' MQTT: from PUBREC to PUBCOMP, which the device sends when it has printed the message. HTTP: from
#' GET to the first segment less FIN to its ACK, quantile by quantile.
#'
#' @param packets,device see [device_fits()].
#' @return named list: sample of `data/recorded/processing_times.csv`.
device_processing <- function(packets, device) {
  at <- seq(0.025, 0.975, 0.05)
  printed <- mqtt_turns(packets$mqtt_qos2_pub1, device, c("PUBLISH", "PUBREC", "PUBREL", "PUBCOMP"))
  http <- http_turns(packets$http_1client, device)
  whole <- function(x) sort(round(unname(x)))
  list("kuleuven2019-mqtt" = whole(quantile(printed$PUBCOMP - printed$PUBREC, at)),
       "kuleuven2019-http" = whole(quantile(http$first, at) - quantile(http$fin_ack, at)))
}

#' The pause between two of an answer's three pieces, ms. With Nagle's algorithm the first piece
#' leaves at once and all that follow with its acknowledgement, unless that comes before the last
#' piece: of so many answers as take three segments or more, the acknowledgement came within two
#' pauses.
#'
#' @param http result of [http_turns()].
piece_ms <- function(http) unname(quantile(http$fin_ack, mean(http$segments > 2L))) / 2

#' Distribution of the delay of a frame to an awake device, ms, at steps of a twentieth: from FIN to
#' its ACK, which TCP sends by itself, less the delay of both in the lab's own cell.
#'
#' @param packets,device see [device_fits()]. @param cell ms.
device_arrivals <- function(packets, device, cell = 0.4) {
  fin_ack <- http_turns(packets$http_1client, device)$fin_ack
  unname(quantile(fin_ack, seq(0, 1, 0.05))) - cell
}

#' When each message to the device made its steps, ms after the first frame: the first of each type.
#'
#' @param types of the messages; those that the device sends answer the ones before.
mqtt_turns <- function(p, device, types) {
  m <- measure_context(p, device, NULL, "mqtt")$messages
  own <- m[type %in% types & outward == (type %in% c("PUBACK", "PUBREC", "PUBCOMP"))]
  steps <- data.table::dcast(own[, .(at = 1e3 * min(time)), by = .(id, type)], id ~ type,
                             value.var = "at")
  steps[stats::complete.cases(steps)]
}

#' Requests to the device: ms after the first frame `asked`, `acknowledged`, `answered`, and
#' `pause` since the acknowledgement of the response before (NA for the first).
coap_turns <- function(p, device) {
  x <- p[!is.na(coap_type) & !retransmit, .(at = 1e3 * time, out = src == device, coap_type,
                                            coap_code, coap_mid)]
  asked <- x[!out & coap_type == 0L & coap_code == 1L]
  first_from <- function(from, where) {
    vapply(from, function(t) x$at[where & x$at > t][1L], 0)
  }
  answer <- with(x, out & coap_type == 0L & coap_code >= 64L)
  acknowledged <- first_from(asked$at, x$out & x$coap_type == 2L)
  answered <- first_from(asked$at, answer)
  over <- first_from(answered, !x$out & x$coap_type == 2L)
  data.table::data.table(asked = asked$at, acknowledged, answered,
                         pause = asked$at - data.table::shift(over))
}

#' Conversations of the device as server: `segments` of the answer; ms: `first` (GET to the first),
#' `fin_ack` (the client's FIN to its acknowledgement) and `pause` (since the FIN before; NA for the
#' first). The client's program ends with its FIN, whatever becomes of it.
http_turns <- function(p, device) {
  own <- p[transport == "tcp" & (src == device & sport == 80L | dst == device & dport == 80L)]
  own[, .(first = 1e3 * (time[src == device & payload > 0L][1L] -
                           time[dst == device & payload > 0L][1L]),
          segments = sum(src == device & payload > 0L & !retransmit),
          fin_ack = 1e3 * (time[src == device & !syn & time > time[dst == device & fin][1L]][1L] -
                             time[dst == device & fin][1L]),
          begin = time[1L], end = time[dst == device & fin][1L]), by = stream][
            , pause := 1e3 * (begin - data.table::shift(end))][]
}
