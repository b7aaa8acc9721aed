# From tshark's lines to the packets table, and the table's file.

#' Dissect a capture into the packets table.
#'
#' @param capture pcap or pcapng file.
#' @param ports named integer vector of nonstandard ports, see [decode_as()].
#' @param check_sums verify checksums, see [start_tshark()].
#' @param origin time of frame 1 as tshark prints it, where the capture is a part of another.
#' @param schema the fields that are read: [packet_schema()] or one that begins with its rows.
#' @return the packets table: the columns of [packet_schema()] with IPv4 and IPv6 merged, and
#'   those that [complete_packets()] adds.
dissect <- function(capture, ports = NULL, check_sums = FALSE, origin = NULL,
                    schema = packet_schema()) {
  finish_dissection(start_dissection(capture, ports, check_sums, schema), origin)
}

#' Start the dissector, which works while R goes on. @return a job for [finish_dissection()].
start_dissection <- function(capture, ports = NULL, check_sums = FALSE,
                             schema = packet_schema()) {
  start <- function(in_order, file = capture, named = NULL) {
    start_tshark(file, schema$field, decode_as(ports), check_sums, in_order,
                 payloads = any(startsWith(schema$field, "tw.")), named = named)
  }
  bodies <- function(frames) {
    filter <- paste0("frame.number in {", paste(frames, collapse = ", "), "}")
    start_tshark(capture, c("frame.number", "tw.http_body"), c(decode_as(ports), "-Y", filter),
                 payloads = TRUE)
  }
  c(start(in_order = TRUE), list(schema = schema, start = start, bodies = bodies))
}

#' Wait for the dissector. If segments are missing from the capture, it dissects the packets again,
#' in the order of the capture: see [start_tshark()]. It also does if messages name further contexts
#' of OSCORE, now with these.
#'
#' @return the packets table, see [dissect()].
finish_dissection <- function(job, origin = NULL) {
  read <- function(job, in_order, named = NULL) {
    again <- function(file) read_job(job$start(in_order, file, named), job$schema)
    confirm_marks(separate_connections(read_job(job, job$schema), job$capture, again))
  }
  table <- read(job, in_order = TRUE)
  in_order <- !any(table$ack_unseen)
  named <- oscore_named(table)
  if (!in_order || nrow(named)) {
    next_job <- c(job$start(in_order, named = named), job[c("schema", "start")])
    table <- read(next_job, in_order, named)
  }
  end_at_data(complete_packets(table, job$capture, origin), job$bodies)
}

#' tshark's rows about packets: a record that is not a packet (systemd's journal, a custom block)
#' has no link layer.
read_job <- function(job, schema) {
  lines <- finish_tshark(job)
  on.exit(unlink(lines))
  read_fields(lines, schema)[
    !(protocols %in% "systemd_journal" | (protocols %in% "data" & !nzchar(epoch)))]
}

#' Read tshark's tab-separated lines with the types of a schema.
read_fields <- function(lines, schema) {
  if (file.size(lines) == 0) {
    empty <- data.table::as.data.table(stats::setNames(
      rep(list(character(0)), nrow(schema)), schema$column))
    return(type_columns(empty, schema))
  }
  words <- which(schema$type != "integer")
  table <- data.table::fread(lines, sep = "\t", header = FALSE, quote = "", fill = TRUE,
                             colClasses = list(character = words), na.strings = NULL,
                             integer64 = "double", col.names = schema$column,
                             encoding = "UTF-8", showProgress = FALSE)
  type_columns(keep_innermost(table), schema)
}

#' Convert the columns of a packets table to their types; the first value counts where a scalar
#' field occurs twice. fread has read as integers what is one integer in every frame.
type_columns <- function(table, schema) {
  first <- function(x) {
    if (!is.character(x)) return(x)
    several <- grep(list_separator, x, fixed = TRUE)
    x[several] <- sub(paste0(list_separator, ".*"), "", x[several])
    x
  }
  for (i in which(schema$type != "list")) {
    name <- schema$column[i]
    value <- table[[name]]
    value <- switch(schema$type[i],
      integer = suppressWarnings(as.integer(first(value))),
      double = suppressWarnings(as.numeric(first(value))),
      flag = nzchar(value),
      text = first(value)
    )
    if (!identical(value, table[[name]])) data.table::set(table, j = name, value = value)
  }
  table
}

