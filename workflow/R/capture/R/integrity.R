# Does this capture show what was on the wire? A flipped byte must not become a wrong number.
#
# Errors with --strict, otherwise findings: files that end within a packet, and broken block
# structure (tshark, blocks.R); packets truncated at capture; wrong IP, TCP and UDP checksums;
# inconsistent lengths; jumps in time. Warnings only, since they also occur in sound captures: times
# that run backwards slightly; an Ethernet source that changes for a known address; frames of the
# device that no dissector knows; a first or last packet far from all others; an end in the middle
# of an exchange. Not detectable: a flip inside a timestamp that keeps the order of the packets, or
# in the frames of a sender whose card fills in checksums after the capture (checksums.R).

#' Findings about the device's frames.
#'
#' @param f packets table.
#' @param device IP address.
#' @param sums TRUE if it was dissected with checksums.
#' @return data.table `frame`, `place` ("" where the frame is it), `problem`, `distorts` (what of a
#'   result it may change), `fatal` (with --strict an error); empty for a sound capture.
integrity_findings <- function(f, device, sums = TRUE) {
  mac <- f[src == device & nzchar(eth_src), .N, by = eth_src][order(-N)]
  macs <- mac[N >= max(2, 0.01 * sum(N)), eth_src]
  of_device <- f$src == device | f$dst == device | f$eth_src %in% macs | f$eth_dst %in% macs
  step <- c(0, diff(f$time))
  limit <- snapshot_length(f)
  snapped <- f$cap_len < f$len & f$cap_len == limit
  data.table::rbindlist(list(
    finding(f, of_device & snapped, cut_text(limit), "messages and payload behind the cut"),
    finding(f, f$cap_len > f$len | (f$cap_len < f$len & f$cap_len < limit),
            "has a length that it cannot have had", "bytes, and what these frames say"),
    finding(f, of_device & grepl(":ip(v6)?$", f$protocols) & !nzchar(f$src),
            "has an impossible IP header", "whose frames these are"),
    finding(f, of_device & sums & unchecked(f) & !snapped,
            "has a length that does not fit its packet", "bytes, and what these frames say"),
    finding(f, !of_device & snapped, cut_text(limit), "nothing of the device", fatal = FALSE),
    finding(f, wrong_sums(f, "ip_sum"), "has a wrong IP checksum", "what these frames say"),
    finding(f, of_device & wrong_sums(f, "tcp_sum"), "has a wrong TCP checksum",
            "what these frames say"),
    finding(f, of_device & wrong_sums(f, "udp_sum"), "has a wrong UDP checksum",
            "what these frames say"),
    finding(f, of_device & missing_sums(f), "has no UDP checksum, as others of its sender have",
            "what these frames say"),
    finding(f, startsWith(f$epoch, "-"), "has a time before 1970", time_distorts),
    finding(f, abs(step) > longest_step | step < -1, "has a time far from the frame before it",
            time_distorts),
    finding(f, step < 0 & step >= -1, "has an earlier time than the frame before it",
            time_distorts, fatal = FALSE),
    finding(f, of_device & oversized(f), paste("is larger than the link: a network card or its",
                                               "driver joins or cuts segments"),
            "numbers of packets, and bytes of headers", fatal = FALSE),
    finding(f, of_device & strange_source(f), "has another Ethernet source than its address had",
            "whose frames these are", fatal = FALSE),
    finding(f, of_device & unknown_type(f), "has an unknown Ethernet type",
            "messages: these frames are not read", fatal = FALSE)
  ))
}

#' The metrics that a wrong time may distort.
time_distorts <- "times and rates"

#' Seconds between two frames that cannot be a pause: 30 days.
longest_step <- 30 * 86400

#' The largest captured length of a frame on the same interface: each interface has its own snapshot
#' length.
snapshot_length <- function(f) {
  f[, .(cap_len, section, interface)][, V1 := max(cap_len), by = .(section, interface)]$V1
}

cut_text <- function(limit) {
  sprintf("was cut to %d bytes, the snapshot length of the capture", as.integer(limit))
}

no_findings <- data.table::data.table(frame = numeric(), place = character(), problem = character(),
                                      distorts = character(), fatal = logical())

