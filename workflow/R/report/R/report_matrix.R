# The report of the study `matrix`: every protocol in each of its modes.

#' @param study see [make_report()]; its table `sizes` is that of size_report.py.
report_matrix <- function(study) {
  summary <- summarise_matrix(study$metrics, study$factors, study$samples)
  memory <- matrix_memory(report_table(study, "sizes", c("engine", "flash_bytes", "ram_bytes")),
                          summary)
  list(figures = matrix_figures(summary, study$metrics, study$factors, memory),
       tables = list(modes = matrix_modes_table(matrix_reference(summary)),
                     memory = matrix_memory_table(memory), all = matrix_all_table(summary)),
       numbers = c(matrix_totals(summary, study$metrics), matrix_row_numbers(summary),
                   matrix_extremes(matrix_reference(summary)), matrix_memory_numbers(memory),
                   matrix_currents(), matrix_shares(summary)))
}

#' Size of the stack on the lx106 board, bytes: `__stack_bytes` of firmware/boards/lx106/link.ld.
lx106_stack_bytes <- 4096

#' Memory of each protocol on the board, bytes, in the order of the tables.
#'
#' @param sizes table of size_report.py. @param summary result of [summarise_matrix()].
#' @return data.table `protocol` (name), `flash` and `ram` (image with this engine alone),
#'   `heap_peak` and `stack_peak` (the highest of all its trials).
matrix_memory <- function(sizes, summary) {
  base <- sizes[engine == "base"]
  peaks <- summary[, .(heap_peak = max(heap_peak), stack_peak = lx106_stack_bytes -
                         min(stack_free)), by = .(engine = protocol)]
  out <- sizes[peaks, on = "engine"]
  out[, .(protocol = factor(protocol_values("label")[engine], protocol_values("label")),
          flash = base$flash_bytes + flash_bytes, ram = base$ram_bytes + ram_bytes, heap_peak,
          stack_peak)][order(protocol)]
}

matrix_macro <- function(..., text) latex_macro(macro_name("Matrix", ...), text)

#' A minus that stands before a number, for LaTeX.
minus <- function(text) sub(" -([0-9])", " $-$\\1", as.character(text))

#' The modes at the reference condition.
matrix_modes_table <- function(x) {
  cells <- cbind(minus(x$mode), x$runs, latex_number(x$made), latex_number(x$delivered),
                 latex_number(x$rtt_median, 1L), latex_number(x$rtt_p95, 1L),
                 latex_number(x$bytes), latex_number(x$packets, 1L), latex_number(x$air_frames, 1L),
                 latex_number(x$air_bytes), latex_number(x$airtime), latex_number(x$radio),
                 latex_number(x$listen_uc), latex_number(x$setup_bytes), latex_number(x$setup_uc))
  two <- function(a, b) paste0("\\shortstack{", a, "\\\\", b, "}")
  header <- c("", "runs", "made", two("deli-", "vered"), two("median,", "ms"), two("p95,", "ms"),
              two("wire,", "bytes"), two("wire,", "packets"), two("air,", "frames"),
              two("air,", "bytes"), two("airtime,", "\\textmu s"), two("frames,", "\\textmu C"),
              two("listen,", "\\textmu C"), two("set-up,", "bytes"),
              two("set-up,", "\\textmu C"))
  latex_table(cells, "@{}lrrrrrrrrrrrrrr@{}", header, which(!duplicated(x$protocol))[-1L])
}

#' Memory of each protocol.
matrix_memory_table <- function(m) {
  cells <- cbind(as.character(m$protocol), latex_number(m$flash), latex_number(m$ram),
                 latex_number(m$heap_peak), latex_number(m$stack_peak))
  latex_table(cells, "lrrrr", c("", "flash", "static RAM", "heap", "stack"))
}

#' All modes under all conditions, over several pages.
matrix_all_table <- function(s) {
  cells <- cbind(ifelse(duplicated(s$mode), "", minus(s$mode)), latex_number(s$payload),
                 latex_number(s$interval), ifelse(s$loaded, "loaded", "idle"),
                 latex_number(s$made), latex_number(s$delivered), latex_number(s$duplicates),
                 latex_number(s$rtt_median, 1L), latex_number(s$rtt_p95, 1L),
                 latex_number(s$goodput), latex_number(s$bytes), latex_number(s$packets, 1L),
                 latex_number(s$air_bytes), latex_number(s$air_retries, 2L),
                 latex_number(s$airtime), latex_number(s$radio), latex_number(s$listen_uc))
  header <- c("Mode", "payload", "interval", "cell", "made", "delivered",
              "\\shortstack{dupli-\\\\cates}", "median", "p95", "goodput", "wire", "packets", "air",
              "retries", "airtime", "frames", "listen")
  latex_long_table(cells, "@{}lrrlrrrrrrrrrrrrr@{}", header, which(!duplicated(s$mode))[-1L],
                   "matrixall")
}

