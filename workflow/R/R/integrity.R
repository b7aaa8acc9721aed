# Is this capture what was on the wire? A flipped byte must not become a wrong number.
#
# What can be told: cut files and broken block structure (tshark refuses them); packets that were
# cut when captured; wrong IP, TCP and UDP checksums; times that run backwards; an Ethernet source
# that changes for a known address; frames of the device that no dissector knows. What cannot: a
# flip inside a timestamp that keeps the order of the packets, or in the frames of a sender whose
# card fills in checksums after the capture: then nearly all of that sender's are wrong.

#' Fields that the check reads.
integrity_fields <- c(
  frame = "frame.number", epoch = "frame.time_epoch", len = "frame.len", cap_len = "frame.cap_len",
  protocols = "frame.protocols", eth_src = "eth.src", eth_dst = "eth.dst", eth_type = "eth.type",
  src = "ip.src", dst = "ip.dst", ip_sum = "ip.checksum.status", tcp_sum = "tcp.checksum.status",
  udp_sum = "udp.checksum.status", malformed = "_ws.malformed", tcp_port = "tcp.port"
)

#' Read the fields of [integrity_fields] of a capture.
integrity_table <- function(capture) {
  lines <- run_tshark(capture, integrity_fields, check_sums = TRUE)
  on.exit(unlink(lines))
  schema <- data.table::data.table(column = names(integrity_fields), field = integrity_fields,
                                   type = "text")
  schema[column %in% c("frame", "len", "cap_len"), type := "integer"]
  schema[column == "malformed", type := "flag"]
  if (file.size(lines) == 0) input_error(capture, "holds no packets", "record it again")
  read_fields(lines, schema)
}

#' Findings about the device's frames.
#'
#' @param f result of [integrity_table()], or a part of it.
#' @param device IP address.
#' @return data.table `frame`, `problem`; empty for a sound capture.
integrity_findings <- function(f, device) {
  mac <- f[src == device & nzchar(eth_src), .N, by = eth_src][order(-N)]
  macs <- mac[N >= max(2, 0.01 * sum(N)), eth_src]
  of_device <- f$src == device | f$dst == device | f$eth_src %in% macs | f$eth_dst %in% macs
  times <- as.numeric(sub("^[0-9]*", "0", f$epoch)) +
    (as.numeric(sub("[.].*", "", f$epoch)) - as.numeric(sub("[.].*", "", f$epoch[1L])))
  backwards <- c(FALSE, diff(times) < -0.001)
  data.table::rbindlist(list(
    finding(f, of_device & f$cap_len < f$len, "was cut to fewer bytes than it had"),
    finding(f, backwards, "has an earlier time than the frame before it"),
    finding(f, wrong_sums(f, "ip_sum"), "has a wrong IP checksum"),
    finding(f, of_device & wrong_sums(f, "tcp_sum"), "has a wrong TCP checksum"),
    finding(f, of_device & wrong_sums(f, "udp_sum"), "has a wrong UDP checksum"),
    finding(f, of_device & strange_source(f), "has another Ethernet source than its address had"),
    finding(f, of_device & unknown_type(f), "has an unknown Ethernet type")
  ))
}

finding <- function(f, rows, problem) {
  rows <- which(rows %in% TRUE)
  data.table::data.table(frame = f$frame[rows], problem = rep(problem, length(rows)))
}

#' Wrong checksums (tshark's status 0), except of senders that leave most of theirs to the card.
wrong_sums <- function(f, column) {
  bad <- f[[column]] == "0"
  known <- nzchar(f[[column]])
  share <- data.table::data.table(src = f$src, bad, known)[
    , .(offloaded = sum(bad) > 0.5 * sum(known)), by = src]
  bad & !(f$src %in% share[offloaded == TRUE, src])
}

#' Frames whose Ethernet source is not the one that nearly all frames of that IP address have.
#' Addresses behind a router or shared by several cards have no single one and are left out.
strange_source <- function(f) {
  pairs <- f[nzchar(src) & nzchar(eth_src), .N, by = .(src, eth_src)]
  pairs[, share := N / sum(N), by = src]
  odd <- pairs[share < 0.01 & N < 3]
  paste(f$src, f$eth_src) %in% paste(odd$src, odd$eth_src)
}

#' Frames whose payload nothing could name: a damaged Ethernet type or IP version.
unknown_type <- function(f) {
  grepl("^eth:(ethertype:)?(data|llc)", f$protocols) | (f$malformed & !nzchar(f$src))
}

#' Stop if a capture is damaged.
#'
#' @param f result of [integrity_table()].
check_integrity <- function(f, device, capture) {
  found <- integrity_findings(f, device)
  if (nrow(found) == 0L) return(invisible(f))
  data.table::setorder(found, frame)
  more <- if (nrow(found) > 1L) paste0(" (and ", nrow(found) - 1L, " more findings)") else ""
  input_error(capture, paste0(found$problem[1L], more),
              "copy the capture again; --damaged keep measures it as it is",
              key = paste("frame", found$frame[1L]))
}
