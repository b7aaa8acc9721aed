# What a foreign device says of itself: words NAME=NUMBER in what it printed.

#' Names that are metrics, and their units.
printed_units <- c(acknowledged = "messages", refused = "messages", longest_call_ms = "ms",
                   memory_kib = "KiB")

#' `printed_acknowledged`, `printed_refused`, `printed_longest_call_ms`, `printed_memory_kib`: the
#' last number that the program printed behind each name.
#'
#' @param bundle result of [read_bundle()].
#' @return NULL where it printed none of them, and for devices that are not foreign.
printed_metrics <- function(bundle) {
  file <- file.path(bundle$folder, "board.out.txt")
  if (!is_foreign(bundle) || !file.exists(file)) return(NULL)
  words <- unlist(strsplit(readLines(file, warn = FALSE), "[[:space:]]+", useBytes = TRUE))
  words <- grep("^[a-z_]+=[0-9]{1,15}$", words, value = TRUE, useBytes = TRUE)
  value <- as.numeric(sub("^.*=", "", words))
  name <- sub("=.*$", "", words)
  known <- intersect(names(printed_units), name)
  if (length(known) == 0L) return(NULL)
  last <- vapply(known, function(one) tail(value[name == one], 1L), 0)
  metric_row(paste0("printed_", known), unname(last), unname(printed_units[known]), 1)
}