#' Numbers of what was run.
matrix_totals <- function(s, metrics) {
  reference <- matrix_reference(s)
  c(matrix_macro("Runs Most", text = max(reference$runs)),
    matrix_macro("Runs Least", text = min(reference$runs)),
    matrix_macro("Widest Bytes", text = widest_pct(s, "bytes")),
    matrix_macro("Widest Air Bytes", text = widest_pct(s, "air_bytes")),
    matrix_macro("Widest Charge", text = widest_pct(s, "charge")),
    matrix_macro("Trials", text = latex_number(length(unique(metrics$trial)))),
    matrix_macro("Messages", text = latex_number(sum(s$made))),
    matrix_macro("Modes", text = length(unique(s$mode))),
    matrix_macro("Lost", text = latex_number(sum(s$made - s$delivered))),
    matrix_macro("Lost Idle", text = latex_number(s[!s$loaded, sum(made - delivered)])),
    matrix_macro("Duplicates", text = latex_number(sum(s$duplicates))))
}

#' The widest half of an interval among the conditions that have one, % of its mean; "--" if none.
widest_pct <- function(summary, quantity) {
  share <- stats::na.omit(100 * summary[[paste0(quantity, "_half")]] / summary[[quantity]])
  latex_number(if (length(share)) max(share) else NA, 1L)
}

#' Numbers of each mode and condition, `\twMatrix<Mode><Payload><Interval>[Loaded]<Quantity>`; at
#' the reference condition also without payload and interval.
matrix_row_numbers <- function(s) {
  quantities <- list(Median = list("rtt_median", 1L), Tail = list("rtt_p95", 1L),
                     Airtime = list("airtime", 0L), Listen = list("listen_uc", 0L))
  mode <- as.character(s$mode)
  condition <- paste(s$payload, s$interval, ifelse(s$loaded, "Loaded", ""))
  short <- which(s$payload == 100 & s$interval == 100 & !s$loaded)
  unlist(lapply(names(quantities), function(q) {
    k <- quantities[[q]]
    text <- latex_number(s[[k[[1L]]]], k[[2L]])
    macro <- function(i, condition) matrix_macro(mode[i], condition, q, text = text[i])
    c(vapply(seq_len(nrow(s)), function(i) macro(i, condition[i]), ""),
      vapply(short, macro, "", condition = ""))
  }))
}

#' The modes with the smallest and the largest values that the text compares.
matrix_extremes <- function(x) {
  columns <- c(AirBytes = "air_bytes", Radio = "radio", Median = "rtt_median",
               Airtime = "airtime")
  unlist(lapply(names(columns), function(q) {
    values <- x[[columns[[q]]]]
    decimals <- if (q %in% c("Median", "Radio")) 1L else 0L
    most <- which.max(values)
    least <- which.min(values)
    c(matrix_macro("Least", q, text = latex_number(values[least], decimals)),
      matrix_macro("Least", q, "Mode", text = minus(x$mode[least])),
      matrix_macro("Most", q, text = latex_number(values[most], decimals)),
      matrix_macro("Most", q, "Mode", text = minus(x$mode[most])))
  }))
}

matrix_memory_numbers <- function(m) {
  total <- m$ram + m$heap_peak + m$stack_peak
  c(matrix_macro("Stack Bytes", text = latex_number(lx106_stack_bytes)),
    matrix_macro("Least Ram", text = latex_number(min(total))),
    matrix_macro("Least Ram Protocol", text = as.character(m$protocol[which.min(total)])),
    matrix_macro("Most Ram", text = latex_number(max(total))),
    matrix_macro("Most Ram Protocol", text = as.character(m$protocol[which.max(total)])),
    matrix_macro("Most Heap", text = latex_number(max(m$heap_peak))))
}

#' The currents of the charge model.
matrix_currents <- function() {
  k <- esp8266_currents_ma
  ma <- function(name, value) {
    matrix_macro("Current", name, text = latex_number(value, as.integer(value %% 1 > 0)))
  }
  c(ma("Transmit", k$transmit[["ht"]]), ma("Transmit Ofdm", k$transmit[["ofdm"]]),
    ma("Listen", k$listen),
    matrix_macro("Idle Second", text = latex_number(1000 * k$listen)),
    matrix_macro("Modem Sleep Second", text = latex_number(1000 * k$modem_sleep)),
    matrix_macro("Light Sleep Second", text = latex_number(1000 * k$light_sleep)))
}

#' The charge that the most expensive mode adds to the idle baseline at one message per second, %.
matrix_shares <- function(summary) {
  dearest <- max(summary[interval == 1000, charge])
  share <- function(name, milliamperes) {
    matrix_macro("Most Share", name, text = latex_number(dearest / (10 * milliamperes), 1L))
  }
  c(share("Awake", esp8266_currents_ma$listen), share("Light", esp8266_currents_ma$light_sleep))
}
