# The text of the page, one file of HTML: R Markdown, and what the documentation says already.

#' A text file as one text.
page_file <- function(...) {
  paste(readLines(file.path(...), encoding = "UTF-8", warn = FALSE), collapse = "\n")
}

#' Text as HTML.
escaped_html <- function(x) {
  gsub("<", "&lt;", gsub("&", "&amp;", enc2utf8(x), fixed = TRUE), fixed = TRUE)
}

#' A text with a mark replaced, literally. @param text,mark,part one text each.
put_in <- function(text, mark, part) {
  at <- regexpr(mark, text, fixed = TRUE)
  if (at < 0L) return(text)
  paste0(substr(text, 1L, at - 1L), part, substr(text, at + nchar(mark), nchar(text)))
}

#' The scripts of the page in the order in which they run.
page_order <- c("page", "timeline", "rank", "answer", "picture", "explain", "ranking", "flips",
                "decide", "claims", "explore", "captures", "provenance")

#' The script elements: data, the page's own, charts, which are read when the answer stands.
#'
#' @param document result of [page_document()]. @param charts file. @param source workflow/page.
page_elements <- function(document, charts, source) {
  own <- vapply(page_order, function(name) page_file(source, paste0(name, ".js")), "")
  scripts <- c(page_script(document), own, "page.start();", page_file(charts))
  paste0("<script>\n", gsub("</script", "<\\/script", scripts, fixed = TRUE), "\n</script>",
         collapse = "\n")
}

#' What was measured, by which build, and where the rest is: the contents of a details element.
page_lead <- function(trials, commit) {
  build <- if (nzchar(commit)) paste0(", commit ", escaped_html(commit))
  paste0("<summary>", trials, " trials of an emulated ESP8266 in a simulated 802.11 cell", build,
         "</summary><p>MQTT, MQTT-SN, CoAP, HTTP, WebSocket and AMQP, with real servers. No chip ",
         "was used; the radio is a model, and charge is airtime by the datasheet's currents. ",
         'Beside this page: <a href="../paper.pdf">the paper</a> and ',
         '<a href="../claims.csv">its claims as CSV</a>.</p>')
}

#' The text of index.Rmd with its numbers, rendered in a separate folder, since R Markdown leaves
#' files beside it.
render_text <- function(source, page) {
  work <- tempfile("page")
  dir.create(work)
  on.exit(unlink(work, recursive = TRUE))
  file.copy(file.path(source, c("index.Rmd", "template.html")), work)
  made <- rmarkdown::render(
    file.path(work, "index.Rmd"), quiet = TRUE, params = NULL,
    envir = list2env(list(page = page), parent = globalenv()),
    output_format = rmarkdown::html_document(
      template = file.path(work, "template.html"), theme = NULL, highlight = NULL,
      mathjax = NULL, self_contained = FALSE, section_divs = FALSE,
      pandoc_args = c("--columns", "10000")))
  page_file(made)
}

#' Markdown without links to files, which a copied page lacks. The text of a link can
#' go over the end of a line.
unlinked <- function(lines) {
  text <- gsub("\\[([^][]+)\\]\\([^)]*\\)", "\\1", paste(lines, collapse = "\n"))
  strsplit(text, "\n", fixed = TRUE)[[1L]]
}

#' The rows of a Markdown table: cells by row, without heads.
markdown_rows <- function(lines) {
  rows <- grep("^\\|", lines, value = TRUE)
  rows <- rows[!grepl("^\\|[-| ]+$", rows)]
  cells <- sub("\\|\\s*$", "", sub("^\\|", "", rows))
  lapply(strsplit(cells, "(?<!\\\\)\\|", perl = TRUE), trimws)
}

#' docs/glossary.md as a definition list in Markdown, a heading for each of its tables.
#'
#' @param file glossary.md.
page_glossary <- function(file) {
  lines <- unlinked(readLines(file, encoding = "UTF-8"))
  lines <- lines[!grepl("^# ", lines) & !grepl("^\\| word", lines)]
  table <- grepl("^\\| *\\*\\*", lines)
  terms <- vapply(markdown_rows(lines[table]), function(row) {
    paste0("\n", row[1L], "\n:   ", paste(row[-1L], collapse = " "), "\n")
  }, "")
  lines[table] <- terms
  lines <- lines[!grepl("^\\|", lines)]
  paste(sub("^## ", "### ", lines), collapse = "\n")
}

