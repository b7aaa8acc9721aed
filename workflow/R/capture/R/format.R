# Results as text: for reading, as CSV, as JSON.

#' Text of the results of several captures.
#'
#' @param results list of lists: `header` of [capture_header()], `metrics` of [capture_metrics()],
#'   and, if asked for, `groups` of [group_metrics()] and `by`, "topic" or "peer".
#'   `findings` of [sum_findings()] stand above the metrics.
#' @param format "table" (for reading), "csv" (one table, a row for each metric) or "json" (an
#'   object with a list of captures).
#' @param everything for "table": all metrics, not only the summary of [format_summary()].
#' @return lines.
format_results <- function(results, format, everything = TRUE) {
  if (format == "csv") return(csv_lines(data.table::rbindlist(lapply(results, result_rows))))
  if (format == "json") return(json_text(list(captures = lapply(results, result_tree))))
  unlist(lapply(seq_along(results), function(i) {
    r <- results[[i]]
    c(if (i > 1L) "",
      if (everything) {
        c(format_header(r$header), "", format_findings(r$findings), format_table(r$metrics))
      } else {
        format_summary(r)
      },
      if (!is.null(r$groups)) c("", format_groups(r$groups, r$by)))
  }))
}

#' Rows of the CSV: a metric of the capture, or of a topic or peer.
result_rows <- function(r) {
  all <- data.table::copy(r$metrics)[, group := ""]
  if (!is.null(r$groups)) all <- rbind(all, r$groups, use.names = TRUE)
  file <- r$header$items[item == "file", value]
  data.table::data.table(file = file, with_intervals(all)[, .(group, metric, value, unit, n,
                                                              ci95_low, ci95_high)])
}

#' Metrics with the limits of their intervals beside them instead of in rows of their own.
#'
#' @param rows `metric`, `value` and others. @return the rows that are no limits, with `ci95_low`,
#'   `ci95_high`, NA where there is none.
with_intervals <- function(rows) {
  main <- data.table::copy(rows[!grepl("_ci95_(low|high)$", metric)])
  key <- function(x, end = "") paste0(x$metric, end, if (!is.null(x$group)) paste0("\n", x$group))
  for (limit in c("ci95_low", "ci95_high")) {
    at <- match(key(main, paste0("_", limit)), key(rows))
    data.table::set(main, j = limit, value = rows$value[at])
  }
  main
}

#' Rows of the file named by `--header`: the basis of a measurement, and its findings.
header_rows <- function(r) {
  items <- r$header$items
  frames <- r$header$frames
  found <- r$findings
  data.table::rbindlist(list(
    items[, .(item, value, note = chosen)],
    data.table::data.table(item = "frames", value = format_whole(unname(frames)),
                           note = names(frames)),
    data.table::data.table(item = rep("finding", nrow(found)), value = found$finding,
                           note = finding_notes(found))
  ))[, .(file = items[item == "file", value], item, value, note)]
}

#' The frames of each finding, and the metrics that it may distort.
finding_notes <- function(found) {
  frames <- ifelse(found$frames > 0, paste0(count_text(found$frames, "frame"), " "), "")
  sprintf("%s%s; may distort %s", frames, found$which, found$may_distort)
}

#' CSV of a table as lines.
#'
#' @param table data.table.
csv_lines <- function(table) {
  file <- tempfile(fileext = ".csv")
  on.exit(unlink(file))
  write_table(table, file)
  readLines(file, encoding = "UTF-8")
}

#' JSON of a list or a table, for machines.
#'
#' @param x what to write.
json_text <- function(x) jsonlite::toJSON(x, auto_unbox = TRUE, pretty = TRUE, digits = NA)

#' A result as a tree for JSON.
result_tree <- function(r) {
  items <- r$header$items
  tree <- stats::setNames(lapply(seq_len(nrow(items)), function(i) {
    chosen <- items$chosen[i]
    c(list(value = items$value[i]), if (nzchar(chosen)) list(chosen = chosen))
  }), items$item)
  frames <- r$header$frames
  tree$frames <- list(captured = sum(frames), used = frames[["used"]],
                      left_out = as.list(frames[names(frames) != "used"]))
  if (!length(tree$frames$left_out)) tree$frames$left_out <- NULL
  tree$findings <- r$findings
  tree$metrics <- metric_tree(r$metrics)
  if (!is.null(r$groups)) {
    names <- unique(r$groups$group)
    tree[[paste0("by_", r$by)]] <- lapply(names, function(name) {
      list(group = name, metrics = metric_tree(r$groups[group == name]))
    })
  }
  tree
}

