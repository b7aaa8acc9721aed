# OSCORE (RFC 8613): the bytes that it adds to messages of CoAP, and what they carry inside.

#' Security context of the laboratory's devices (data/oscore/settings.json), by which tshark
#' decrypts their messages. Sender IDs of devices: none, and their numbers from the second on
#' (hil/rig/boards/config.py); DEVICES_MAX of hil/design/addressing.py.
#'
#' @return preferences, one for each device: tshark's table of contexts has the client's view.
oscore_contexts <- function() {
  ids <- c("", utf8_digits(2:200))
  sprintf(paste0("uat:oscore_contexts:\"%s\",\"736572766572\",\"%s\",\"%s\",\"\",",
                 "\"AES-CCM-16-64-128 (CCM*)\""),
          ids, "8d0f6a1c27b94e53a0c6f1d23b7e9845", "5ac31e90d4872b6f")
}

#' Decimal numbers as the hexadecimal digits of their characters: 12 is "3132".
utf8_digits <- function(numbers) {
  vapply(as.character(numbers), function(text) paste(charToRaw(text), collapse = ""), "")
}

#' Messages under OSCORE, one row each.
#'
#' @param p packets table.
#' @return data.table `at` (row of `p`), `added` (bytes: the option, a code and a payload marker
#'   more, the tag of AES-CCM-16-64-128) and `opened` (tshark has decrypted it). The option's value
#'   is shorter than 13 bytes, as it is without an ID Context of more than 3.
oscore_messages <- function(p) {
  at <- which(grepl("OSCORE", p$coap_options, fixed = TRUE))
  names <- split_list(p$coap_options[at])
  sizes <- split_list(p$coap_option_sizes[at])
  value <- vapply(seq_along(at), function(i) {
    place <- grep("OSCORE", names[[i]], fixed = TRUE)[1L]
    as.numeric(sizes[[i]][place])
  }, 0)
  data.table::data.table(at = at, added = 1 + value + 1 + 1 + 8,
                         opened = !is.na(p$oscore_code[at]))
}

#' Bytes of each packet that OSCORE adds.
oscore_bytes <- function(p) {
  out <- numeric(nrow(p))
  m <- oscore_messages(p)
  out[m$at] <- m$added
  out
}

#' Events `oscore_request` and `oscore_response`: bytes that OSCORE adds to each.
oscore_events <- function(ctx) {
  m <- oscore_messages(ctx$service)
  if (nrow(m) == 0L) return(NULL)
  kind <- data.table::fifelse(ctx$service$coap_code[m$at] < 32L, "oscore_request",
                              "oscore_response")
  events_by(kind, ctx$service[m$at], m$added)
}
