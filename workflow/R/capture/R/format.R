# Metrics as text: for reading, as CSV, as JSON.

#' Text of a metrics table.
#'
#' @param rows result of [capture_metrics()].
#' @param format "table" (for reading), "csv" (`metric,value,unit,n`) or "json".
#' @return lines.
format_metrics <- function(rows, format) {
  if (format == "csv") {
    body <- paste(rows$metric, tidy_number(rows$value), rows$unit, tidy_number(rows$n), sep = ",")
    return(c("metric,value,unit,n", body))
  }
  if (format == "json") {
    values <- lapply(seq_len(nrow(rows)), function(i) {
      list(metric = rows$metric[i], value = signif(rows$value[i], 10), unit = rows$unit[i],
           n = rows$n[i])
    })
    return(jsonlite::toJSON(values, auto_unbox = TRUE, pretty = TRUE, digits = NA))
  }
  format_table(rows)
}

#' Aligned lines for reading, with the interval beside its mean.
format_table <- function(rows) {
  main <- rows[!grepl("_ci95_(low|high)$", metric)]
  limit <- function(side) rows$value[match(paste0(main$metric, "_ci95_", side), rows$metric)]
  low <- limit("low")
  interval <- ifelse(is.na(low), "", sprintf("[%s, %s]", format_short(low),
                                             format_short(limit("high"))))
  cells <- cbind(main$metric, format_short(main$value), main$unit, format_short(main$n), interval)
  cells <- rbind(c("metric", "value", "unit", "n", "95 % interval"), cells)
  right <- c(FALSE, TRUE, FALSE, TRUE, FALSE)
  columns <- lapply(seq_len(ncol(cells)), function(j) {
    formatC(cells[, j], width = max(nchar(cells[, j])) * if (right[j]) 1 else -1)
  })
  sub(" +$", "", do.call(paste, c(columns, sep = "  ")))
}

format_short <- function(x) tidy_number(signif(x, 6L))
