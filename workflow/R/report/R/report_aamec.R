# The report of the study `aamec`: AAMEC's tables and Figures 7 to 9, published against ours,
# explanations of its values, and the number of messages from which on a session saves bytes.

#' @param study see [make_report()]; its table `published` is data/published/aamec2019.csv.
report_aamec <- function(study) {
  check_shown(wide_factors(study$factors),
              c("mode", "link", "delay_ms", "tls", "tls_resume", "await_connack", "answer_fields",
                "session_messages", "session_mix", "fields", "chain_bytes", "token", "messages"),
              "aamec")
  published <- report_table(study, "published", c("location", "row", "column", "value", "kind"))
  cells <- aamec_both(aamec_cells(published), study$metrics, study$factors)
  variants <- aamec_variants(study$metrics, study$factors)
  fits <- aamec_fits(cells, aamec_candidates(variants))
  even <- aamec_break_even(variants)
  list(figures = list(bars = list(plot = figure_aamec(cells), width = 17.6, height = 6.4)),
       tables = list(cells = aamec_cells_table(cells), fits = aamec_fits_table(fits),
                     even = aamec_even_table(even),
                     mixed = aamec_mixed_table(aamec_mixed(cells, study$metrics))),
       numbers = c(aamec_numbers(cells, fits, even, variants),
                   aamec_scope_numbers(published, cells, fits, variants)))
}

#' The published values once each, with the mean of our runs and their number beside them.
aamec_both <- function(cells, metrics, factors) {
  cells <- cells[location != "section V, summary"]
  runs <- lapply(seq_len(nrow(cells)), function(i) aamec_runs(cells[i], metrics, factors)$value)
  cells[, `:=`(ours = vapply(runs, mean, 0), least = vapply(runs, min_or_na, 0),
               most = vapply(runs, function(x) -min_or_na(-x), 0), runs = lengths(runs))]
  cells[]
}

min_or_na <- function(x) if (length(x)) min(x) else NA_real_

#' Means of each kind of trial: a row for each, its conditions and metrics as columns.
aamec_variants <- function(metrics, factors) {
  kinds <- c("mode", "link", "tls", "tls_resume", "await_connack", "answer_fields",
             "session_messages", "fields", "chain_bytes", "token")
  wide <- wide_factors(factors)
  for (name in setdiff(kinds, names(wide))) wide[, (name) := NA_character_]
  mine <- metrics[grepl("^(phase|session)_", metric)]
  each <- mine[wide, on = c("study", "trial"), nomatch = NULL][
    , .(value = mean(value)), by = c(kinds, "metric")]
  data.table::dcast(each, stats::as.formula(paste(paste(kinds, collapse = "+"), "~ metric")),
                    value.var = "value")
}

#' The quantities of a phase that a capture may have counted.
aamec_countings <- list(
  "whole frames" = function(x, p) x[[paste0(p, "_bytes")]],
  "IP packets" = function(x, p) x[[paste0(p, "_bytes")]] - 14 * x[[paste0(p, "_packets")]],
  "TCP payload" = function(x, p) x[[paste0(p, "_data_bytes")]],
  "sent frames" = function(x, p) x[[paste0(p, "_out_bytes")]],
  "received frames" = function(x, p) x[[paste0(p, "_in_bytes")]]
)

