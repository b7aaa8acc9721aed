# The numbers of the study `security` in the paper's text.

security_macro <- function(..., text) latex_macro(macro_name("Security", ...), text)

#' Numbers of each row, `\twSecurity<Mode><How>[Resumed]<Quantity>`.
security_row_numbers <- function(x) {
  who <- paste(x$mode, x$how, ifelse(x$resumed, "resumed", ""))
  values <- list(Connection = latex_number(x$bytes), Ready = latex_number(x$ready, 1L),
                 First = latex_number(x$ready + x$ack, 1L), Message = latex_number(x$message),
                 Charge = latex_number(x$charge),
                 Awake = latex_number(x$ready * esp8266_currents_ma$listen),
                 Heap = latex_number(x$heap / 1000, 1L))
  unlist(lapply(names(values), function(q) {
    vapply(seq_along(who), function(i) security_macro(who[i], q, text = values[[q]][i]), "")
  }))
}

#' The minutes between messages from which on a separate connection has fewer bytes than a kept one,
#' and the cost of a keep-alive.
security_often_numbers <- function(rows, pings) {
  minutes <- seq_len(1440L)
  x <- security_often(rows, pings, 60 * minutes)
  kept <- x[life == "kept", .(mode, how, interval, kept = bytes)]
  both <- merge(x[life == "anew"], kept, by = c("mode", "how", "interval"))
  even <- both[bytes < kept, .(minutes = min(interval) / 60), by = .(mode, how, resumed)]
  c(vapply(seq_len(nrow(even)), function(i) {
    security_macro(even$mode[i], even$how[i], if (even$resumed[i]) "resumed", "Even",
                   text = latex_number(even$minutes[i]))
  }, ""),
  vapply(seq_len(nrow(pings)), function(i) {
    security_macro(pings$mode[i], if (pings$secured[i]) "secured", "Ping",
                   text = latex_number(pings$ping[i]))
  }, ""))
}

#' Flash and RAM of the TLS 1.2 and 1.3 layers, the runs, and the overhead of a record: the
#' smallest, since acknowledgements of some protocols have a separate account, and for others two
#' records count.
security_layer_numbers <- function(metrics, trials, sizes) {
  size <- function(name, part) sizes[engine == name][[part]]
  more <- function(layer, part) (size(layer, part) + size("base", part) - size("all", part)) / 1000
  sent <- metrics[metric == "messages", .(trial, sent = value)]
  record <- function(names) {
    bytes <- metrics[metric == "ledger_record_bytes" & value > 0 & trial %in% names]
    min(bytes[sent, on = "trial", nomatch = NULL][, value / sent])
  }
  kept <- trials[life == "kept"]
  new <- startsWith(kept$how, "TLS 1.3")
  c(security_macro("Layer Flash", text = latex_number(more("secure", "flash_bytes"), 1L)),
    security_macro("Layer Ram", text = latex_number(more("secure", "ram_bytes"), 1L)),
    security_macro("New Layer Flash", text = latex_number(more("tls13", "flash_bytes"), 1L)),
    security_macro("New Layer Ram", text = latex_number(more("tls13", "ram_bytes"), 1L)),
    security_macro("Record", text = latex_number(record(kept$trial[!new]))),
    if (any(new)) security_macro("New Record", text = latex_number(record(kept$trial[new]))),
    if (any(metrics$metric == "record_overhead_cid_bytes")) {
      security_macro("Record With Id", text = latex_number(
        max(metrics[metric == "record_overhead_cid_bytes", value])))
    },
    security_macro("Most Setup", text = latex_number(
      max(metrics[metric == "charge_setup_uc" & trial %in% trials$trial, value]))),
    security_macro("Trials", text = latex_number(nrow(trials))))
}
