# The reason codes of MQTT 5 (2.4): why an answer refuses, and why a connection ended.

#' Columns of the packets table with reason codes, one for each type of packet that has one.
reason_columns <- c("mqtt_connack", "mqtt_puback", "mqtt_pubrec", "mqtt_pubrel", "mqtt_pubcomp",
                    "mqtt_suback", "mqtt_unsuback", "mqtt_disconnect", "mqtt_auth")

#' Names of the reason codes that report more than success, in the words of the standard. From 0x80
#' on they are failures (MQTT 5, 2.4).
reason_names <- c(
  "4" = "disconnect_with_will_message", "16" = "no_matching_subscribers",
  "17" = "no_subscription_existed", "24" = "continue_authentication", "25" = "re_authenticate",
  "128" = "unspecified_error", "129" = "malformed_packet", "130" = "protocol_error",
  "131" = "implementation_specific_error", "132" = "unsupported_protocol_version",
  "133" = "client_identifier_not_valid", "134" = "bad_user_name_or_password",
  "135" = "not_authorized", "136" = "server_unavailable", "137" = "server_busy", "138" = "banned",
  "139" = "server_shutting_down", "140" = "bad_authentication_method", "141" = "keep_alive_timeout",
  "142" = "session_taken_over", "143" = "topic_filter_invalid", "144" = "topic_name_invalid",
  "145" = "packet_identifier_in_use", "146" = "packet_identifier_not_found",
  "147" = "receive_maximum_exceeded", "148" = "topic_alias_invalid", "149" = "packet_too_large",
  "150" = "message_rate_too_high", "151" = "quota_exceeded", "152" = "administrative_action",
  "153" = "payload_format_invalid", "154" = "retain_not_supported", "155" = "qos_not_supported",
  "156" = "use_another_server", "157" = "server_moved",
  "158" = "shared_subscriptions_not_supported", "159" = "connection_rate_exceeded",
  "160" = "maximum_connect_time", "161" = "subscription_identifiers_not_supported",
  "162" = "wildcard_subscriptions_not_supported"
)

#' Events of the reason codes in the service's packets, of both sides: `reasoned`, one for each
#' code, 1 if it is a failure, else 0; `reason_NAME` for each that reports more than success, by its
#' name in [reason_names], `reason_0xNN` where the standard has none.
#'
#' @param ctx result of [measure_context()].
reason_events <- function(ctx) {
  s <- ctx$service
  data.table::rbindlist(lapply(reason_columns, function(column) {
    codes <- split_list(s[[column]])
    at <- rep(seq_along(codes), lengths(codes))
    if (!length(at)) return(NULL)
    code <- strtoi(unlist(codes)) # tshark prints them with 0x
    told <- code >= 0x80 | code %in% as.integer(names(reason_names))
    name <- unname(reason_names[as.character(code)])
    name <- data.table::fifelse(is.na(name), sprintf("0x%02x", code), name)
    data.table::rbindlist(list(
      events_of("reasoned", s[at], code >= 0x80),
      events_by(paste0("reason_", name)[told], s[at[told]], rep(1, sum(told)))
    ))
  }))
}

#' How many reason codes were failures, of how many, and the packets with each code that reports
#' more than success; NULL where no packet has a code.
#'
#' @param r result of [reduce_capture()].
reason_metrics <- function(r) {
  n <- count(r, "reasoned")
  if (n == 0) return(NULL)
  found <- sort(grep("^reason_", names(r$moments), value = TRUE))
  data.table::rbindlist(list(
    metric_row("reason_failures", total(r, "reasoned"), "codes", n),
    if (length(found)) {
      metric_row(paste0(found, "_codes"), vapply(found, function(event) count(r, event), 0),
                 "codes", n)
    }
  ))
}
