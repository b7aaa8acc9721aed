# The memory that an engine uses: flash and RAM, from the ELF files of the LX106 board.

#' Flash and RAM as metrics of the study `firmware`, one trial per engine.
#'
#' @param sizes table with engine, flash_bytes, ram_bytes. The rows `base` (no engine) and `all` are
#'   whole images; the others are what an engine adds to the base (UFRN, section IV).
#' @return long metrics table.
firmware_metrics <- function(sizes) {
  long <- data.table::melt(sizes, id.vars = "engine", variable.name = "part")
  long[, .(study = "firmware", trial = engine, metric = paste0("engine_", part), value,
           unit = "bytes", n = 1L)][order(trial, metric)]
}
