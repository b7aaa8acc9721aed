# The league on the page: a cell for each trial, with links to what it left.

#' The section of the study `league`, as HTML.
#'
#' @param results see [read_results()]. @param bundles data/raw. @param out folder of the page.
#' @return text; NULL without a trial of the study that went well.
page_league <- function(results, bundles, out) {
  metrics <- results$metrics[study == "league"]
  factors <- usable(results$factors[study == "league"], results$factors[study == "league"])
  if (nrow(factors) == 0L || nrow(metrics) == 0L) return(NULL)
  file <- file.path(getOption("thinwire.workflow"), "studies", "league.yaml")
  x <- summarise_league(metrics, factors, league_cases(file))
  x[, cell := league_cell(x, file.path(path_from(out, bundles), "league"))]
  wide <- data.table::dcast(x, protocol + client + server ~ case, value.var = "cell", fill = "",
                            drop = c(TRUE, FALSE))
  cases <- levels(x$case)
  names <- c("protocol", "client", "server", case_words(cases))
  rows <- knitr::kable(wide[, c("protocol", "client", "server", cases), with = FALSE], "html",
                       escape = FALSE, col.names = names, table.attr = 'class="data"')
  paste0(
    '<section id="league">\n<h2>Clients and servers of other authors</h2>\n',
    "<p>A cell has the messages delivered of those to send, the bytes on the wire, and the time ",
    "from the end of the interruption to the next delivery. Programs are captured at the client, ",
    "the LX106 (<code>lx106-...</code>) at the server: compare bytes on one side of that line ",
    "only. <code>thinwire view data/raw/league/TRIAL</code> draws a trial's time line.</p>\n",
    '<div class="scroll" role="region" tabindex="0" aria-label="League">', rows,
    "</div>\n</section>\n")
}

#' The path of a folder as a page in the folder `out` names it. @param out,folder both relative to
#'   the working folder, or else the absolute path of `folder` is returned.
path_from <- function(out, folder) {
  if (startsWith(out, "/") || startsWith(folder, "/")) return(normalizePath(folder))
  paste(c(rep("..", length(strsplit(out, "/", fixed = TRUE)[[1L]])), folder), collapse = "/")
}

#' The cell of each trial, as HTML.
#'
#' @param x result of [summarise_league()]. @param folder of the study's bundles, from the page.
league_cell <- function(x, folder) {
  whole <- function(value) ifelse(is.na(value), "?", formatC(value, format = "d", big.mark = ","))
  back <- ifelse(is.na(x$back_after_outage_s), "",
                 paste0(", ", formatC(x$back_after_outage_s, format = "f", digits = 2L), " s"))
  link <- function(file, text) {
    sprintf('<a href="%s">%s</a>', utils::URLencode(file.path(folder, x$trial, file)), text)
  }
  paste0(whole(x$delivered), " of ", whole(x$messages), ", ", whole(x$captured_bytes), " bytes",
         back, "<br>", link("", "bundle"), " ", link("wire.pcapng.gz", "capture"))
}
