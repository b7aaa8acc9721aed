# Running tshark. Nothing else in the package starts a dissector.

#' Passphrase and network of the laboratory's cell (sim/air/air.schema.json): with the handshake,
#' which is in the capture, tshark decrypts the frames of a board that joins under WPA2.
cell_key <- "uat:80211_keys:\"wpa-pwd\",\"thinwire:thinwire\""

#' Preferences that make a dissection independent of the user's own Wireshark profile.
#'
#' @param check_sums,in_order,named see [start_tshark()].
tshark_preferences <- function(check_sums, in_order, named) {
  c("tcp.relative_sequence_numbers:TRUE", "tcp.desegment_tcp_streams:TRUE",
    "tcp.analyze_sequence_numbers:TRUE", "http.desegment_body:TRUE",
    paste0("tcp.reassemble_out_of_order:", in_order), "wlan.enable_decryption:TRUE", cell_key,
    oscore_contexts(named),
    paste0(c("ip", "tcp", "udp"), ".check_checksum:", check_sums))
}

#' Decode-as rules for protocols on nonstandard ports. `mqtt5`: on all ports, sessions whose CONNECT
#' was not captured are MQTT 5.
#'
#' @param ports named integer vector, protocol = port: c(mqtt = 1884, coap = 5700).
#' @return tshark arguments.
decode_as <- function(ports = NULL) {
  transport <- c(protocol_values("transport"), tls = "tcp", dtls = "udp")
  layer <- c(protocol_values("layer"), tls = "tls", dtls = "dtls")
  layer[["websocket"]] <- "tw_websocket" # the dissector that thinwire.lua registers
  unknown <- setdiff(names(ports), names(transport))
  if (length(unknown)) {
    input_error("--ports", paste0("no such protocol: ", unknown[1L]),
                paste("use one of", paste(names(transport), collapse = ", ")))
  }
  rules <- sprintf("%s.port==%d,%s", transport[names(ports)], as.integer(ports),
                   layer[names(ports)])
  c(as.vector(rbind(rep("-d", length(rules)), rules)),
    if ("mqtt5" %in% names(ports)) c("-o", "mqtt.default_version:MQTT v5.0"))
}

#' Start tshark, which writes one line per frame while R continues. The dissector in
#' workflow/wireshark reads the header of the raw protocols; contents of payloads are not requested,
#' which saves a call per frame.
#'
#' @param capture pcap or pcapng file, compressed or not.
#' @param fields tshark field names.
#' @param arguments further arguments (decode-as rules, filters).
#' @param check_sums let tshark verify IP, TCP and UDP checksums. Off for metrics: captures on a
#'   sending host hold checksums that its card fills in later, and tshark does not reassemble
#'   segments whose checksum is wrong.
#' @param in_order let tshark reorder TCP segments before it dissects them. Otherwise a late segment
#'   leaves a hole in its message, and later ones are read from a wrong offset. Not if segments are
#'   missing from the capture, for which tshark would wait to the end.
#' @param payloads let workflow/wireshark recognise payloads, which costs a call per frame.
#' @param named further contexts of OSCORE, see [oscore_contexts()].
#' @return a job for [finish_tshark()].
start_tshark <- function(capture, fields, arguments = character(), check_sums = FALSE,
                         in_order = TRUE, payloads = FALSE, named = NULL) {
  if (!file.exists(capture)) input_error(capture, "no such file", "check the path")
  if (!nzchar(Sys.which("tshark"))) {
    input_error("tshark", "not found, needed to dissect captures", "apt-get install tshark")
  }
  words <- c(if (!payloads) c("--disable-protocol", "tw"),
             as.vector(rbind("-o", tshark_preferences(check_sums, in_order, named))), arguments,
             "-T", "fields", "-E", "separator=/t", "-E", "occurrence=a", "-E", "quote=n",
             as.vector(rbind("-e", fields)))
  program <- file.path(getOption("thinwire.workflow"), "wireshark", "dissect")
  command <- function(capture) {
    paste(c(shQuote(c(program, capture, words)), "-E \"aggregator=$byte\""), collapse = " ")
  }
  job <- list(capture = capture, output = tempfile(fileext = ".tsv"), said = tempfile())
  request <- fork_server(command)
  if (is.null(request)) return(start_job(job, command(capture)))
  c(start_job(job, paste(request, "<", shQuote(capture))), plain = command(capture))
}

#' Start the commands of a job.
#'
#' @param job `capture`, `output`, `said`. @param run a command that dissects.
#' @return the job with `status`, a connection to its exit status.
start_job <- function(job, run) {
  command <- paste(never_content, "{ {", run, "2>", shQuote(job$said),
                   "; echo $? >&3; } | LC_ALL=C sed", mark_lists, ">", shQuote(job$output),
                   "; } 3>&1")
  job$status <- pipe(command, "r") # nolint: undesirable_function_linter.
  job
}

#' The byte by which tshark joins the values of a field: it never occurs in UTF-8 text (RFC 3629,
#' 3), since a value can hold every character.
never_content <- "byte=$(printf '\\377') unit=$(printf '\\037');"

#' Turn it into [list_separator], and such a character in a value into `\x1f`.
mark_lists <- '-e "s/$unit/\\\\\\\\x1f/g" -e "s/$byte/$unit/g"'

#' Wait for tshark.
#'
#' @param job result of [start_tshark()].
#' @return the file that it wrote. Input error if it could not read the capture to its end.
finish_tshark <- function(job) {
  force(job) # an error during its start must not start it again in on.exit()
  on.exit(unlink(job$said))
  status <- readLines(job$status)
  close(job$status)
  if (identical(status, "75") && !is.null(job$plain)) { # the fork server or its copy has crashed
    return(finish_tshark(start_job(job[c("capture", "output", "said")], job$plain)))
  }
  if (identical(status, "0")) return(job$output)
  unlink(job$output)
  said <- readLines(job$said, warn = FALSE)
  explain_tshark(job$capture, grep("Running as user|^ *$", said, value = TRUE, invert = TRUE))
}

#' Convert tshark's error message to an input error.
explain_tshark <- function(capture, said) {
  text <- sub("^tshark: ", "", said[length(said)])
  if (!length(text)) text <- "tshark failed without saying why"
  if (any(grepl("cut short", said))) {
    input_error(capture, "cut short in the middle of a packet",
                "copy the capture again, or keep its whole packets with editcap")
  }
  if (any(grepl("isn't a capture file|not a capture file|format", said))) {
    input_error(capture, "not a capture file that tshark understands",
                "give a pcap or pcapng file, plain or compressed with gzip, zstd or lz4")
  }
  input_error(capture, text, "repair the capture or record it again")
}

#' Version of tshark, such as "4.0.17", on which results depend.
tshark_version <- function() {
  line <- suppressWarnings(run_program("tshark", "--version", stdout = TRUE, stderr = FALSE))[1L]
  sub("^.*?([0-9]+[.][0-9]+[.][0-9]+).*$", "\\1", line)
}
