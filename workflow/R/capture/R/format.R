# Results as text: for reading, as CSV, as JSON.

#' Text of the results of several captures.
#'
#' @param results list of lists: `header` of [capture_header()], `metrics` of [capture_metrics()],
#'   and, if asked for, `groups` of [group_metrics()] and `by`, "topic" or "peer".
#' @param format "table" (for reading), "csv" (one table, a row for each metric, the header's items
#'   as columns) or "json" (an object with a list of captures).
#' @return lines.
format_results <- function(results, format) {
  if (format == "csv") return(csv_lines(data.table::rbindlist(lapply(results, result_rows))))
  if (format == "json") return(json_text(list(captures = lapply(results, result_tree))))
  unlist(lapply(seq_along(results), function(i) {
    r <- results[[i]]
    c(if (i > 1L) "", format_header(r$header), "", format_table(r$metrics),
      if (!is.null(r$groups)) c("", format_groups(r$groups, r$by)))
  }))
}

#' Rows of the CSV: what a row says first, then what it was measured on.
result_rows <- function(r) {
  all <- data.table::copy(r$metrics)[, `:=`(by = "", group = "")]
  if (!is.null(r$groups)) all <- rbind(all, data.table::copy(r$groups)[, by := r$by],
                                       use.names = TRUE)
  item <- function(name) r$header$items[item == name, value]
  chosen <- r$header$items[item %in% c("server", "protocol", "topic", "port")]
  frames <- r$header$frames
  data.table::data.table(
    file = item("file"), all[, .(by, group, metric, value, unit, n)], device = item("device"),
    server = item("server"), protocol = item("protocol"), direction = item("direction"),
    role = item("role"), topic = item("topic"), port = item("port"), peers = item("peers"),
    chosen = paste0(chosen$item, " ", chosen$chosen, collapse = "; "), first = item("first"),
    last = item("last"), frames_used = unname(frames["used"]), left_out = left_out_text(frames))
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

#' A result as JSON's tree.
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

#' Why frames are left out, with their numbers; "" if none is.
left_out_text <- function(frames) {
  left <- frames[names(frames) != "used"]
  paste(format_short(left), names(left), collapse = ", ")
}

#' Aligned lines for reading, with the interval and the quantiles beside their mean.
format_table <- function(rows) {
  beside <- function(metric, name) sub("_mean_", paste0("_", name, "_"), metric, fixed = TRUE)
  means <- grep("_mean_", rows$metric, fixed = TRUE, value = TRUE)
  spread <- unlist(lapply(spread_names, function(name) beside(means, name)))
  main <- rows[!grepl("_ci95_(low|high)$", metric) & !metric %in% spread]
  of <- function(metric) rows$value[match(metric, rows$metric)]
  low <- of(paste0(main$metric, "_ci95_low"))
  high <- of(paste0(main$metric, "_ci95_high"))
  interval <- ifelse(is.na(low), "", sprintf("[%s, %s]", format_short(low), format_short(high)))
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
    formatC(cells[, j], width = max(nchar(cells[, j])) * if (right[j]) 1 else -1)
  })
  sub(" +$", "", do.call(paste, c(columns, sep = "  ")))
}

format_short <- function(x) tidy_number(signif(x, 6L))
