# The frames of a station's way into its network, from a capture of the air or at the access point:
# EAPOL, DHCP and the ARP of its own address. The times between them are steps of a join.

#' Fields of such a frame, in the form of [packet_schema()].
join_schema <- function() {
  split_rows(c(
    "epoch | frame.time_epoch | text | s | capture time since 1970",
    "from_ap | wlan.fc.fromds | text | | sent by the access point; none in a capture of Ethernet",
    "retry | wlan.fc.retry | text | | 802.11 retry bit",
    "key | wlan_rsna_eapol.keydes.msgnr | text | | number of the message of a handshake",
    "pairwise | wlan_rsna_eapol.keydes.key_info.key_type | text | | of the 4-way handshake",
    "dhcp | dhcp.option.dhcp | text | | type of the DHCP message",
    "probe | arp.isprobe | text | | ARP probe (RFC 5227)",
    "announcement | arp.isannouncement | text | | ARP announcement (RFC 5227)"
  ), schema_columns)
}

#' The kinds of frames in their order, and who sends each.
join_kinds <- c("message 2" = "device", "message 4" = "device", discover = "device",
                offer = "server", request = "device", ack = "server", probe = "device",
                announcement = "device")

#' The frames of joins in a capture: neither what 802.11 repeats, nor what the access point sends on
#' to its other stations.
#'
#' @param capture pcap or pcapng file of one station. The laboratory's key decrypts WPA2.
#' @return data.table `time` (s since 1970), `kind`: one of [join_kinds].
join_frames <- function(capture) {
  schema <- join_schema()
  chosen <- c("-Y", "eapol || dhcp || arp.isprobe || arp.isannouncement")
  lines <- finish_tshark(start_tshark(capture, schema$field, chosen))
  on.exit(unlink(lines))
  if (file.size(lines) == 0) {
    return(data.table::data.table(time = numeric(), kind = character()))
  }
  x <- data.table::fread(lines, sep = "\t", header = FALSE, quote = "", colClasses = "character",
                         na.strings = NULL, col.names = schema$column)
  yes <- function(value) value %in% c("1", "True")
  x[, kind := data.table::fcase(
    key == "2" & yes(pairwise), "message 2", key == "4" & yes(pairwise), "message 4",
    dhcp == "1", "discover", dhcp == "2", "offer", dhcp == "3", "request", dhcp == "5", "ack",
    yes(probe), "probe", yes(announcement), "announcement", default = "")]
  sent_on <- yes(x$from_ap) & join_kinds[x$kind] %in% "device"
  x[nzchar(kind) & !sent_on & !yes(retry), .(time = as.numeric(epoch), kind)]
}

#' The steps of a join: the first and the last frame of each, and who takes the time. `keys` is of
#' the device and of the access point. A device that does not probe for its address announces it.
join_steps <- data.table::fread(sep = ";", strip.white = TRUE, text = "
step ; from ; to ; of
keys ; message 2 ; message 4 ; both
discover ; message 4 ; discover ; device
offer ; discover ; offer ; server
request ; offer ; request ; device
ack ; request ; ack ; server
arp ; ack ; arp ; device
check ; arp ; announcement ; device
")

#' The times of the steps of each join.
#'
#' @param frames result of [join_frames()].
#' @return data.table `join` (its number), `step`, `ms`: of each step that a join has. A step begins
#'   with the last of its first frames before it ends: what was repeated counts once.
join_step_times <- function(frames) {
  begins <- frames[kind == "message 2", time]
  ends <- frames[kind == "message 4", time]
  ends <- ends[findInterval(ends, begins) > 0L]
  # a repeated message 4 belongs to the same handshake
  ends <- ends[!duplicated(findInterval(ends, begins))]
  rows <- lapply(seq_along(ends), function(i) {
    before <- if (i < length(ends)) begins[findInterval(ends[i + 1L], begins)] else Inf
    mine <- frames[time >= begins[findInterval(ends[i], begins)] & time < before]
    cbind(join = i, one_join(mine))
  })
  data.table::rbindlist(rows)
}

#' Steps of one join.
#'
#' @param frames those from its message 2 on, in order of time.
one_join <- function(frames) {
  first <- function(kinds, after) {
    frames[kind %in% kinds & time >= after, c(time, NA)[1L]]
  }
  at <- c("message 2" = frames$time[1L])
  after <- at[[1L]]
  for (name in c("message 4", "discover", "offer", "request", "ack", "arp", "announcement")) {
    kinds <- if (name == "arp") c("probe", "announcement") else name
    at[[name]] <- first(kinds, after)
    if (is.na(at[[name]])) break
    after <- at[[name]]
  }
  steps <- join_steps[to %in% names(at)[!is.na(at)]]
  last <- function(name, end) max(frames[kind == name & time <= end, time], at[[name]])
  steps[, .(step, ms = vapply(seq_len(.N), function(i) {
    1e3 * (at[[to[i]]] - last(from[i], at[[to[i]]]))
  }, 0))]
}
