# The data of the page: the tables as one script, and the facts that its text states.

#' The tables of the studies in columns, for the page: metrics by trial, factors that vary. A study
#' whose trials have no mode, such as that of the firmware's sizes, is none of these.
#'
#' @param metrics,factors long tables; of metrics the ends of intervals are left out.
#' @return list by study: `trials`, `factors` (by name, a text a trial), `metrics` (by name: `unit`,
#'   `values`).
page_studies <- function(metrics, factors) {
  metrics <- metrics[study %in% factors[factor == "mode", study]]
  lapply(split(metrics, metrics$study, drop = TRUE), function(m) {
    m <- m[!grepl("_ci95_(low|high)$", metric)]
    trials <- sort(unique(m$trial), method = "radix")
    levels <- factors[study == m$study[1L] & trial %in% trials]
    varying <- levels[, .(levels = data.table::uniqueN(value)), by = factor][levels > 1L, factor]
    levels <- levels[factor %in% c("mode", "protocol", varying)]
    column <- function(table) I(table$value[match(trials, table$trial)])
    list(trials = I(trials), factors = lapply(split(levels, levels$factor), column),
         metrics = lapply(split(m, m$metric), function(one) {
           list(unit = one$unit[1L], values = I(signif(column(one), 7L)))
         }))
  })
}

#' The provenance of each bundle.
#'
#' @param folders of bundles.
#' @return data.table `study`, `trial`, `seed`, `outcome`, `firmware` and `digest` (SHA-256),
#'   `image`.
page_bundles <- function(folders) {
  rows <- lapply(folders, function(folder) {
    b <- lapply(stats::setNames(nm = c("trial", "lab")), function(name) {
      jsonlite::fromJSON(file.path(folder, paste0(name, ".json")))
    })
    known <- function(x) if (is.null(x)) "" else as.character(x)
    data.table::data.table(study = b$trial$study, trial = b$trial$trial, seed = b$trial$seed,
                           outcome = b$lab$outcome, firmware = known(b$trial$firmware$sha256),
                           image = known(b$lab$versions$image))
  })
  out <- data.table::rbindlist(rows)
  out[, digest := substr(file_digests(file.path(folders, "SHA256SUMS")), 1L, 64L)]
  out[]
}

#' SHA-256 of files, by sha256sum(1); in parts, since the length of a command line is limited.
file_digests <- function(files) {
  parts <- split(files, ceiling(seq_along(files) / 100))
  lines <- unlist(lapply(parts, function(part) {
    run_program("sha256sum", c("--", part), stdout = TRUE)
  }), use.names = FALSE)
  sub("^\\\\", "", lines)
}

#' Errors of each mode's models as text: a column for each quantity with cross-validation, "median
#' (largest)".
page_errors <- function(decide) {
  estimated <- Filter(function(name) decide$errors[[name]]$n > 0L, names(decide$errors))
  percent <- function(x) sprintf("%.1f %%", 100 * x)
  columns <- lapply(estimated, function(name) {
    modes <- decide$errors[[name]]$modes
    vapply(decide$modes$name, function(mode) {
      e <- modes[[mode]]
      if (is.null(e)) "" else paste0(percent(e$median), " (", percent(e$max), ")")
    }, "")
  })
  names(columns) <- decide$quantities$label[match(estimated, decide$quantities$name)]
  data.table::as.data.table(c(list(mode = decide$modes$label), columns))
}

#' Each result with the script that makes it and its inputs.
page_scripts <- function() {
  split_rows(c(
    "data/raw/STUDY/TRIAL | thinwire trial run | workflow/studies/STUDY.yaml, the image, a seed",
    "results/metrics/STUDY.csv | workflow/scripts/measure.R | the bundles of the study",
    "results/claims.csv | workflow/scripts/claims.R | data/published, the metrics",
    "results/decide.json | workflow/scripts/decide.R | the metrics and factors of all studies",
    "results/report | workflow/scripts/page.R | all of these",
    "results/paper.pdf | paper/build.sh | results/numbers.tex, results/reports"
  ), c("result", "script", "from"))
}

#' One document for a script element: no text in it ends that element.
page_script <- function(document) {
  text <- jsonlite::toJSON(document, auto_unbox = TRUE, digits = NA, na = "null", null = "null")
  paste0("window.thinwire = ", gsub("</", "<\\/", text, fixed = TRUE), ";")
}

#' The document of the page's scripts.
#'
#' @param inputs see [write_page()].
page_document <- function(inputs) {
  # the page shows texts; the numbers in them are for programs
  texts <- vapply(inputs$claims, is.character, TRUE)
  claims <- data.table::as.data.table(inputs$claims[texts])
  list(decide = inputs$decide_text,
       claims = list(columns = names(claims), rows = unname(as.matrix(claims))),
       sources = page_sources(file.path(inputs$project, "paper", "references.bib"),
                              unique(claims$source)),
       protocols = as.list(protocol_values("label")),
       definitions = page_definitions(file.path(inputs$project, "docs", "metrics.md")),
       verdicts = page_verdicts(file.path(inputs$project, "docs", "claims.md")),
       studies = page_studies(inputs$results$metrics, inputs$results$factors),
       frames = page_frames(decide_trials(inputs$results$factors, inputs$results$metrics),
                            inputs$bundles),
       bundles = page_bundles(inputs$results$outcomes[
         , file.path(inputs$bundles, study, trial)]))
}

#' Write the page.
#'
#' @param inputs list: `decide`, `claims`, `studies` (documents of the workflow and the command
#'   line), `decide_text` (the first, as lists), `results` (of [read_results()]), `bundles`
#'   (data/raw), `charts` (file), `project` (the project's folder), `commit` (of the build, with its
#'   date; empty: unknown).
#' @param source workflow/page. @param out folder.
write_page <- function(inputs, source, out) {
  dir.create(out, showWarnings = FALSE, recursive = TRUE)
  measured <- file.path(inputs$project, "docs", "measured")
  page <- list(decide = inputs$decide, errors = page_errors(inputs$decide),
               trials = page_trials(inputs$decide),
               league = page_league(inputs$results, inputs$bundles, out, measured),
               waking = page_waking(measured),
               glossary = page_glossary(file.path(inputs$project, "docs", "glossary.md")),
               designs = inputs$studies[inputs$studies$study %in% inputs$results$outcomes$study,
                                        c("study", "question", "trials", "full", "wrong")],
               scripts = page_scripts())
  text <- render_text(source, page)
  parts <- list(STYLE = page_file(source, "page.css"),
                LEAD = page_lead(nrow(inputs$results$outcomes), inputs$commit),
                NOTICES = escaped_html(page_file(source, "notices.txt")),
                SCRIPTS = page_elements(page_document(inputs), inputs$charts, source))
  for (name in names(parts)) {
    text <- put_in(text, paste0("@", name, "@"), parts[[name]])
  }
  writeLines(text, file.path(out, "index.html"), useBytes = TRUE)
}

#' The number of trials behind the models.
page_trials <- function(decide) {
  measured <- data.table::rbindlist(decide$modes$measured)
  nrow(unique(measured[, .(study, trial)]))
}