#' Every candidate for a published value: each kind of trial with each phase and way of counting.
#'
#' @return data.table `mode`, `fields`, `link`, `metric` (the published quantity), `words` (the
#'   hypothesis), `value`.
aamec_candidates <- function(variants) {
  x <- variants[session_messages == "1"]
  words <- x[, paste0("TLS ", tls, ifelse(tls_resume == "1", " resumed", " full"),
                      ifelse(chain_bytes == "3000", "", paste0(", chain ", chain_bytes)),
                      ifelse(token == "RS256", "", paste0(", ", token)),
                      ifelse(is.na(answer_fields) | answer_fields == "cloud", "",
                             ", plain answer"),
                      ifelse(is.na(await_connack) | await_connack == "0", "",
                             ", CONNACK awaited"))]
  row <- function(metric, value, more) {
    cbind(x[, .(mode, fields, link)], metric = metric, value = value,
          words = if (nzchar(more)) paste0(words, "; ", more) else words)
  }
  phases <- c("phase_connect", "phase_message", "phase_disconnect", "session")
  bytes <- lapply(phases, function(p) {
    data.table::rbindlist(lapply(names(aamec_countings), function(count) {
      row(paste0(p, "_bytes"), aamec_countings[[count]](x, p), count)
    }))
  })
  plain <- lapply(c("session_out_bytes", "session_in_bytes", "session_packets", "session_ms"),
                  function(m) row(m, x[[m]], ""))
  both <- x$phase_connect_bytes + x$phase_message_bytes
  end <- x$phase_disconnect_bytes
  more <- list(row("phase_message_bytes", both, "connecting counted with it"),
               row("phase_message_bytes", x$phase_message_bytes + end, "the end counted with it"),
               row("phase_message_bytes", both + end, "both ends counted with it"))
  data.table::rbindlist(c(bytes, plain, more))
}

#' The published values that a hypothesis may explain, with the nearest candidate.
#'
#' @return data.table of cells with `nearest`, `words`, `near` and `tried`: candidates within 5 %,
#'   of all.
aamec_fits <- function(cells, candidates) {
  x <- cells[!base & published > 0 & session_messages == "1" &
               !metric %in% c("session_message_ms", "session_field_ms")]
  out <- lapply(seq_len(nrow(x)), function(i) {
    cell <- x[i]
    mine <- candidates[mode == cell$mode & fields == cell$fields & metric == cell$metric &
                         (is.na(cell$link) | cell$link == link | cell$link == "air")]
    away <- abs(mine$value / cell$published - 1)
    best <- which.min(away)
    cbind(cell, nearest = mine$value[best], words = mine$words[best], near = sum(away <= 0.05),
          tried = nrow(mine))
  })
  data.table::rbindlist(out)
}

#' The number of messages from which on a session over MQTT has fewer bytes than one over HTTP, by
#' TLS.
#'
#' @return data.table `tls`, `tls_resume`, bytes of MQTT's ends and message, of HTTP's, and `even`.
aamec_break_even <- function(variants) {
  usual <- variants[session_messages == "1" & fields == "1" & chain_bytes == "3000" &
                      token == "RS256" & link == "netem"]
  by <- c("tls", "tls_resume")
  ends <- function(x) x$phase_connect_bytes + x$phase_disconnect_bytes
  mqtt <- usual[mode == "mqtt-qos1" & await_connack == "1"]
  http <- usual[mode == "http-kept" & answer_fields == "cloud"]
  out <- merge(mqtt[, c(by, "phase_message_bytes"), with = FALSE][, ends := ends(mqtt)],
               http[, c(by, "phase_message_bytes"), with = FALSE][, ends := ends(http)], by = by,
               suffixes = c("_mqtt", "_http"))
  data.table::setnames(out, sub("phase_message_bytes", "message", names(out), fixed = TRUE))
  out[, even := pmax(1, floor((ends_mqtt - ends_http) / (message_http - message_mqtt)) + 1)]
  out[]
}

#' The description of a cell.
aamec_words <- function(cells) {
  what <- c(cycle_mean = "session, ms", message_mean = "a message of it, ms",
            field_mean = "a field of it, ms", establish_connection = "connecting, bytes",
            message = "message, bytes", disconnect = "disconnecting, bytes",
            sum = "together, bytes", packet_size = "message, bytes", ratio = "by that of one",
            outgoing = "sent, bytes", incoming = "received, bytes", packets = "packets")
  swapped <- cells$column %in% c("MQTT", "HTTP")
  list(of = ifelse(swapped, cells$column, cells$row),
       what = unname(what[ifelse(swapped, cells$row, cells$column)]))
}

