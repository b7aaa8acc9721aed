# MQTT 5 without its CONNECT: only that packet has the version, and a PUBLISH of MQTT 5 has
# properties before its payload (MQTT 5, 3.3.2.3).

#' Port of sessions whose CONNECT the capture lacks, if all their PUBLISH fit MQTT 5.
#'
#' @param p packets table. @param capture its file. @param ports see [decode_as()].
#' @return c(mqtt5 = port); NULL if there is none, or one does not fit.
mqtt5_ports <- function(p, capture, ports) {
  begun <- p[nzchar(mqtt_level), unique(stream)]
  rows <- p[nzchar(mqtt_flags) & !stream %in% begun]
  if (nrow(rows) == 0L || !any(grepl("0x3", rows$mqtt_flags, fixed = TRUE))) return(NULL)
  found <- c(mqtt5 = as.integer(most_common(server_ports(rows))))
  fields <- c("frame.number", "mqtt.hdrflags", "mqtt.property_len", "mqtt.property_id",
              "mqtt.prop_unknown", "_ws.malformed")
  lines <- finish_tshark(start_tshark(capture, fields, c(decode_as(c(ports, found)), "-Y", "mqtt")))
  on.exit(unlink(lines))
  said <- data.table::fread(lines, sep = "\t", header = FALSE, quote = "", na.strings = NULL,
                            colClasses = "character", fill = TRUE)
  names(said) <- c("frame", "flags", "length", "id", "odd", "malformed")
  said <- said[grepl("0x3", flags, fixed = TRUE) & as.integer(frame) %in% rows$frame]
  published <- vapply(split_list(said$flags), function(x) sum(startsWith(x, "0x3")), 0L)
  known <- unlist(split_list(said$id)) %in% publish_properties
  fits <- nrow(said) > 0L && all(lengths(split_list(said$length)) >= published) && all(known) &&
    !any(nzchar(said$odd) | nzchar(said$malformed))
  if (fits) found
}

#' Identifiers of the properties that a PUBLISH can have (MQTT 5, 2.2.2.2).
publish_properties <- c("0x01", "0x02", "0x03", "0x08", "0x09", "0x0b", "0x23", "0x26")

#' A finding about sessions that are assumed to be MQTT 5, see [whole_finding()].
#'
#' @param ports if `mqtt5` is among them, there are such sessions.
assumed_mqtt5 <- function(ports) {
  whole_finding(if ("mqtt5" %in% names(ports)) paste(
    "lacks the CONNECT of sessions of MQTT whose every PUBLISH fits MQTT 5: they are read so"),
    "payload and header, if they are of MQTT 3.1.1")
}
