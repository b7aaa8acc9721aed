# The study `security`: the cost of a wake-up from deep sleep, with and without a session that
# survives it.

#' One row per mode, way of authentication, and whether the session was kept: `n` (wake-ups), `ack`,
#' `low`, `high` (ms to the first acknowledgement), `bytes` (of the connection and its message),
#' `airtime` (us), `charge` (uC: listening until the acknowledgement). NULL if no device slept.
security_wakings <- function(metrics, trials) {
  kinds <- unique(trials[life == "wakes", .(mode, how, resumes)])
  if (nrow(kinds) == 0L) return(NULL)
  rows <- lapply(seq_len(nrow(kinds)), function(i) {
    mine <- trials[life == "wakes"][kinds[i], on = c("mode", "how", "resumes"), trial]
    mean_of <- function(what) security_mean(metrics, mine, what)
    life <- if (kinds$resumes[i]) "resumed_" else ""
    ack <- mean_of("waking_ack_mean_ms")
    connection <- mean_of(paste0("connection_", life, "bytes"))$value
    cbind(kinds[i], data.table::data.table(
      n = ack$n, ack = ack$value, low = ack$low, high = ack$high,
      bytes = sum(connection, mean_of("exchange_bytes_per_message")$value, na.rm = TRUE),
      airtime = mean_of(paste0("airtime_with_", life, "connection_us"))$value,
      charge = ack$value * esp8266_currents_ma$listen))
  })
  out <- data.table::rbindlist(rows)
  out[order(mode, startsWith(how, "TLS"), match(how, c("none", "pre-shared key")), how, resumes)]
}

security_wakings_table <- function(x) {
  if (is.null(x)) return(NULL)
  cells <- cbind(ifelse(duplicated(x$mode), "", as.character(x$mode)), latex_text(x$how),
                 ifelse(x$how == "none", "", ifelse(x$resumes, "kept", "forgotten")),
                 latex_number(x$n), latex_number(x$ack, 1L), latex_interval(x$low, x$high, 1L),
                 latex_number(x$bytes), latex_number(x$airtime), latex_number(x$charge))
  header <- c("", "", "session", "$n$", "acknowledged, ms", "interval", "bytes", "air, \\textmu s",
              "awake, \\textmu C")
  latex_table(cells, "@{}lllrrlrrr@{}", header, which(!duplicated(x$mode))[-1L])
}

#' Numbers of each row, `\twSecurityWaking<Mode><How>[Kept]<Quantity>`.
security_wakings_numbers <- function(x) {
  if (is.null(x)) return(NULL)
  who <- paste("Waking", x$mode, x$how, ifelse(x$resumes, "kept", ""))
  values <- list(Ack = latex_number(x$ack, 1L), Bytes = latex_number(x$bytes),
                 Charge = latex_number(x$charge))
  unlist(lapply(names(values), function(q) {
    vapply(seq_along(who), function(i) security_macro(who[i], q, text = values[[q]][i]), "")
  }))
}