#' All values: published, ours, and ours by the published one.
aamec_cells_table <- function(cells) {
  words <- aamec_words(cells)
  digits <- ifelse(cells$base, 2L, 0L)
  number <- function(x) mapply(latex_number, x, digits)
  rows <- cbind(latex_text(words$of), latex_text(words$what), number(cells$published),
                number(cells$ours), ifelse(cells$published == 0, "--",
                                           latex_number(cells$ours / cells$published, 2L)))
  half <- ceiling(nrow(rows) / 2)
  right <- rows[c(seq_len(nrow(rows))[-seq_len(half)], if (nrow(rows) %% 2L) NA), , drop = FALSE]
  right[is.na(right)] <- ""
  latex_table(cbind(rows[seq_len(half), ], right), "@{}llrrr@{\\qquad}llrrr@{}",
              rep(c("", "", "publ.", "ours", "ratio"), 2L))
}

#' The nearest candidate to each value that a hypothesis may explain.
aamec_fits_table <- function(fits) {
  words <- aamec_words(fits)
  rows <- cbind(latex_text(paste(words$of, words$what, sep = ": ")), latex_number(fits$published),
                latex_number(fits$ours), latex_number(fits$nearest), latex_text(fits$words),
                sprintf("%d of %d", fits$near, fits$tried))
  latex_table(rows, "@{}lrrrlr@{}", c("", "publ.", "ours", "nearest", "when", "within 5\\,\\%"))
}

aamec_even_table <- function(even) {
  rows <- cbind(paste0("TLS ", even$tls, ifelse(even$tls_resume == "1", ", resumed", "")),
                latex_number(even$ends_mqtt), latex_number(even$message_mqtt),
                latex_number(even$ends_http), latex_number(even$message_http),
                latex_number(even$even))
  latex_table(rows, "@{}lrrrrr@{}",
              c("", "MQTT: ends", "message", "HTTP: ends", "message", "pays from"))
}

#' Figures 7, 8 and 9 of the study: response times, bytes by phase, bytes by fields.
figure_aamec <- function(cells) {
  x <- data.table::copy(cells[column == "cycle_mean" |
                                startsWith(metric, "phase_") & !base])
  x <- x[!grepl("number of messages", location, fixed = TRUE)]
  x[, panel := data.table::fcase(
    column == "cycle_mean", "time of a message, ms (Fig. 7)",
    grepl("packet sizes", location, fixed = TRUE), "bytes by phase (Fig. 8)",
    default = "bytes of a message (Fig. 9)")]
  phases <- c(phase_connect_bytes = "connect", phase_message_bytes = "message",
              phase_disconnect_bytes = "disconnect")
  x[, place := ifelse(panel == "bytes by phase (Fig. 8)", phases[metric],
                      paste(fields, ifelse(fields == "1", "field", "fields")))]
  x[, place := factor(place, c(phases, "1 field", "10 fields", "100 fields"))]
  x[, panel := factor(panel, unique(panel)[order(sub(".*Fig", "", unique(panel)))])]
  long <- data.table::melt(x, measure.vars = c("published", "ours"), variable.name = "part")
  long[, protocol := ifelse(mode == "mqtt-qos1", "MQTT", "HTTP")]
  long[part == "published", c("least", "most") := NA_real_]
  beside <- ggplot2::position_dodge(0.8)
  ggplot2::ggplot(long, ggplot2::aes(place, value, group = interaction(part, protocol))) +
    ggplot2::geom_col(ggplot2::aes(fill = ifelse(part == "ours", protocol, NA),
                                   colour = protocol, linetype = part), width = 0.7,
                      linewidth = 0.5, position = beside) +
    ggplot2::geom_linerange(ggplot2::aes(ymin = least, ymax = most), position = beside,
                            linewidth = 0.5, colour = ink, na.rm = TRUE) +
    # all rows: the dodge of a row depends on the others of its place
    ggplot2::geom_text(ggplot2::aes(label = ifelse(value == 0, "0", "")), position = beside,
                       vjust = -0.4, size = 2.4, colour = ink, family = figure_family()) +
    ggplot2::facet_wrap(~panel, scales = "free") + scale_protocol("legend") +
    ggplot2::scale_fill_manual(values = protocol_colours(), na.value = "white", guide = "none") +
    ggplot2::scale_linetype_manual(values = c(published = "22", ours = "solid"), name = NULL) +
    ggplot2::scale_y_continuous(expand = ggplot2::expansion(c(0, 0.06))) +
    ggplot2::guides(
      colour = ggplot2::guide_legend(override.aes = list(fill = "white"), order = 2L),
      linetype = ggplot2::guide_legend(
        override.aes = list(fill = c("white", "grey60"), colour = "grey40"), order = 1L)) +
    ggplot2::labs(x = NULL, y = NULL) + theme_thinwire()
}

