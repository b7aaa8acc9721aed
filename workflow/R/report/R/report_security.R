# The report of the study `security`: the cost of TLS and DTLS for a message, by the way of
# authentication, the life of a connection, and the interval between messages.

#' @param study see [make_report()]; its table `sizes` is that of size_report.py.
report_security <- function(study) {
  trials <- security_trials(study$factors)
  rows <- summarise_security(study$metrics, trials)
  reference <- rows[payload == 100]
  pings <- security_pings(study$metrics, trials, reference)
  sizes <- report_table(study, "sizes", c("engine", "flash_bytes", "ram_bytes"))
  pinged <- reference[!startsWith(how, "TLS 1.3")] # whose keep-alives were not measured
  often <- security_often(pinged, pings, security_intervals)
  wakings <- security_wakings(study$metrics, trials)
  list(figures = list(often = figure_security(pinged, pings)),
       tables = c(list(table = security_table(reference), often = security_often_table(often),
                       memory = security_memory_table(reference, sizes)),
                  list(wakings = security_wakings_table(wakings))[!is.null(wakings)]),
       numbers = c(security_row_numbers(reference), security_often_numbers(pinged, pings),
                   security_layer_numbers(study$metrics, trials, sizes),
                   security_wakings_numbers(wakings)))
}

#' Factors that may distinguish trials besides security. The peer varies with the connection ID,
#' which only one server supports.
security_levels <- c("security", "tls_version", "psk_dhe", "certificate", "own_certificate",
                     "cid", "peer", "resume", "connection_messages", "deep_sleep",
                     "payload_bytes", "interval_ms", "messages")

#' HTTP's two modes are two lives of its connection.
http_modes <- c(kept = "HTTP keep-alive", each = "HTTP connection each")

#' One row per trial: `mode`, `how` (way of authentication), `payload`, `life`: "kept" (one
#' connection), "each" (a connection for each message), "rests" (idle between messages), "wakes"
#' (deep sleep between messages); `keepalive` (s); `resumes`: does the device keep sessions?
security_trials <- function(factors) {
  wide <- add_modes(wide_factors(factors))
  each <- wide$mode == http_modes[["each"]]
  for (name in setdiff(c(security_levels, "keepalive_s"), names(wide))) {
    wide[, (name) := NA_character_]
  }
  check_shown(wide, c("mode", security_levels), "security")
  levels(wide$mode)[levels(wide$mode) %in% http_modes] <- "HTTP"
  server <- ifelse(wide$certificate %in% "rsa", "RSA-2048", "P-256")
  how <- ifelse(wide$security == "none", "none",
                ifelse(wide$security == "psk", "pre-shared key",
                       paste0(server, ", ", wide$security)))
  alone <- wide$psk_dhe %in% c("0", "FALSE")
  how <- paste0(how, ifelse(alone, " alone", ""))
  how <- paste0(ifelse(wide$tls_version %in% "1.3", "TLS 1.3, ", ""), how)
  how <- paste0(how, ifelse(wide$cid %in% c("1", "TRUE"), ", connection ID", ""))
  own <- wide$own_certificate %in% c("1", "TRUE")
  wide[, .(study, trial, mode, how = ifelse(own, paste0(how, ", own certificate"), how),
           payload = as.numeric(payload_bytes), interval = as.numeric(interval_ms),
           keepalive = as.numeric(keepalive_s), resumes = resume %in% c("1", "TRUE"),
           life = data.table::fcase(deep_sleep %in% c("1", "TRUE"), "wakes",
                                    each | connection_messages %in% "1", "each",
                                    as.numeric(interval_ms) >= 1000 * as.numeric(keepalive_s),
                                    "rests", default = "kept"))]
}

#' Mean of a metric over trials, of those with most values: `value`, `n`, `low`, `high`.
security_mean <- function(metrics, names, what) {
  x <- metrics[trial %in% names & metric == what]
  if (nrow(x) == 0L) return(list(value = NA_real_, n = NA_real_, low = NA_real_, high = NA_real_))
  x <- x[n == max(n)]
  limit <- function(end) {
    found <- metrics[trial == x$trial[1L] & metric == paste0(what, "_ci95_", end), value]
    c(found, NA_real_)[1L]
  }
  limits <- if (nrow(x) > 1L) bootstrap_interval(x$value) else c(limit("low"), limit("high"))
  list(value = mean(x$value), n = sum(x$n), low = limits[[1L]], high = limits[[2L]])
}