#' Findings about the rows of a packets table for which `rows` is true.
#'
#' @param problem,distorts texts, see [integrity_findings()]; one for each row of `f`, or for all.
finding <- function(f, rows, problem, distorts, fatal = TRUE) {
  rows <- which(rows)
  n <- length(rows)
  data.table::data.table(
    frame = as.numeric(f$frame[rows]), place = rep("", n),
    problem = if (length(problem) == nrow(f)) problem[rows] else rep(problem, n),
    distorts = rep(distorts, n), fatal = rep(fatal, n))
}

#' A finding about the file, not about a frame.
#'
#' @param place where in the file. @param problem,distorts,fatal see [integrity_findings()].
file_finding <- function(place, problem, distorts, fatal = TRUE) {
  data.table::data.table(frame = NA_real_, place = place, problem = problem, distorts = distorts,
                         fatal = fatal)
}

#' UDP packets without checksum (RFC 768) of senders that compute one in all their others.
missing_sums <- function(f) {
  absent <- f[nzchar(udp_sum), .(share = mean(udp_sum == "3")), by = src][share < 0.1, src]
  f$udp_sum %in% "3" & f$src %in% absent
}

#' TCP and UDP packets whose checksum tshark could not check, although they are not fragments: a
#' length field is wrong.
unchecked <- function(f) {
  whole <- f$udp_len + f$ip_header != f$ip_len
  (f$transport == "tcp" & f$tcp_sum %in% c("", "2")) |
    (f$transport == "udp" & f$udp_sum %in% c("", "2") & whole %in% TRUE & !nzchar(f$fragments))
}

#' Frames whose Ethernet source differs from nearly all other frames of that IP address. Addresses
#' behind a router or shared by several cards have no single source and are excluded.
strange_source <- function(f) {
  pairs <- f[nzchar(src) & nzchar(eth_src), .N, by = .(src, eth_src)]
  pairs[, share := N / sum(N), by = src]
  odd <- pairs[share < 0.01 & N < 3]
  paste(f$src, f$eth_src) %in% paste(odd$src, odd$eth_src)
}

#' Frames whose payload no dissector recognised: a damaged Ethernet type or IP version. (IEEE 802.2
#' frames such as the XID that an access point sends for a station are recognised.)
unknown_type <- function(f) {
  grepl("^eth:(ethertype:)?(data|llc(:data)?$)", f$protocols) | (f$malformed & !nzchar(f$src))
}

#' Stop if a capture is damaged.
#'
#' @param found findings, see [integrity_findings()]. @param capture name for the error.
#' @return the findings.
refuse_findings <- function(found, capture) {
  fatal <- found[fatal == TRUE]
  if (nrow(fatal) == 0L) return(found)
  data.table::setorder(fatal, frame)
  more <- if (nrow(fatal) > 1L) paste0(" (and ", count_text(nrow(fatal) - 1L, "more finding"), ")")
  snapped <- grepl("snapshot", fatal$problem[1L])
  again <- if (snapped) "record it again, whole packets (-s 0)" else "copy the capture again"
  place <- if (is.na(fatal$frame[1L])) fatal$place[1L] else paste("frame", fatal$frame[1L])
  input_error(capture, paste0(fatal$problem[1L], more),
              paste0(again, ", or measure it as it is, without --strict"), key = place)
}

#' Findings, one row for each problem.
#'
#' @param found findings, see [integrity_findings()].
#' @return data.table `frames` (how many; 0: it is about no frame), `which` (the first ones, or the
#'   place in the file), `finding`, `may_distort`.
sum_findings <- function(found) {
  data.table::setorder(unique(found), frame, na.last = FALSE)[, .(
    frames = sum(!is.na(frame)),
    which = paste0(c(place[nzchar(place)], head(format_whole(frame[!is.na(frame)]), 5L),
                     if (sum(!is.na(frame)) > 5L) "..."), collapse = ", "),
    may_distort = distorts[1L]
  ), by = .(finding = problem)][, .(frames, which, finding, may_distort)]
}

format_whole <- function(x) sprintf("%.0f", x)

#' Warn of findings, one line for each problem.
#'
#' @param findings result of [sum_findings()]. @param capture its name, for the warning.
warn_findings <- function(findings, capture) {
  for (i in seq_len(nrow(findings))) {
    row <- findings[i]
    first <- sub(",.*", "", row$which)
    more <- if (row$frames > 1) paste0(" (and ", count_text(row$frames - 1, "more frame"), ")")
    warn(capture, if (row$frames) "frame ", first, if (nzchar(first)) ": ", row$finding, more)
  }
}
