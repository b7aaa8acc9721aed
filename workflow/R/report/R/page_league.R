# The league on the page: a cell for each trial, with links to what it left.

#' The section of the study `league`, as HTML.
#'
#' @param results see [read_results()]. @param bundles data/raw. @param out folder of the page.
#' @param measured docs/measured, whose recorded table stands where the build has no such trial.
#' @return text.
page_league <- function(results, bundles, out, measured) {
  metrics <- results$metrics[study == "league"]
  factors <- usable(results$factors[study == "league"], results$factors[study == "league"])
  if (nrow(factors) == 0L || nrow(metrics) == 0L) return(page_recorded_league(measured))
  file <- file.path(getOption("thinwire.workflow"), "studies", "league.yaml")
  x <- summarise_league(metrics, factors, league_cases(file))
  x[, cell := league_cell(x, file.path(path_from(out, bundles), "league"))]
  league_section(x, paste0("<code>thinwire view data/raw/league/TRIAL</code> draws a trial's ",
                           "time line."))
}

#' The section of the table that docs/measured has of a full run of the study; it has no bundles.
#'
#' @param measured docs/measured.
page_recorded_league <- function(measured) {
  x <- data.table::fread(file.path(measured, "league.csv"), encoding = "UTF-8")
  text <- paste(readLines(file.path(measured, "league.md"), encoding = "UTF-8"), collapse = "\n")
  commit <- gsub("`", "", sub("^.*\n- (Measured:.*?)\n\n.*$", "\\1", text, perl = FALSE))
  x[, messages := max(delivered), by = case]
  x[, `:=`(case = factor(case, unique(case)), cell = league_text(x))]
  league_section(x, paste0(escaped_html(commit), ". <code>make league</code> runs ",
                           "the study."))
}

#' The section: what a client loses while its server is away, then the table.
#'
#' @param x data.table `protocol`, `client`, `server`, `case`, `delivered`, `messages`, `cell`.
#' @param more sentences, as HTML.
league_section <- function(x, more) {
  wide <- data.table::dcast(x, protocol + client + server ~ case, value.var = "cell", fill = "",
                            drop = c(TRUE, FALSE))
  cases <- levels(x$case)
  names <- c("protocol", "client", "server", case_words(cases))
  rows <- knitr::kable(wide[, c("protocol", "client", "server", cases), with = FALSE], "html",
                       escape = FALSE, col.names = names, table.attr = 'class="data"')
  paste0(
    '<section id="league">\n<h2>Clients and servers of other authors</h2>\n',
    '<p class="answer">', league_sentence(x), "</p>\n",
    "<p>A cell has the messages delivered of those to send, the bytes on the wire, and the time ",
    "from the end of the interruption to the next delivery. Programs are captured at the client, ",
    "the LX106 (<code>lx106-...</code>) at the server: compare bytes on one side of that line ",
    "only. ", more, "</p>\n",
    '<div class="scroll" role="region" tabindex="0" aria-label="League">', rows,
    "</div>\n</section>\n")
}

#' Which clients deliver all messages although their server is away, and which lose most.
league_sentence <- function(x) {
  away <- x[case == "server-away"]
  if (nrow(away) == 0L) return("")
  whole <- setdiff(away$client, away[delivered < messages, client])
  least <- min(away$delivered)
  worst <- away[delivered == least, paste(client, "before", server)]
  paste0("With the server away for five seconds, ", length(whole), " of ",
         data.table::uniqueN(away$client), " clients deliver every message before every server",
         if (length(whole)) paste0(": ", paste(whole, collapse = ", ")), ". ",
         "Fewest, ", least, " of ", max(away$messages), ": ", paste(worst, collapse = ", "), ".")
}

#' The path of a folder as a page in the folder `out` names it. @param out,folder both relative to
#'   the working folder, or else the absolute path of `folder` is returned.
path_from <- function(out, folder) {
  if (startsWith(out, "/") || startsWith(folder, "/")) return(normalizePath(folder))
  paste(c(rep("..", length(strsplit(out, "/", fixed = TRUE)[[1L]])), folder), collapse = "/")
}

#' The text of each trial's cell.
#'
#' @param x table with `delivered`, `messages`, `captured_bytes`, `back_after_outage_s`.
league_text <- function(x) {
  whole <- function(value) ifelse(is.na(value), "?", formatC(value, format = "d", big.mark = ","))
  back <- ifelse(is.na(x$back_after_outage_s), "",
                 paste0(", ", formatC(x$back_after_outage_s, format = "f", digits = 2L), " s"))
  paste0(whole(x$delivered), " of ", whole(x$messages), ", ", whole(x$captured_bytes), " bytes",
         back)
}

#' The cell of each trial, as HTML with links to what it left.
#'
#' @param x result of [summarise_league()]. @param folder of the study's bundles, from the page.
league_cell <- function(x, folder) {
  link <- function(file, text) {
    sprintf('<a href="%s">%s</a>', utils::URLencode(file.path(folder, x$trial, file)), text)
  }
  paste0(league_text(x), "<br>", link("", "bundle"), " ", link("wire.pcapng.gz", "capture"))
}
