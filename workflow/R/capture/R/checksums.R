# Checksums that are wrong in the capture but were right on the wire: a network card fills them in
# and cuts large segments after the capture point of its host; received segments are joined before
# it.

#' Wrong checksums, except those that a card fills in.
wrong_sums <- function(f, column) {
  f[[column]] %in% wrong_status & !left_to_card(f, column)
}

#' Has any segment a wrong checksum, filled in later or not? Then tshark does not read its message.
any_wrong_sum <- function(f) any(f$tcp_sum %in% wrong_status)

#' tshark's checksum statuses: wrong, illegal, partial.
wrong_status <- c("0", "4", "5")

#' Was the checksum to be filled in later? Then it is 0 or the sum over the pseudo header (RFC 9293,
#' 3.1; with or without the packet's length), which stacks leave for the card, also in segments that
#' they joined; or most checksums of this sender are wrong, in this conversation or everywhere.
left_to_card <- function(f, column) {
  wrong <- which(f[[column]] %in% wrong_status)
  out <- rep(FALSE, nrow(f))
  if (length(wrong) == 0L) return(out)
  found <- strtoi(f[[sub("_sum", "_checksum", column)]][wrong], 16L)
  partial <- if (column == "ip_sum") 0 else pseudo_sum(f[wrong], 0)
  with_length <- if (column == "ip_sum") 0 else
    pseudo_sum(f[wrong], f$transport_header[wrong] + transport_payload(f[wrong]))
  out[wrong] <- (found == 0 | found == partial | found == with_length) %in% TRUE
  out[wrong] <- out[wrong] | mostly_wrong(f, column, "src")[wrong] |
    mostly_wrong(f, column, c("src", "stream"))[wrong]
  out
}

#' Rows of groups of at least five in which most checksums are wrong, so that one wrong frame of an
#' unknown address does not count as a sender.
mostly_wrong <- function(f, column, group) {
  g <- data.table::copy(f[, group, with = FALSE])
  g[, `:=`(wrong = f[[column]] %in% wrong_status, known = nzchar(f[[column]]))]
  g[, V1 := sum(wrong) > 0.5 * sum(known) & sum(known) >= 5L, by = group]$V1
}

#' Folded sum of the words of the pseudo header of TCP or UDP packets and a length.
pseudo_sum <- function(f, length) {
  protocol <- data.table::fifelse(f$transport == "tcp", 6, 17)
  sum <- address_sum(f$src) + address_sum(f$dst) + protocol + length
  for (fold in 1:2) sum <- sum %% 65536 + sum %/% 65536
  sum
}

#' Sum of the 16-bit words of each IP address.
address_sum <- function(addresses) {
  each <- unique(addresses)
  sums <- vapply(each, function(text) {
    groups <- ipv6_groups(text)
    if (!is.null(groups)) return(sum(groups))
    bytes <- suppressWarnings(as.numeric(strsplit(text, ".", fixed = TRUE)[[1L]]))
    if (length(bytes) == 4L) sum(bytes * c(256, 1, 256, 1)) else NA_real_
  }, 0)
  unname(sums[match(addresses, each)])
}

#' Frames that are larger than the link: their TCP payload exceeds the segment size that the other
#' side of the conversation announced, or a whole Ethernet packet where that was not captured.
oversized <- function(f) {
  announced <- f[syn == TRUE & !is.na(tcp_mss), .(limit = max(0L, tcp_mss)),
                 by = .(stream, dst = src)]
  limit <- announced[f, on = .(stream, dst), limit, mult = "first"]
  loopback <- f$src == f$dst
  f$transport == "tcp" &
    data.table::fcase(!is.na(limit), f$payload > limit,
                      loopback | !startsWith(f$protocols, "eth"), FALSE,
                      rep(TRUE, nrow(f)), f$ip_bytes > 1500L)
}
