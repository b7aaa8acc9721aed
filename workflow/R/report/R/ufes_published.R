# UFES's published distributions, messages received in a second, beside ours: which trial is of
# which, and how far they are apart.

#' The kinds of the published distributions, in the order of the figure: `protocol`, `nagle` and
#' `others` are columns of the table.
ufes_kinds <- c(coap..alone = "CoAP, alone", "coap..beside others" = "CoAP, beside others",
                mqtt.true.alone = "MQTT, alone", "mqtt.true.beside others" = "MQTT, beside others",
                "mqtt.false.beside others" = "MQTT without Nagle, beside others")

#' The published distributions.
#'
#' @param table columns `protocol`, `nagle`, `others`, `interval_ms`, `messages_in_a_second`,
#'   `share_of_seconds`; shares have three digits.
#' @return data.table `kind` (factor of [ufes_kinds]), `interval` (ms), `value`, `share`; those that
#'   are a failed run (no message in any second) left out.
ufes_distributions <- function(table) {
  # where a protocol has no such thing the field is empty, which a reader of CSV takes for NA
  nagle <- ifelse(is.na(table$nagle), "", tolower(table$nagle))
  kind <- ufes_kinds[paste(table$protocol, nagle, table$others, sep = ".")]
  out <- table[, .(kind = factor(kind, ufes_kinds), interval = as.numeric(interval_ms),
                   value = as.numeric(messages_in_a_second),
                   share = as.numeric(share_of_seconds))]
  out[, usable := any(value > 0), by = .(kind, interval)]
  out[usable == TRUE, !"usable"]
}

#' The kind of each trial that is one of theirs; NA of others.
#'
#' @param trials result of [ufes_trials()].
ufes_kind_of <- function(trials) {
  beside <- trials$load > 0
  like <- trials$as_made & trials$payload == 30 & trials$errors == 0 &
    (!beside | trials$queue %in% ufes_queue)
  name <- paste(tolower(trials$protocol),
                ifelse(trials$protocol == "MQTT", tolower(!grepl("no Nagle", trials$variant)), ""),
                ifelse(beside, "beside others", "alone"), sep = ".")
  factor(ifelse(like, ufes_kinds[name], NA), ufes_kinds)
}

#' Half the sum of the differences of two distributions over the same values: 0 alike, 1 apart.
#'
#' @param a,b shares, named by their value.
total_variation <- function(a, b) {
  values <- union(names(a), names(b))
  share <- function(x) ifelse(is.na(x[values]), 0, x[values])
  sum(abs(share(a) - share(b))) / 2
}

#' Shares of the seconds by what was counted in them, for each kind, interval and load of ours;
#' seconds of repetitions are pooled. As UFES's programs count: answers over CoAP, frames with
#' messages over MQTT.
#'
#' @param samples table. @param trials result of [ufes_trials()].
#' @return data.table `kind`, `interval`, `load`, `value`, `N`, `seconds`, `share`.
ufes_own_shares <- function(samples, trials) {
  wanted <- data.table::copy(trials)[, kind := ufes_kind_of(trials)][!is.na(kind)]
  counted <- c(CoAP = "delivery_per_s", MQTT = "frames_per_s")
  wanted[, sample := counted[as.character(protocol)]]
  x <- samples[wanted, on = c("study", "trial", "sample"), nomatch = NULL]
  out <- x[, .N, by = .(kind, interval, load, value)]
  out[, `:=`(seconds = sum(N), share = N / sum(N)), by = .(kind, interval, load)]
  out[]
}

#' Published and own distribution of each kind and interval that has both; beside others at the load
#' with the least distance.
#'
#' @param published result of [ufes_distributions()]. @param own of [ufes_own_shares()].
#' @return data.table `kind`, `interval`, `load`, `loads` (that were tried), `seconds` of ours,
#'   `distance`, and mean and silent share of both: `mean_theirs`, `mean_ours`, `silent_theirs`,
#'   `silent_ours`.
ufes_distances <- function(published, own) {
  named <- function(x) stats::setNames(x$share, x$value)
  rows <- own[, {
    theirs <- published[kind == .BY$kind & interval == .BY$interval]
    if (nrow(theirs)) {
      list(seconds = seconds[1L], distance = total_variation(named(theirs), named(.SD)),
           mean_theirs = sum(theirs$value * theirs$share), mean_ours = sum(value * share),
           silent_theirs = sum(theirs[value == 0, share]), silent_ours = sum(share[value == 0]))
    }
  }, by = .(kind, interval, load)]
  rows[, loads := .N, by = .(kind, interval)]
  rows <- rows[order(kind, interval, distance, load)]
  rows[!duplicated(rows[, .(kind, interval)])]
}

