# The style of all figures, and their output, in which the same data give the same bytes.

#' Colours of the protocols, by label. Colour means protocol in every figure, and nothing else;
#' other distinctions use position, line, shape or lightness.
protocol_colours <- function() {
  stats::setNames(protocol_values("colour"), protocol_values("label"))
}

#' Scales of the protocols' colours, for lines and points, and for areas.
#'
#' @param guide "legend", or "none" where the axis names the protocols.
scale_protocol <- function(guide = "legend") {
  ggplot2::scale_colour_manual(values = protocol_colours(), name = NULL, guide = guide)
}

scale_protocol_fill <- function(guide = "none") {
  ggplot2::scale_fill_manual(values = protocol_colours(), name = NULL, guide = guide)
}

#' Parts of a whole as lightness of the protocol's colour, the first part darkest.
#'
#' @param parts their names in the order of the legend. @param rows of the legend.
#' @param protocol label of each bar's: the legend has its colour if there is one, otherwise grey.
scale_parts <- function(parts, rows = 1L, protocol = NULL) {
  one <- if (length(unique(protocol)) == 1L) as.character(protocol[1L]) else NA_character_
  fill <- data.table::fcoalesce(unname(protocol_colours()[one]), "#333333")
  strength <- stats::setNames(seq(1, 0.12, length.out = length(parts)), parts)
  ggplot2::scale_alpha_manual(
    values = strength, breaks = parts, name = NULL,
    guide = ggplot2::guide_legend(nrow = rows, order = 1L,
                                  override.aes = list(fill = fill, colour = "#777777"))
  )
}

#' Stacked bars whose parts differ in lightness: on white, with a thin rule between the parts.
geom_parts <- function(width = 0.72) {
  list(ggplot2::geom_col(fill = "white", width = width),
       ggplot2::geom_col(ggplot2::aes(fill = protocol, alpha = part), width = width,
                         colour = "#777777", linewidth = 0.15))
}

#' Ink of text and axes.
ink <- "#222222"

#' Font of the figures: the first of these that fontconfig has.
figure_family <- function() {
  wanted <- c("Liberation Sans", "Nimbus Sans", "TeX Gyre Heros", "Latin Modern Sans")
  words <- c(":", "family")
  listed <- suppressWarnings(run_program("fc-list", words, stdout = TRUE, stderr = FALSE))
  there <- vapply(wanted, function(f) any(grepl(f, listed, fixed = TRUE)), NA)
  if (any(there)) wanted[there][1L] else "sans"
}

#' Theme of all figures, without decoration.
theme_thinwire <- function() {
  ggplot2::theme_minimal(base_size = 8, base_family = figure_family()) +
    ggplot2::theme(
      text = ggplot2::element_text(colour = ink),
      axis.text = ggplot2::element_text(colour = ink, size = 7),
      axis.title = ggplot2::element_text(size = 8),
      axis.ticks = ggplot2::element_line(colour = "#999999", linewidth = 0.25),
      axis.ticks.length = ggplot2::unit(1.5, "pt"),
      axis.line.x = ggplot2::element_line(colour = "#666666", linewidth = 0.3),
      panel.grid.minor = ggplot2::element_blank(),
      panel.grid.major = ggplot2::element_line(colour = "#E4E4E4", linewidth = 0.25),
      panel.spacing = ggplot2::unit(7, "pt"),
      strip.text = ggplot2::element_text(colour = ink, size = 8, face = "bold",
                                         margin = ggplot2::margin(2, 2, 3, 2)),
      legend.position = "top", legend.justification = "left",
      legend.title = ggplot2::element_text(size = 7.5),
      legend.text = ggplot2::element_text(size = 7.5),
      legend.key.size = ggplot2::unit(9, "pt"),
      legend.margin = ggplot2::margin(0, 0, 0, 0),
      legend.box.margin = ggplot2::margin(0, 0, -4, 0),
      plot.margin = ggplot2::margin(2, 4, 2, 2)
    )
}

#' Write a figure as PDF.
#'
#' @param plot a ggplot. @param file,width,height see [save_pages()].
save_figure <- function(plot, file, width, height) {
  save_pages(function() print(plot), file, width, height)
}

#' Write pages as PDF, or one page as PNG where the file's name ends so (300 dots an inch).
#'
#' cairo writes the time of day into a PDF; it is overwritten, byte for byte, with the time of
#' SOURCE_DATE_EPOCH (0 if unset), so that two runs give the same file.
#'
#' @param draw function that draws them. @param file path. @param width,height centimetres.
save_pages <- function(draw, file, width, height) {
  dir.create(dirname(file), showWarnings = FALSE, recursive = TRUE)
  image <- grepl("[.]png$", file)
  if (image) {
    grDevices::png(file, width, height, units = "cm", res = 300, type = "cairo",
                   family = figure_family())
  } else {
    grDevices::cairo_pdf(file, width = width / 2.54, height = height / 2.54, onefile = TRUE,
                         family = figure_family())
  }
  tryCatch(draw(), finally = grDevices::dev.off())
  if (!image) fix_date(file)
}

#' Overwrite the creation date of a PDF that cairo wrote.
#'
#' cairo 1.18 and later compress it with other objects: qpdf separates them first, with an
#' identifier that does not depend on the time of day either.
fix_date <- function(file) {
  plain <- paste0(file, ".plain")
  on.exit(unlink(plain))
  words <- c("--object-streams=disable", "--static-id", file, plain)
  if (run_program("qpdf", words) != 0L || !file.rename(plain, file)) {
    stop("qpdf fails on ", file, ": run 'make setup', which installs it")
  }
  epoch <- suppressWarnings(as.numeric(Sys.getenv("SOURCE_DATE_EPOCH", "0")))
  stamp <- format(as.POSIXct(if (is.na(epoch)) 0 else epoch, origin = "1970-01-01", tz = "UTC"),
                  "D:%Y%m%d%H%M%S", tz = "UTC")
  bytes <- readBin(file, "raw", file.size(file))
  at <- grepRaw("/CreationDate (D:", bytes, fixed = TRUE)
  stopifnot(length(at) == 1L)
  start <- at + nchar("/CreationDate (")
  bytes[start + seq_len(nchar(stamp)) - 1L] <- charToRaw(stamp)
  writeBin(bytes, file)
  invisible(file)
}