#' Add the columns that follow from others.
#'
#' `time` (seconds since the first frame), `src`, `dst`, `sport`, `dport`, `transport` ("tcp",
#' "udp", "other"), `stream` ("tcp:3"), `ip_bytes` (network header and all it carries),
#' `transport_header` and `payload` (bytes of it and above it in this frame), `sealed` (of these,
#' see [sealed_bytes()], [oscore_bytes()]), and the TCP flags `syn`, `fin`, `rst`. `segments` are
#' those of TCP and of TLS. Fragments count as parts of the packet that they belong to.
complete_packets <- function(p, source = "packets", origin = NULL) {
  if (nrow(p) == 0L) silence_error(source, "holds no packets", "record it again")
  forgive_unknown_options(p)
  data.table::set(p, j = "epoch", value = plain_epoch(p$epoch))
  p[!nzchar(mqttsn_type), udp_payload := ""]
  p[, time := packet_times(epoch, origin)]
  p[, `:=`(src = data.table::fifelse(nzchar(ip_src), ip_src, ip6_src),
           dst = data.table::fifelse(nzchar(ip_src), ip_dst, ip6_dst),
           fragments = paste0(fragments, fragments6))]
  quoted <- grepl(":icmp", p$protocols, fixed = TRUE) # an ICMP error quotes another packet's header
  p[, transport := data.table::fcase(quoted, "other", !is.na(tcp_len), "tcp",
                                     !is.na(udp_len), "udp", default = "other")]
  forget_quoted(p)
  p[, `:=`(sport = data.table::fifelse(transport == "tcp", tcp_sport, udp_sport),
           dport = data.table::fifelse(transport == "tcp", tcp_dport, udp_dport))]
  p[, stream := data.table::fcase(transport == "tcp", paste0("tcp:", tcp_stream),
                                  transport == "udp", paste0("udp:", udp_stream), default = "")]
  follow_connection_ids(p)
  p[, `:=`(transport_header = data.table::fcase(transport == "tcp", tcp_header,
                                                transport == "udp", 8L, default = 0L),
           payload = transport_payload(p))]
  add_network_bytes(p)
  share_fragments(p)
  bits <- strtoi(data.table::fifelse(nzchar(p$tcp_flags), p$tcp_flags, "0x0"), 16L)
  p[, `:=`(syn = bitwAnd(bits, 2L) > 0L, fin = bitwAnd(bits, 1L) > 0L,
           rst = bitwAnd(bits, 4L) > 0L)]
  p[keep_alive == TRUE, data := ""] # no payload
  p[, `:=`(segments = join_lists(segments, tls_segments),
           sealed = sealed_bytes(p) + oscore_bytes(p))]
  p[]
}

#' A DTLS session with a connection ID is one conversation even if its client's address changes (RFC
#' 9146): the conversation in which the server first received the ID.
follow_connection_ids <- function(p) {
  behind <- paste0(list_separator, ".*") # the first of a frame's
  ids <- p[nzchar(dtls_cid), .(stream, cid = paste(dst, dport, sub(behind, "", dtls_cid)))]
  if (nrow(ids) == 0L) return(invisible())
  ids[, home := stream[1L], by = cid]
  p[unique(ids[home != stream]), stream := i.home, on = "stream"]
}

#' Joined values of two columns, one after the other.
join_lists <- function(one, two) {
  paste0(one, ifelse(nzchar(one) & nzchar(two), list_separator, ""), two)
}

#' Bytes above the transport header of a packet, all its fragments together.
transport_payload <- function(p) {
  data.table::fcase(p$transport == "tcp", p$tcp_len,
                    p$transport == "udp", pmax(p$udp_len - 8L, 0L), default = 0L)
}

#' Printed times with a fraction below one. A file can hold a second or more in a time's fraction:
#' Wireshark 4.4 prints "1000.(1000000000 nanoseconds)", and older ones "1000.1000000000".
plain_epoch <- function(epoch) {
  odd <- grep("^[0-9]+[.]([(]|[0-9]{10})", epoch)
  whole <- as.numeric(sub("[.].*$", "", epoch[odd]))
  below <- as.numeric(gsub("^.*[.]|[^0-9]", "", epoch[odd]))
  epoch[odd] <- sprintf("%.0f.%09.0f", whole + below %/% 1e9, below %% 1e9)
  epoch
}

