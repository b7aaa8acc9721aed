# The memory that an engine uses, as a table of the paper.

#' Flash and RAM of each engine as a LaTeX table, images last.
#'
#' @param sizes see [firmware_metrics()].
firmware_table <- function(sizes) {
  engines <- protocol_values("label")
  names <- c(engines, base = "image without engines", all = "image with all")
  x <- sizes[match(names(names), engine)]
  cells <- cbind(names, latex_number(x$flash_bytes), latex_number(x$ram_bytes))
  latex_table(cells, "lrr", c("", "flash, bytes", "RAM, bytes"), groups = length(engines) + 1L)
}
