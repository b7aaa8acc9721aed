# Groups of devices in one trial: what each group delivered, and what share of the air it took.

#' Metrics of each group, defined in docs/metrics.md; NULL for a trial without groups.
#'
#' @param bundle result of [read_bundle()]. @param messages result of [message_table()].
#' @param each result of [device_table()].
group_metrics <- function(bundle, messages, each) {
  groups <- device_groups(bundle)
  if (is.null(groups)) return(NULL)
  made <- each[made > 0L]
  delays <- device_delays(bundle, messages)
  air <- device_airtime(bundle)
  cell_s <- part_of(bundle$lab, "link", "duration_s")
  of_each <- lapply(unique(groups), function(group) {
    names <- each$sender[groups == group]
    rows <- rbind(group_deliveries(each[sender %in% names], delays[sender %in% names, delay]),
                  group_air(air[air$sender %in% names], cell_s))
    rows[, metric := sprintf("group%d_%s", group, metric)]
  })
  rbind(metric_row("groups", length(of_each), "groups", length(of_each)),
        if (nrow(made)) {
          metric_row("fairness_delivered_of_made", jain_index(made$delivered / made$made), "",
                     nrow(made))
        },
        data.table::rbindlist(of_each))
}

#' What a group delivered, and how late.
#'
#' @param each its rows of [device_table()]. @param delay of each message that arrived, ms.
group_deliveries <- function(each, delay) {
  made <- sum(each$made)
  delivered <- sum(each$delivered)
  back <- each[!is.na(first), first]
  rbind(metric_row("devices", nrow(each), "devices", nrow(each)),
        metric_row(c("made", "delivered"), c(made, delivered), "messages", made),
        if (made > 0) metric_row("delivered_of_made_pct", 100 * delivered / made, "%", made),
        if (length(delay)) {
          metric_row(c("delay_median_ms", "delay_p95_ms"),
                     quantile(delay, c(0.5, 0.95), names = FALSE), "ms", length(delay))
        },
        if (length(back)) metric_row("first_delivery_max_s", max(back), "s", length(back)),
        metric_row("fairness_delivered", jain_index(each$delivered), "", nrow(each)))
}

#' A group's share of the cell's time; NULL without a cell.
#'
#' @param air its rows of [device_airtime()]. @param cell_s duration of the cell, s.
group_air <- function(air, cell_s) {
  if (is.null(air)) return(NULL)
  metric_row("airtime_pct", 100 * sum(air$airtime_s) / cell_s, "%", nrow(air))
}