#' One row per mode, way of authentication (resumed sessions separately) and payload.
#'
#' @return data.table `mode`, `how`, `resumed`, `payload`, `alive` (s: its keep-alive; NA where the
#'   protocol has none); of a connection `n`, `bytes`, `low`,
#'   `high`, `ready` (ms until a message may leave), `ready_low`, `ready_high`; of a message on a
#'   connection that is there `message` (bytes), `message_n`, `message_low`, `message_high`, `first`
#'   (those of the only one), `ack` (ms), `charge` (uC: its frames, and listening until it is
#'   acknowledged); `airtime` (us) of such a message, `airtime_own` of one with a connection of its
#'   own; `heap` and `stack` (bytes, highest).
summarise_security <- function(metrics, trials) {
  kinds <- unique(trials[, .(mode, how, payload)])
  rows <- lapply(seq_len(nrow(kinds)), function(i) {
    mine <- trials[kinds[i], on = c("mode", "how", "payload")]
    rbind(security_row(metrics, mine, kinds[i], ""), security_row(metrics, mine, kinds[i],
                                                                  "resumed_"))
  })
  out <- data.table::rbindlist(rows)[!is.na(bytes)]
  kind <- sub(",.*| alone", "", sub("TLS 1.3, ", "", out$how, fixed = TRUE))
  place <- order(out$mode, startsWith(out$how, "TLS"),
                 match(kind, c("none", "pre-shared key", "P-256")),
                 grepl("own|connection ID", out$how), -grepl("pinned", out$how), out$resumed)
  out[place]
}

security_row <- function(metrics, mine, kind, resumed) {
  mean_of <- function(what, lives = c("kept", "each")) {
    security_mean(metrics, mine[life %in% lives, trial], what)
  }
  connection <- mean_of(paste0("connection_", resumed, "bytes"))
  ready <- mean_of(paste0("connecting_", resumed, "mean_ms"))
  message <- mean_of("exchange_bytes_per_message", "kept")
  first <- mean_of("exchange_bytes_per_message", "each")$value
  ack <- mean_of("rtt_mean_ms", "kept")$value
  frames <- mean_of("charge_transmit_per_message_uc", "kept")$value +
    mean_of("charge_receive_per_message_uc", "kept")$value
  most <- function(what) metrics[trial %in% mine$trial & metric == what, value]
  cbind(kind, data.table::data.table(
    resumed = nzchar(resumed), n = connection$n, bytes = connection$value, low = connection$low,
    high = connection$high, alive = max(mine$keepalive),
    ready = ready$value, ready_low = ready$low, ready_high = ready$high,
    message = message$value, message_n = message$n, message_low = message$low,
    message_high = message$high, first = c(first, message$value)[1L + is.na(first)], ack = ack,
    charge = frames + ack * esp8266_currents_ma$listen,
    airtime = mean_of("airtime_per_message_us", "kept")$value,
    airtime_own = mean_of(paste0("airtime_with_", resumed, "connection_us"), "each")$value,
    heap = max(most("board_heap_peak_bytes")),
    stack = lx106_stack_bytes - min(most("board_stack_free_min_bytes"))))
}

#' The cost of a keep-alive and its answer: from connections that were idle between messages, less
#' the messages.
#'
#' @return data.table `mode`, `secured`, `every` (s), `n`, `ping` (bytes), `ping_uc` (their frames).
security_pings <- function(metrics, trials, rows) {
  rests <- trials[life == "rests"]
  value <- function(name, what) metrics[trial %in% name & metric == what, mean(value)]
  frames <- function(name) {
    value(name, "charge_transmit_per_message_uc") + value(name, "charge_receive_per_message_uc")
  }
  out <- lapply(seq_len(nrow(rests)), function(i) {
    name <- rests$trial[i]
    kept <- trials[life == "kept"][rests[i], on = c("mode", "how", "payload"), x.trial]
    count <- value(name, "keepalives")
    messages <- value(name, "messages")
    data.table::data.table(
      mode = rests$mode[i], secured = rests$how[i] != "none", every = rests$keepalive[i],
      n = count,
      ping = (value(name, "exchange_bytes") -
                messages * value(kept, "exchange_bytes_per_message")) / count,
      ping_uc = (frames(name) - frames(kept)) * (messages - 1) / count)
  })
  data.table::rbindlist(out)[, .(every = every[1L], n = sum(n), ping = mean(ping),
                                 ping_uc = mean(ping_uc)), by = .(mode, secured)]
}

