# What can be checked of a figure without an eye: panels that show nothing, curves of one point, and
# titles of panels that are wider than their panel.

#' The faults of a figure.
#'
#' @param figure list with `plot` (a ggplot), `width`, `height` (cm), as a report has it.
#' @return character, one text for each fault; empty if there is none.
figure_faults <- function(figure) {
  # text has its width on a device that knows the font
  file <- tempfile(fileext = ".pdf")
  grDevices::cairo_pdf(file, figure$width / 2.54, figure$height / 2.54, family = figure_family())
  on.exit({
    grDevices::dev.off()
    unlink(file)
  })
  built <- ggplot2::ggplot_build(figure$plot)
  c(empty_panels(built), short_curves(built), wide_titles(built, figure))
}

#' Names of the panels as their titles have them.
panel_names <- function(built) {
  layout <- built$layout$layout
  variables <- setdiff(names(layout), c("PANEL", "ROW", "COL", "SCALE_X", "SCALE_Y"))
  names <- if (length(variables)) {
    do.call(paste, c(lapply(layout[variables], as.character), sep = ", "))
  } else {
    rep("the panel", nrow(layout))
  }
  stats::setNames(gsub("\n", " ", names, fixed = TRUE), layout$PANEL)
}

#' Panels in which no layer has a value.
empty_panels <- function(built) {
  names <- panel_names(built)
  shown <- unique(unlist(lapply(built$data, function(layer) {
    if (is.null(layer) || !"PANEL" %in% names(layer)) return(NULL)
    value <- intersect(c("y", "ymax", "ymax_final", "x"), names(layer))
    as.character(layer$PANEL[if (length(value)) !is.na(layer[[value[1L]]]) else TRUE])
  })))
  sprintf("%s: the panel is empty", names[setdiff(names(names), shown)])
}

#' Panels whose every curve has a single point: a line needs two.
short_curves <- function(built) {
  lines <- vapply(built$plot$layers, function(l) inherits(l$geom, "GeomLine"), NA)
  names <- panel_names(built)
  unlist(lapply(built$data[lines], function(layer) {
    points <- tapply(layer$x, as.character(layer$PANEL), function(x) length(unique(x)))
    sprintf("%s: the curves have one point", names[names(points)[points < 2L]])
  }))
}

#' Titles above panels that are wider than the panel, at the title's font.
wide_titles <- function(built, figure) {
  table <- ggplot2::ggplot_gtable(built)
  strips <- grep("^strip-[tb]", table$layout$name)
  if (length(strips) == 0L) return(character())
  inches <- function(x) grid::convertWidth(x, "in", valueOnly = TRUE)
  fixed <- table$widths[!grid::unitType(table$widths) %in% "null"]
  panels <- unique(table$layout$l[grepl("^panel", table$layout$name)])
  room <- (figure$width / 2.54 - sum(inches(fixed))) / length(panels)
  unlist(lapply(strips, function(i) {
    titles <- strip_texts(table$grobs[[i]])
    wide <- vapply(titles, function(t) inches(grid::grobWidth(t)) > room, NA)
    vapply(titles[wide], function(t) {
      sprintf("the title '%s' is wider than its panel", gsub("\n", " ", t$label, fixed = TRUE))
    }, "")
  }))
}

#' The texts within a grob.
strip_texts <- function(grob) {
  if (inherits(grob, "text")) return(list(grob))
  inner <- c(if (inherits(grob, "gtable")) grob$grobs, grob$children)
  unlist(lapply(inner, strip_texts), recursive = FALSE)
}