metric_tree <- function(rows) {
  lapply(seq_len(nrow(rows)), function(i) {
    list(metric = rows$metric[i], value = signif(rows$value[i], 10), unit = rows$unit[i],
         n = rows$n[i])
  })
}

#' Lines of a header.
format_header <- function(header) {
  items <- header$items
  frames <- header$frames
  left <- left_out_text(frames)
  count <- paste0(format_short(frames[["used"]]), " of ", format_short(sum(frames)), " used",
                  if (nzchar(left)) paste0("; left out: ", left))
  lines <- c(items$value, count)
  chosen <- c(items$chosen, "")
  lines <- paste0(lines, data.table::fifelse(nzchar(chosen), paste0("  (", chosen, ")"), ""))
  keys <- c(items$item, "frames")
  shown <- nzchar(c(items$value, count))
  paste(formatC(keys, width = -max(nchar(keys))), lines, sep = "  ")[shown]
}

#' Lines of findings, and an empty line; none if there are no findings.
format_findings <- function(found) {
  if (nrow(found) == 0L) return(character())
  frames <- data.table::fifelse(found$frames > 0, format_short(found$frames), "")
  c(align(c("frames", "which", "finding", "may distort"),
          cbind(frames, found$which, found$finding, found$may_distort),
          c(TRUE, FALSE, FALSE, FALSE)), "")
}

#' The reasons for excluded frames, with their counts; "" if there are none.
left_out_text <- function(frames) {
  left <- frames[names(frames) != "used"]
  paste(format_short(left), names(left), collapse = ", ")
}

#' Aligned lines for reading, with the interval and the quantiles beside their mean.
format_table <- function(rows) {
  beside <- function(metric, name) sub("_mean_", paste0("_", name, "_"), metric, fixed = TRUE)
  means <- grep("_mean_", rows$metric, fixed = TRUE, value = TRUE)
  spread <- unlist(lapply(spread_names, function(name) beside(means, name)))
  main <- with_intervals(rows)[!metric %in% spread]
  of <- function(metric) rows$value[match(metric, rows$metric)]
  interval <- main[, ifelse(is.na(ci95_low), "", sprintf("[%s, %s]", format_short(ci95_low),
                                                         format_short(ci95_high)))]
  quantiles <- lapply(spread_names, function(name) {
    of(ifelse(main$metric %in% means, beside(main$metric, name), ""))
  })
  present <- !vapply(quantiles, function(x) all(is.na(x)), NA)
  cells <- cbind(main$metric, format_short(main$value), main$unit, format_short(main$n), interval,
                 do.call(cbind, lapply(quantiles[present], format_short)))
  align(c("metric", "value", "unit", "n", "95 % interval", spread_names[present]), cells,
        c(FALSE, TRUE, FALSE, TRUE, FALSE, rep(TRUE, sum(present))))
}

#' One line for each topic or peer, the metrics as columns.
format_groups <- function(groups, by) {
  shown <- c(messages = "messages", copies = "copies", payload_bytes = "payload bytes",
             request_ack_mean_ms = "to ACK, ms", request_ack_median_ms = "median",
             request_ack_p95_ms = "p95", request_ack_p99_ms = "p99", request_ack_max_ms = "max",
             response_mean_ms = "to response, ms", response_median_ms = "median",
             response_p95_ms = "p95", response_p99_ms = "p99", response_max_ms = "max",
             delivery_per_s_mean = "messages/s")
  shown <- shown[names(shown) %in% groups$metric]
  names <- unique(groups$group)
  cells <- vapply(names(shown), function(wanted) {
    rows <- groups[metric == wanted]
    format_short(rows$value[match(names, rows$group)])
  }, character(length(names)))
  align(c(by, shown), cbind(names, matrix(cells, length(names))), c(FALSE, TRUE | nzchar(shown)))
}

#' Aligned columns. @param titles of the columns. @param cells matrix of texts. @param right which
#'   columns end flush.
align <- function(titles, cells, right) {
  cells <- rbind(titles, cells)
  columns <- lapply(seq_len(ncol(cells)), function(j) {
    room <- nchar(cells[, j], "width")
    blanks <- strrep(" ", max(room) - room)
    if (right[j]) paste0(blanks, cells[, j]) else paste0(cells[, j], blanks)
  })
  sub(" +$", "", do.call(paste, c(columns, sep = "  ")))
}

format_short <- function(x) tidy_number(signif(x, 6L))
