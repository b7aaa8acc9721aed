# IP addresses as text.

#' An IP address as tshark prints it: IPv6 in the form of RFC 5952, without a zone.
#'
#' @param address text in any notation; text that is not an IPv6 address is returned unchanged.
plain_address <- function(address) {
  text <- sub("%.*$", "", gsub("^\\[|\\]$", "", address))
  groups <- ipv6_groups(text)
  if (is.null(groups)) return(address)
  if (all(groups[1:5] == 0L) && groups[6L] == 65535L) {
    return(paste0("::ffff:", paste(rbind(groups[7:8] %/% 256L, groups[7:8] %% 256L),
                                   collapse = ".")))
  }
  zeros <- rle(groups == 0L)
  runs <- data.table::data.table(length = zeros$lengths * zeros$values,
                                 end = cumsum(zeros$lengths))
  longest <- runs[which.max(length)]
  hex <- sprintf("%x", groups)
  if (longest$length < 2L) return(paste(hex, collapse = ":"))
  paste0(paste(hex[seq_len(longest$end - longest$length)], collapse = ":"), "::",
         paste(hex[seq_len(8L - longest$end) + longest$end], collapse = ":"))
}

#' The eight groups of an IPv6 address; NULL if the text is none.
ipv6_groups <- function(text) {
  if (!grepl(":", text, fixed = TRUE)) return(NULL)
  quad <- regmatches(text, regexpr("[0-9]+([.][0-9]+){3}$", text))
  if (length(quad)) {
    bytes <- as.integer(strsplit(quad, ".", fixed = TRUE)[[1L]])
    if (any(bytes > 255L)) return(NULL)
    pair <- bytes[c(1L, 3L)] * 256L + bytes[c(2L, 4L)]
    text <- paste0(sub("[0-9.]+$", "", text), sprintf("%x:%x", pair[1L], pair[2L]))
  }
  halves <- strsplit(paste0(text, " "), "::", fixed = TRUE)[[1L]]
  groups <- lapply(strsplit(trimws(halves), ":", fixed = TRUE), as.character)
  given <- lengths(groups)
  shortened <- length(groups) == 2L
  if (length(groups) > 2L || (shortened && sum(given) > 7L) || (!shortened && given != 8L)) {
    return(NULL)
  }
  if (!all(grepl("^[0-9a-fA-F]{1,4}$", unlist(groups)))) return(NULL)
  missing <- rep("0", 8L - sum(given))
  strtoi(c(groups[[1L]], missing, if (shortened) groups[[2L]]), 16L)
}

#' Is this a group address: multicast, or the limited broadcast?
is_group <- function(address) {
  grepl("^(22[4-9]|23[0-9])[.]|^ff[0-9a-f]{2}:|^255[.]255[.]255[.]255$", address)
}