#' Seconds between two messages in the table, and their labels.
security_intervals <- c(second = 1, minute = 60, "10 minutes" = 600, hour = 3600, day = 86400)

#' Computed cost of a message by the interval between messages: on a connection that is kept for a
#' day, with its keep-alives and its share of connecting, and on a separate connection.
#'
#' The charge is that of a message's frames and of listening until it is acknowledged, and of
#' listening while the connection is made; of keep-alives that of their frames. Without measured
#' keep-alives there is no row for a connection that needs them.
#'
#' @param rows see [summarise_security()]. @param pings see [security_pings()].
#' @param seconds between two messages.
#' @return data.table `mode`, `how`, `resumed`, `life` ("kept", "anew"), `interval`, `bytes`,
#'   `charge` (uC).
security_often <- function(rows, pings, seconds) {
  listen <- esp8266_currents_ma$listen
  each <- lapply(unname(seconds), function(t) {
    x <- data.table::copy(rows)[, secured := how != "none"]
    x <- merge(x, pings[, .(mode, secured, ping, ping_uc)], by = c("mode", "secured"),
               all.x = TRUE, sort = FALSE)
    x[, count := ifelse(is.na(alive), 0, floor(t / alive))]
    x[count == 0, `:=`(ping = 0, ping_uc = 0)]
    share <- min(1, t / 86400)
    kinds <- x[, .(mode, how, resumed)]
    kept <- cbind(kinds, life = "kept", interval = t,
                  bytes = x$message + x$count * x$ping + share * x$bytes,
                  charge = x$charge + x$count * x$ping_uc + share * listen * x$ready)
    anew <- cbind(kinds, life = "anew", interval = t, bytes = x$first + x$bytes,
                  charge = x$charge + listen * x$ready)
    rbind(kept[resumed == FALSE], anew[x$bytes > 0])
  })
  data.table::rbindlist(each)[!is.na(bytes)]
}

#' The table of connections and messages.
security_table <- function(x) {
  cells <- cbind(
    ifelse(duplicated(x$mode), "", as.character(x$mode)), security_words(x),
    latex_number(x$n), latex_number(x$bytes), latex_interval(x$low, x$high),
    latex_number(x$ready + x$ack, 1L),
    latex_interval(x$ready_low + x$ack, x$ready_high + x$ack, 1L),
    latex_number(x$ready * esp8266_currents_ma$listen), latex_number(x$message_n),
    latex_number(x$message), latex_interval(x$message_low, x$message_high),
    latex_number(x$charge), latex_number(x$airtime), latex_number(x$airtime_own))
  two <- function(a, b) paste0("\\shortstack{", a, "\\\\", b, "}")
  interval <- "interval"
  header <- c("", "", "$n$", two("connection,", "bytes"), interval,
              two("first acknow-", "ledgement, ms"), interval, two("awake,", "\\textmu C"), "$n$",
              two("message,", "bytes"), interval, two("message,", "\\textmu C"),
              two("air,", "\\textmu s"), two("air, with", "connection"))
  latex_table(cells, "@{}llrrlrlrrrlrrr@{}", header, which(!duplicated(x$mode))[-1L])
}

#' The table of memory: an image with this engine and the security layer of the row (sizes from
#' separate images, added up), and the board's peak heap and stack.
#'
#' @param sizes table of size_report.py.
security_memory_table <- function(x, sizes) {
  m <- security_memory(x, sizes)
  kb <- function(bytes) latex_number(bytes / 1000, 1L)
  cells <- cbind(ifelse(duplicated(m$mode), "", as.character(m$mode)), latex_text(m$how),
                 kb(m$flash), kb(m$ram), kb(m$heap), kb(m$stack), kb(m$ram + m$heap + m$stack))
  latex_table(cells, "@{}llrrrrr@{}", c("", "", "flash", "static RAM", "heap", "stack", "RAM"),
              which(!duplicated(m$mode))[-1L])
}

