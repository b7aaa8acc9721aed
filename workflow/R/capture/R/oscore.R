# OSCORE (RFC 8613): the bytes that it adds to messages of CoAP, and what they carry inside.

#' Security contexts of the laboratory's devices (data/oscore/settings.json), by which tshark
#' decrypts their messages. Sender IDs of devices: none, and their numbers from the second on
#' (hil/rig/boards/config.py); OSCORE_DEVICES_MAX of hil/design/addressing.py.
#'
#' @param named data.table `kid`, `id_context` (hexadecimal digits) of further contexts, see
#'   [oscore_named()].
#' @return preferences, one for each context: tshark's table of contexts has the client's view.
oscore_contexts <- function(named = NULL) {
  ids <- c("", utf8_digits(2:200))
  sprintf(paste0("uat:oscore_contexts:\"%s\",\"736572766572\",\"%s\",\"%s\",\"%s\",",
                 "\"AES-CCM-16-64-128 (CCM*)\""),
          c(ids, named$kid), "8d0f6a1c27b94e53a0c6f1d23b7e9845", "5ac31e90d4872b6f",
          c(rep("", length(ids)), named$id_context))
}

#' The contexts that requests name by an ID Context, and that were not decrypted. Appendix B.2 makes
#' such contexts. tshark finds a context by the bytes of the option and derives its keys from the
#' same bytes. So it cannot decrypt the two requests of appendix B.2 whose ID Context is in CBOR.
#'
#' @param p packets table. @return data.table `kid`, `id_context`, in their order.
oscore_named <- function(p) {
  requests <- p[nzchar(oscore_id_context) & is.na(oscore_code) & coap_code %in% 1:31]
  unique(requests[, .(kid = data.table::fifelse(grepl("^[0-9a-f]+$", oscore_kid), oscore_kid, ""),
                      id_context = oscore_id_context)])
}

#' Decimal numbers as the hexadecimal digits of their characters: 12 is "3132".
utf8_digits <- function(numbers) gsub("([0-9])", "3\\1", numbers)

#' Messages under OSCORE, one row each.
#'
#' @param p packets table.
#' @return data.table `at` (row of `p`), `added` (bytes: the option, a code and a payload marker
#'   more, the tag of AES-CCM-16-64-128), `opened` (tshark has decrypted it) and `agrees` (it is
#'   request 1 or response 1 of appendix B.2: the server names an ID Context in no other response,
#'   and acts on no such request).
oscore_messages <- function(p) {
  at <- which(grepl("OSCORE", p$coap_options, fixed = TRUE))
  names <- split_list(p$coap_options[at])
  sizes <- split_list(p$coap_option_sizes[at])
  more <- split_list(p$coap_option_more[at])
  added <- vapply(seq_along(at), function(i) {
    size <- as.numeric(sizes[[i]])
    long <- size == 13
    size[long] <- 13 + as.numeric(more[[i]][seq_len(sum(long))])
    place <- grep("OSCORE", names[[i]], fixed = TRUE)[1L]
    1 + long[place] + size[place] + 1 + 1 + 8
  }, 0)
  data.table::data.table(at = at, added = added, opened = !is.na(p$oscore_code[at]),
                         agrees = oscore_agrees(p[at]))
}

#' Is this request 1 or response 1 of appendix B.2? The server names an ID Context in no other
#' response. Request 2 has the same token and another ID Context.
oscore_agrees <- function(m) {
  request <- m$coap_code < 32L
  answer <- !request & nzchar(m$oscore_id_context)
  if (!any(answer)) return(answer)
  ends <- data.table::fifelse(request, m[, paste(src, sport, dst, dport, coap_token)],
                              m[, paste(dst, dport, src, sport, coap_token)])
  asked <- vapply(which(answer), function(i) {
    max(c(0L, which(request[seq_len(i)] & ends[seq_len(i)] == ends[i])))
  }, 0L)
  key <- paste(ends, m$oscore_id_context)
  answer | (request & key %in% key[asked])
}

#' Bytes of each packet that OSCORE adds.
oscore_bytes <- function(p) {
  out <- numeric(nrow(p))
  m <- oscore_messages(p)
  out[m$at] <- m$added
  out
}

#' Events `oscore_request` and `oscore_response`: bytes that OSCORE adds to each, but for those of
#' [oscore_messages()] that agree on a context.
oscore_events <- function(ctx) {
  m <- oscore_messages(ctx$service)[agrees == FALSE]
  if (nrow(m) == 0L) return(NULL)
  kind <- data.table::fifelse(ctx$service$coap_code[m$at] < 32L, "oscore_request",
                              "oscore_response")
  events_by(kind, ctx$service[m$at], m$added)
}
