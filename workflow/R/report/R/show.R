# A study's summary for a terminal or a program: what `thinwire show` prints.

#' The summary of the trials of a study that succeeded.
#'
#' @param study see [make_report()]. @return see [summarise_study()]; NULL if no trial succeeded.
study_summary <- function(study) {
  factors <- usable(study$factors, study$factors)
  if (nrow(factors) == 0L) return(NULL)
  summarise_study(usable(study$metrics, study$factors), factors,
                  usable(study$samples, study$factors))
}

#' The summary of a study as JSON: an object for each kind of trial, times in ms.
#'
#' @param study see [make_report()].
study_json <- function(study) {
  s <- study_summary(study)
  json_text(if (is.null(s)) list() else s)
}

#' Lines of the summary of a study.
#'
#' @param study see [make_report()]. @return a line for each kind of trial.
study_lines <- function(study) {
  s <- study_summary(study)
  if (is.null(s)) return("no trial succeeded")
  shown <- attr(s, "shown")
  short <- function(x, digits = 3L) ifelse(is.na(x), "", tidy_number(signif(x, digits)))
  interval <- function(low, high) {
    ifelse(is.na(low), "", sprintf("[%s, %s]", short(low), short(high)))
  }
  cells <- do.call(cbind, c(
    list(as.character(s$mode)), lapply(shown, function(name) as.character(s[[name]])),
    list(short(s$interval, 6L), s$trials, short(s$delivery_pct, 4L), short(s$rtt_median),
         paste(short(s$rtt_mean), interval(s$rtt_low, s$rtt_high)), short(s$bytes, 4L),
         short(s$packets))))
  head <- c("mode", gsub("_", " ", shown), "every, ms", "trials", "delivered, %",
            "round trip, ms: median", "mean, 95 % interval", "bytes", "packets")
  cells <- rbind(head, cells)
  widths <- apply(nchar(cells, "width"), 2L, max)
  padded <- vapply(seq_along(widths), function(j) formatC(cells[, j], width = -widths[j]),
                   character(nrow(cells)))
  sub(" +$", "", apply(padded, 1L, paste, collapse = "  "))
}