#' Memory of each mode and way of authentication, bytes: `mode`, `how`, `flash`, `ram` (static), and
#' the highest `heap` and `stack` of all its trials, sessions resumed or not.
security_memory <- function(x, sizes) {
  of <- function(name, part) sizes[match(name, engine)][[part]]
  kept <- ifelse(x$mode == "HTTP", http_modes[["kept"]], as.character(x$mode))
  layer <- ifelse(startsWith(x$how, "TLS 1.3"), "tls13", "secure")
  modes <- mode_table()
  engines <- modes$protocol[match(kept, modes$label)]
  bytes <- function(part) {
    more <- of(layer, part) + of("base", part) - of("all", part)
    of("base", part) + of(engines, part) + ifelse(x$how == "none", 0, more)
  }
  data.table::data.table(x[, .(mode, how, heap, stack)], flash = bytes("flash_bytes"),
                         ram = bytes("ram_bytes"))[
    , .(flash = flash[1L], ram = ram[1L], heap = max(heap), stack = max(stack)), by = .(mode, how)]
}

#' Ways of authentication that the table and the figure of bytes by interval leave out.
security_variants <- "own|RSA|pinned|connection ID"

security_words <- function(x) latex_text(paste0(x$how, ifelse(x$resumed, ", resumed", "")))

#' The table of bytes by interval.
security_often_table <- function(often) {
  wide <- data.table::dcast(often, mode + how + resumed + life ~ interval, value.var = "bytes")
  wide <- wide[unique(often[, .(mode, how, resumed, life)]), on = c("mode", "how", "resumed",
                                                                   "life")][
    !grepl(security_variants, how)][order(mode, match(how, unique(often$how)), resumed,
                                          life == "anew")]
  numbers <- vapply(as.character(security_intervals), function(t) latex_number(wide[[t]]),
                    character(nrow(wide)))
  cells <- cbind(ifelse(duplicated(wide$mode), "", as.character(wide$mode)), security_words(wide),
                 wide$life, numbers)
  latex_table(cells, "@{}lllrrrrr@{}", c("", "", "connection", names(security_intervals)),
              which(!duplicated(wide$mode))[-1L])
}

#' A message's bytes and charge by the interval between messages.
figure_security <- function(rows, pings) {
  seconds <- sort(unique(c(10^seq(0, log10(86400), length.out = 200L), security_intervals)))
  x <- security_often(rows, pings, seconds)[!grepl(security_variants, how)]
  x <- x[!(how == "pre-shared key" & (life == "kept" | resumed))]
  x[, way := paste0(how, ifelse(resumed, ", resumed", ""), ", ", life)]
  x[how != "none" & life == "kept", way := "secured, kept"]
  ways <- c("none, kept", "none, anew", "secured, kept", "pre-shared key, anew",
            "P-256, chain, resumed, anew", "P-256, chain, anew")
  x[, way := factor(way, ways)]
  long <- data.table::melt(x, measure.vars = c("bytes", "charge"), variable.name = "panel")
  long[, `:=`(protocol = protocol_of_mode(ifelse(mode == "HTTP", http_modes[["kept"]],
                                                 as.character(mode))),
              panel = factor(ifelse(panel == "bytes", "bytes on the wire",
                                    "charge of the radio, \u00b5C"),
                             c("bytes on the wire", "charge of the radio, \u00b5C")))]
  plot <- ggplot2::ggplot(long, ggplot2::aes(interval, value, linetype = way, alpha = way,
                                             colour = protocol)) +
    ggplot2::geom_line(linewidth = 0.5) +
    ggplot2::facet_grid(panel ~ mode, scales = "free_y", switch = "y",
                        labeller = ggplot2::labeller(mode = ggplot2::label_wrap_gen(8L))) +
    scale_protocol("none") +
    ggplot2::scale_linetype_manual(
      name = NULL, drop = TRUE,
      values = stats::setNames(c("solid", "42", "solid", "12", "42", "8212"), ways)) +
    ggplot2::scale_alpha_manual(name = NULL, values = stats::setNames(
      ifelse(startsWith(ways, "none"), 0.4, 1), ways)) +
    ggplot2::scale_x_log10(breaks = c(1, 60, 3600, 86400), labels = c("1 s", "", "1 h", "")) +
    ggplot2::scale_y_log10(labels = plain_number) +
    ggplot2::guides(linetype = ggplot2::guide_legend(nrow = 2L, keywidth = ggplot2::unit(20, "pt"),
                                                     override.aes = list(colour = ink))) +
    ggplot2::labs(x = "a message every", y = NULL) +
    theme_thinwire() +
    ggplot2::theme(strip.placement = "outside",
                   strip.text.y.left = ggplot2::element_text(face = "plain", angle = 90))
  list(plot = plot, width = 17.6, height = 8.4)
}

#' Numbers of an axis, thousands apart.
plain_number <- function(x) format(x, big.mark = " ", scientific = FALSE, trim = TRUE)