#' Seconds of each packet since the first one. A packet without a time (a Simple Packet Block of
#' pcapng) gets the time of the packet before it, since the order of the frames decides.
packet_times <- function(epoch, origin) {
  known <- epoch[nzchar(epoch)]
  if (!length(known)) return(numeric(length(epoch)))
  last <- pmax(cumsum(nzchar(epoch)), 1L)
  seconds_since(known[last], if (is.null(origin) || !nzchar(origin)) known[1L] else origin)
}

#' Seconds between printed times, without the rounding of a double that holds seconds since 1970.
seconds_since <- function(epoch, origin) {
  parts <- function(x) {
    point <- regexpr(".", x, fixed = TRUE)
    point[point < 0L] <- nchar(x)[point < 0L] + 1L
    below <- as.numeric(paste0("0", substr(x, point, nchar(x))))
    list(whole = as.numeric(substr(x, 1L, point - 1L)),
         below = data.table::fifelse(startsWith(x, "-"), -below, below))
  }
  at <- parts(epoch)
  zero <- parts(origin)
  (at$whole - zero$whole) + (at$below - zero$below)
}

#' Bytes from the network header on. A length field of 0 (segmentation offload, RFC 2675 jumbograms)
#' has no meaning; then the transport header and payload determine the length.
add_network_bytes <- function(p) {
  header <- data.table::fifelse(is.na(p$ip_header), 40L, p$ip_header)
  carried <- data.table::fcase(p$transport == "tcp", p$tcp_header + p$tcp_len,
                               p$transport == "udp", p$udp_len, default = 0L)
  bytes <- data.table::fcase(!is.na(p$ip_len) & p$ip_len > 0L, p$ip_len,
                             !is.na(p$ip6_plen) & p$ip6_plen > 0L, p$ip6_plen + 40L,
                             nzchar(p$src), header + carried, default = 0L)
  p[, ip_bytes := pmin(bytes, len)]
}

#' Columns that [complete_packets()] replaces by others.
merged_columns <- c("ip_src", "ip_dst", "ip6_src", "ip6_dst", "fragments6", "tls_segments",
                    "remarks", "coap_unknown", "oscore_unknown")

#' Write a packets table as CSV, gzip when the name ends so; the same table gives the same bytes.
#'
#' @param p packets table, with the column `body` or without. @param file path.
write_packets <- function(p, file) {
  kept <- c(intersect(setdiff(body_schema()$column, merged_columns), names(p)), "time", "src",
            "dst", "sport", "dport", "transport", "stream", "transport_header", "payload",
            "sealed", "ip_bytes", "syn", "fin", "rst")
  out <- p[, kept, with = FALSE]
  out[, time := sprintf("%.9f", time)]
  data.table::fwrite(out, file, quote = TRUE, logical01 = TRUE)
}

#' Read a packets table that [write_packets()] wrote.
#'
#' @param file CSV, gzip or not.
read_packets <- function(file) {
  if (!file.exists(file)) input_error(file, "no such file", "dissect the capture first")
  there <- scan(file, "", sep = ",", nlines = 1L, quiet = TRUE)
  text <- body_schema()[type %in% c("text", "list"), column]
  text <- intersect(c(setdiff(text, merged_columns), "src", "dst", "transport", "stream"), there)
  p <- read_csv(file, colClasses = list(character = text, numeric = c("tcp_seq", "tcp_ack")),
                showProgress = FALSE)
  if (!"stream" %in% names(p)) {
    input_error(file, "is not a packets table", "make it with workflow/scripts/dissect.R")
  }
  for (name in text) data.table::set(p, which(is.na(p[[name]])), name, "")
  # of a column without values `fread` cannot know the type
  whole <- intersect(body_schema()[type == "integer", column], names(p))
  for (name in whole) {
    if (is.logical(p[[name]])) data.table::set(p, j = name, value = as.integer(p[[name]]))
  }
  logical <- c(packet_schema()[type == "flag", column], "syn", "fin", "rst")
  for (name in logical) data.table::set(p, j = name, value = as.logical(p[[name]]))
  p[]
}
