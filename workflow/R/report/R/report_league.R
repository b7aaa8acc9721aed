# The report of the study `league`: clients and servers of other authors over one workload.

#' Metrics of the table, with the heading and the decimals of each.
league_columns <- c(delivered = "delivered", duplicates = "twice", captured_frames = "frames",
                    captured_bytes = "bytes", request_ack_median_ms = "answer, ms",
                    retransmissions = "repeated", back_after_outage_s = "back, s",
                    memory_free_min_bytes = "RAM free", printed_memory_kib = "RSS, KiB",
                    printed_refused = "refused", printed_longest_call_ms = "call, ms")
league_decimals <- c(request_ack_median_ms = 2L, back_after_outage_s = 2L)

#' @param study see [make_report()].
report_league <- function(study) {
  x <- summarise_league(study$metrics, study$factors, league_cases(study$tables$study))
  absent <- report_table(study, "absent", c("client", "server", "program"))
  list(figures = list(league = figure_league(x)),
       tables = list(table = league_table(x, absent)),
       data = list(league = league_data(x)),
       numbers = c(latex_macro("twLeagueTrials", as.character(nrow(x))),
                   latex_macro("twLeagueClients", as.character(data.table::uniqueN(x$client))),
                   latex_macro("twLeagueServers", as.character(data.table::uniqueN(x$server)))))
}

#' The cases of a study's file: by name the factors that each states, as [trial_factors()] writes
#' their levels.
league_cases <- function(file) {
  document <- yaml::read_yaml(file)
  lapply(document$cases, function(factors) {
    vapply(factors, function(levels) paste(unlist(levels), collapse = ","), "")
  })
}

#' The case of each trial: of those whose factors it all has the one with the most.
#'
#' @param wide result of [wide_factors()]. @param cases result of [league_cases()].
case_of <- function(wide, cases) {
  cases <- cases[order(-lengths(cases))]
  out <- rep(NA_character_, nrow(wide))
  for (name in names(cases)) {
    fits <- is.na(out)
    for (factor in names(cases[[name]])) {
      level <- if (factor %in% names(wide)) wide[[factor]] else NA_character_
      fits <- fits & !is.na(level) & level == cases[[name]][[factor]]
    }
    out[fits] <- name
  }
  out
}

#' The name of a trial's server: its folder in league/servers, or its product.
server_of <- function(wide) {
  product <- function(protocol, peer) {
    row <- protocol_table()[[protocol]]$servers[[peer]]
    if (is.null(row$product)) peer else row$product
  }
  usual <- unlist(Map(product, wide$protocol, wide$peer), use.names = FALSE)
  data.table::fcoalesce(wide$server_program, usual)
}

#' One row per trial.
#'
#' @param metrics,factors tables of the study. @param cases result of [league_cases()].
#' @return data.table `protocol` (label), `client`, `server`, `case`, `messages` (that the client
#'   was to send), a column for each of [league_columns], NA where nothing was measured, `trial`.
summarise_league <- function(metrics, factors, cases) {
  wide <- wide_factors(factors)
  for (name in setdiff("server_program", names(wide))) wide[, (name) := NA_character_]
  wide[, `:=`(case = case_of(wide, cases), server = server_of(wide))]
  check_shown(wide, c("client", "server", "case"), "league")
  values <- data.table::dcast(metrics[metric %in% names(league_columns)], study + trial ~ metric,
                              value.var = "value")
  for (name in setdiff(names(league_columns), names(values))) values[, (name) := NA_real_]
  both <- values[wide, on = c("study", "trial")]
  both[, `:=`(protocol = label_protocols(protocol), messages = as.numeric(messages),
              case = factor(case, names(cases)))]
  data.table::setorder(both, protocol, client, server, case)
  kept <- c("protocol", "client", "server", "case", "messages", names(league_columns), "trial")
  both[, kept, with = FALSE]
}

#' The table as data: four digits of what is no count.
league_data <- function(x) {
  out <- x[, !"messages"]
  out[, (names(league_decimals)) := lapply(.SD, signif, 4L), .SDcols = names(league_decimals)]
  out[]
}

#' Cases in words.
case_words <- function(case) gsub("-", " ", case, fixed = TRUE)

#' Three quantities of each client and server, a point for each case: the share of the messages
#' that was delivered, the bytes on the wire for each of them, and the time to come back.
#'
#' @param x result of [summarise_league()].
figure_league <- function(x) {
  quantities <- c("delivered, %", "bytes for a delivered message", "back, s")
  shown <- data.table::melt(
    x[, .(protocol, who = paste0(client, " > ", server), case,
          delivered = 100 * delivered / messages,
          bytes = captured_bytes / delivered, back = back_after_outage_s)],
    id.vars = c("protocol", "who", "case"), variable.name = "quantity")
  shown <- shown[is.finite(value)]
  shown[, quantity := factor(quantities[as.integer(quantity)], quantities)]
  shown[, `:=`(who = factor(who, rev(unique(who))), case = factor(case_words(case),
                                                                  case_words(levels(case))))]
  plot <- ggplot2::ggplot(shown, ggplot2::aes(value, who, shape = case, colour = case)) +
    ggplot2::geom_point(size = 1.6, stroke = 0.5, alpha = 0.9) +
    ggplot2::facet_grid(protocol ~ quantity, scales = "free", space = "free_y") +
    ggplot2::scale_shape_manual(values = c(4L, 16L, 2L, 15L, 6L)[seq_along(levels(shown$case))],
                                name = NULL) +
    ggplot2::scale_colour_manual(
      values = c(ink, "#D55E00", "#0072B2", "#009E73", "#CC79A7")[seq_along(levels(shown$case))],
      name = NULL) +
    ggplot2::scale_x_continuous(limits = c(0, NA)) +
    ggplot2::labs(x = NULL, y = NULL) +
    theme_thinwire() +
    ggplot2::theme(strip.text.y = ggplot2::element_text(angle = 0))
  list(plot = plot, width = 17.6, height = 2.2 + 0.36 * data.table::uniqueN(shown$who))
}

#' The same as a LaTeX table over several pages, with what could not be built at its end.
#'
#' @param x result of [summarise_league()]. @param absent `client`, `server` (NA: the
#'   client's usual one), `program`.
league_table <- function(x, absent) {
  numbers <- vapply(names(league_columns), function(name) {
    latex_number(x[[name]], c(league_decimals[name], 0L)[1L + is.na(league_decimals[name])])
  }, character(nrow(x)))
  cells <- cbind(latex_text(x$client), latex_text(x$server), case_words(as.character(x$case)),
                 matrix(numbers, nrow(x)))
  new <- which(!duplicated(x[, .(client, server)]))[-1L]
  rows <- nrow(absent)
  if (rows) {
    why <- paste0("not built: no ", latex_text(absent$program))
    blank <- matrix("", rows, length(league_columns))
    known <- function(name) latex_text(data.table::fcoalesce(as.character(name), ""))
    cells <- rbind(cells, cbind(known(absent$client), known(absent$server), why, blank))
  }
  columns <- paste0("@{}lll", strrep("r", length(league_columns)), "@{}")
  header <- c("client", "server", "case", unname(league_columns))
  latex_long_table(cells, columns, header, new, "league")
}