#' Numbers for the text: the count of tested values, and explanations of HTTP's.
aamec_scope_numbers <- function(published, cells, fits, variants) {
  macro <- function(..., text) latex_macro(macro_name("Aamec", ...), text)
  printed <- published[kind == "table", .N]
  usual <- variants[mode == "http-kept" & session_messages == "1" & chain_bytes == "3000" &
                      token == "RS256" & answer_fields == "cloud"]
  x <- usual[link == "netem" & tls == "1.2" & tls_resume == "1"]
  to_end <- x$phase_message_bytes + x$phase_disconnect_bytes
  new <- usual[tls == "1.2" & tls_resume == "0" & fields == "1"]
  over <- function(kind) latex_number(new[link == kind, session_bytes][1L])
  c(macro("Printed", text = printed), macro("Repeated", text = printed - nrow(cells)),
    macro("Untried", text = nrow(cells) - nrow(fits)),
    macro("Http Whole", text = latex_number(x[fields == "1", session_bytes][1L])),
    vapply(c("1", "10", "100"), function(n) {
      macro("Http To End", n, text = latex_number(to_end[match(n, x$fields)]))
    }, ""),
    macro("Http Session Air", text = over("air")), macro("Http Session Wire", text = over("netem")))
}

#' Numbers for the text.
aamec_numbers <- function(cells, fits, even, variants) {
  macro <- function(..., text) latex_macro(macro_name("Aamec", ...), text)
  ratio <- cells[published > 0, ours / published]
  usual <- variants[session_messages == "1" & fields == "1" & link == "netem" &
                      chain_bytes == "3000" & token == "RS256"]
  rounds <- function(name, rows) {
    macro(name, "Rounds", text = latex_number(rows$session_round_trips[1L], 1L))
  }
  mqtt <- usual[mode == "mqtt-qos1"]
  http <- usual[mode == "http-kept" & answer_fields == "cloud"]
  one <- function(x, version, resumed) x[tls == version & tls_resume == resumed]
  c(macro("Cells", text = nrow(cells)),
    macro("LeastRuns", text = min(cells$runs)),
    macro("MostRuns", text = max(cells$runs)),
    macro("Near", text = sum(abs(ratio - 1) <= 0.1)),
    macro("Explained", text = sum(fits$near > 0)),
    macro("Tried", text = nrow(fits)),
    macro("Least Even", text = latex_number(min(even$even))),
    macro("Most Even", text = latex_number(max(even$even))),
    unlist(lapply(c("1.2", "1.3"), function(version) {
      unlist(lapply(c("0", "1"), function(resumed) {
        word <- paste(version, if (resumed == "1") "Resumed" else "Full")
        c(rounds(paste("Mqtt", word), one(mqtt[await_connack == "0"], version, resumed)),
          rounds(paste("Mqtt Awaited", word), one(mqtt[await_connack == "1"], version, resumed)),
          rounds(paste("Http", word), one(http, version, resumed)),
          macro("Http Connect", word,
                text = latex_number(one(http, version, resumed)$phase_connect_bytes[1L])),
          macro("Mqtt Connect", word,
                text = latex_number(one(mqtt[await_connack == "1"], version,
                                        resumed)$phase_connect_bytes[1L])))
      }))
    })))
}
