# Running tshark. Nothing else in the package starts a dissector.

#' Preferences that make a dissection independent of the user's own Wireshark profile.
tshark_preferences <- function(check_sums) {
  on <- if (check_sums) "TRUE" else "FALSE"
  c("tcp.relative_sequence_numbers:FALSE", "tcp.desegment_tcp_streams:TRUE",
    "tcp.analyze_sequence_numbers:TRUE", "http.desegment_body:TRUE",
    paste0(c("ip", "tcp", "udp"), ".check_checksum:", on))
}

#' Decode-as rules: MQTT-SN has no port of its own in tshark, the others may be elsewhere.
#'
#' @param ports named integer vector, protocol = port: c(mqtt = 1884, coap = 5700).
#' @return tshark arguments.
decode_as <- function(ports = NULL) {
  transport <- c(mqtt = "tcp", http = "tcp", websocket = "tcp", amqp = "tcp", tls = "tcp",
                 mqttsn = "udp", coap = "udp", dtls = "udp")
  unknown <- setdiff(names(ports), c(names(transport), "tcp", "udp"))
  if (length(unknown)) {
    input_error("--ports", paste0("no such protocol: ", unknown[1L]),
                paste("use one of", paste(names(transport), collapse = ", ")))
  }
  ports <- ports[names(ports) %in% names(transport)]
  rules <- c("udp.port==1883,mqttsn", "udp.port==10000,mqttsn")
  rules <- c(rules, sprintf("%s.port==%d,%s", transport[names(ports)], as.integer(ports),
                            names(ports)))
  as.vector(rbind("-d", rules))
}

#' Run tshark and return the path of its output, one line per frame.
#'
#' @param capture pcap or pcapng file, compressed or not.
#' @param fields tshark field names.
#' @param arguments further arguments (decode-as rules, filters).
#' @param check_sums let tshark verify IP, TCP and UDP checksums. Off for metrics: captures on a
#'   sending host hold checksums that its card fills in later, and tshark does not reassemble
#'   segments whose checksum is wrong.
#' @param output file to write.
#' @return `output`, invisibly. Input error if tshark cannot read the capture to its end.
run_tshark <- function(capture, fields, arguments = character(), check_sums = FALSE,
                       output = tempfile(fileext = ".tsv")) {
  if (!file.exists(capture)) input_error(capture, "no such file", "check the path")
  if (!nzchar(Sys.which("tshark"))) {
    input_error("tshark", "not found, needed to dissect captures", "apt-get install tshark")
  }
  profile <- tempfile("wireshark")
  dir.create(profile)
  complaints <- tempfile()
  on.exit(unlink(c(profile, complaints), recursive = TRUE))
  words <- c("-n", "-r", capture, as.vector(rbind("-o", tshark_preferences(check_sums))),
             arguments, "-T", "fields", "-E", "separator=/t", "-E", "occurrence=a",
             "-E", paste0("aggregator=", list_separator), "-E", "quote=n",
             as.vector(rbind("-e", fields)))
  environment <- c(paste0("WIRESHARK_CONFIG_DIR=", shQuote(profile)), "LC_ALL=C", "TZ=UTC")
  status <- system2("tshark", shQuote(words), stdout = output, stderr = complaints,
                    env = environment)
  said <- grep("Running as user|^ *$", readLines(complaints, warn = FALSE), value = TRUE,
               invert = TRUE)
  if (status != 0L) explain_tshark(capture, said)
  invisible(output)
}

#' Turn tshark's complaint into an input error.
explain_tshark <- function(capture, said) {
  text <- sub("^tshark: ", "", said[length(said)])
  if (!length(text)) text <- "tshark failed without saying why"
  if (any(grepl("cut short", said))) {
    input_error(capture, "cut short in the middle of a packet",
                "copy the capture again, or keep its whole packets with editcap")
  }
  if (any(grepl("isn't a capture file|not a capture file|format", said))) {
    input_error(capture, "not a capture file that tshark understands",
                "give a pcap or pcapng file, compressed or not")
  }
  input_error(capture, text, "repair the capture or record it again")
}

#' Version of tshark, such as "4.0.17"; part of what a result depends on.
tshark_version <- function() {
  line <- suppressWarnings(system2("tshark", "--version", stdout = TRUE, stderr = FALSE))[1L]
  sub("^.*?([0-9]+[.][0-9]+[.][0-9]+).*$", "\\1", line)
}