#' The time of UFES's programs in each turn, ms: the period of each published distribution alone
#' above its interval, of CoAP and of MQTT.
ufes_loop_times <- function(published) {
  alone <- published[kind %in% ufes_kinds[c("coap..alone", "mqtt.true.alone")],
                     .(above = 1000 / sum(value * share) - interval), by = .(kind, interval)]
  alone[, .(least = min(above), median = median(above), most = max(above)), by = kind]
}

#' Table of the distances.
ufes_distance_table <- function(d) {
  first <- !duplicated(d$kind)
  percent <- function(x) latex_number(100 * x, 1L)
  cells <- cbind(ifelse(first, as.character(d$kind), ""), latex_number(d$interval),
                 ifelse(d$load > 0, latex_number(d$load), "--"),
                 ifelse(d$load > 0, latex_number(d$loads), "--"), latex_number(d$seconds),
                 latex_number(d$mean_theirs, 2L), latex_number(d$mean_ours, 2L),
                 percent(d$silent_theirs), percent(d$silent_ours), latex_number(d$distance, 3L))
  lines <- function(...) paste0("\\shortstack{", paste(..., sep = "\\\\"), "}")
  header <- c("", lines("interval,", "ms"), lines("others,", "Mb/s"), lines("loads", "tried"),
              "seconds", lines("a second,", "published"), "ours",
              lines("silent, \\%,", "published"), "ours", "distance")
  latex_table(cells, "@{}lrrrrrrrrr@{}", header, which(first)[-1L])
}

#' Kinds and intervals without a usable published distribution.
ufes_unpublished <- function(published) {
  all <- data.table::CJ(kind = factor(ufes_kinds, ufes_kinds), interval = seq(100, 900, 100))
  all[!published, on = c("kind", "interval")]
}

#' The figure of all distributions: theirs as grey bars, ours as narrow ones, with the distance.
figure_ufes_distributions <- function(published, own, distances) {
  if (nrow(distances) == 0L) return(figure_empty("no second of any trial was counted"))
  chosen <- own[distances, on = c("kind", "interval", "load")]
  cap <- function(x) pmin(x, 12)
  panel <- function(x) factor(paste(x, "ms"), paste(seq(100, 900, 100), "ms"))
  theirs <- published[, .(share = sum(share)), by = .(kind, interval, value = cap(value))]
  ours <- chosen[, .(share = sum(share)), by = .(kind, interval, value = cap(value))]
  ours[, protocol := sub("[ ,].*", "", kind)]
  label <- distances[, .(kind, interval, text = sub("^0", "", sprintf("%.2f", distance)))]
  none <- ufes_unpublished(published)
  for (x in list(theirs, ours, label, none)) x[, panel := panel(interval)]
  plot <- ggplot2::ggplot(ours, ggplot2::aes(value, share)) +
    ggplot2::geom_col(data = theirs, fill = "#C9C9C9", width = 0.95) +
    ggplot2::geom_col(ggplot2::aes(fill = protocol), width = 0.4) +
    ggplot2::geom_text(data = label, ggplot2::aes(label = text), x = 12.4, y = 1.17, hjust = 1,
                       vjust = 1, size = 2.3, family = figure_family(), colour = ink) +
    ggplot2::geom_text(data = none, ggplot2::aes(label = "none\npublished"), x = 6, y = 0.55,
                       size = 2.3, lineheight = 0.9, family = figure_family(),
                       colour = "#666666") +
    ggplot2::facet_grid(kind ~ panel, labeller = ggplot2::labeller(
      kind = ggplot2::label_wrap_gen(14))) +
    scale_protocol_fill() +
    ggplot2::scale_x_continuous(breaks = c(0, 5, 10), limits = c(-0.6, 12.6)) +
    ggplot2::scale_y_continuous(limits = c(0, 1.2), breaks = c(0, 0.5, 1)) +
    ggplot2::labs(x = "messages received in a second", y = "share of the seconds") +
    theme_thinwire() +
    ggplot2::theme(panel.grid.major.x = ggplot2::element_blank(),
                   panel.spacing = ggplot2::unit(3, "pt"),
                   strip.text.y = ggplot2::element_text(angle = 0, hjust = 0, size = 7))
  list(plot = plot, width = 17.6, height = 9.2)
}