#' The definitions of metrics by name, from docs/metrics.md.
#'
#' @param file metrics.md.
#' @return list by metric: the definition, a text.
page_definitions <- function(file) {
  rows <- Filter(function(row) length(row) >= 3L && grepl("^`", row[1L]),
                 markdown_rows(unlinked(readLines(file, encoding = "UTF-8"))))
  named <- lapply(rows, function(row) {
    names <- regmatches(row[1L], gregexpr("(?<=`)[a-z0-9_]+(?=`)", row[1L], perl = TRUE))[[1L]]
    stats::setNames(rep(list(gsub("`", "", row[3L], fixed = TRUE)), length(names)), names)
  })
  do.call(c, named)
}

#' What each verdict means, from the table of docs/claims.md.
#'
#' @param file claims.md.
#' @return list by verdict: its condition, a text.
page_verdicts <- function(file) {
  lines <- unlinked(readLines(file, encoding = "UTF-8"))
  head <- which(lines == "| verdict | condition |")
  stopifnot(length(head) == 1L)
  rest <- lines[seq(head + 1L, length(lines))]
  rows <- markdown_rows(rest[cumsum(!grepl("^\\|", rest)) == 0L])
  stats::setNames(lapply(rows, `[`, 2L), vapply(rows, `[`, "", 1L))
}

#' The sources of claims, by pandoc from the paper's bibliography.
#'
#' @param file of BibTeX. @param names of sources.
#' @return list by source: authors, year (a web page may have none), title as one text; `url` where
#'   one is known.
page_sources <- function(file, names) {
  json <- run_program("pandoc", c("-f", "bibtex", "-t", "csljson", file), stdout = TRUE)
  works <- jsonlite::fromJSON(paste(json, collapse = "\n"), simplifyVector = FALSE)
  works <- stats::setNames(works, vapply(works, function(work) work$id, ""))
  out <- lapply(intersect(names, names(works)), function(name) {
    work <- works[[name]]
    family <- vapply(work$author, function(who) {
      if (is.null(who$family)) who$literal else who$family
    }, "")
    who <- if (length(family) > 2L) c(family[1L], "et al.") else family
    who <- paste(who, collapse = if (length(family) == 2L) " and " else " ")
    year <- if (is.null(work$issued)) "no date" else work$issued[["date-parts"]][[1L]][[1L]]
    list(text = paste0(who, ", ", year, ": ", gsub("<[^>]+>", "", work$title)),
         url = if (!is.null(work$DOI)) paste0("https://doi.org/", work$DOI) else work$URL)
  })
  stats::setNames(out, intersect(names, names(works)))
}

#' A page of docs/measured as a part of this page: its tables can be scrolled.
#'
#' @param file Markdown.
measured_text <- function(file) {
  lines <- unlinked(readLines(file, encoding = "UTF-8"))
  lines <- sub("^- (Measured:)", "\\1", lines[!grepl("^<!--|^- Source:", lines)])
  table <- grepl("^\\|", lines)
  before <- table & !c(FALSE, table[-length(table)])
  after <- table & !c(table[-1L], FALSE)
  title <- sub("^# ", "", grep("^# ", lines, value = TRUE)[1L])
  open <- paste0('<div class="scroll" role="region" tabindex="0" aria-label="', title, '">\n')
  lines[before] <- paste0(open, "\n", lines[before])
  lines[after] <- paste0(lines[after], "\n\n</div>\n")
  paste(sub("^#(#?) ", "###\\1 ", lines), collapse = "\n")
}

#' The section of what an answer lacks: waking from deep sleep, TLS, and searches for faults, from
#' docs/measured.
#'
#' @param measured folder.
page_waking <- function(measured) {
  files <- c(sort(list.files(measured, "^wak.*[.]md$")), "security-wakings.md", "security-costs.md",
             "hunts.md")
  texts <- vapply(file.path(measured, files), measured_text, "")
  paste0('<section id="waking" class="measured">\n',
         "<h2>Waking from deep sleep, security, faults</h2>\n\n",
         "Recorded measurements, each with its commit; the ranking does not contain them.\n\n",
         paste(texts, collapse = "\n\n"), "\n</section>\n")
}
