# The sources' own numbers and statements.

#' Numbers of one source.
#'
#' @param folder data/published. @param source file name without .csv.
#' @return data.table `location`, `row`, `column`, `value` (text), `unit`, `kind`: one of
#'   [published_kinds].
read_published <- function(folder, source) {
  out <- data.table::fread(file.path(folder, paste0(source, ".csv")), sep = ",", na.strings = NULL,
                           colClasses = "character", encoding = "UTF-8")
  missing <- setdiff(c("location", "row", "column", "value", "unit", "kind"), names(out))
  if (length(missing)) {
    input_error(file.path(folder, paste0(source, ".csv")), paste("has no column", missing[1L]),
                "restore the file")
  }
  odd <- which(!out$kind %in% names(published_kinds))
  if (length(odd)) {
    input_error(file.path(folder, paste0(source, ".csv")),
                paste0("is '", out$kind[odd[1L]], "', which is no kind"),
                paste("write", paste(names(published_kinds), collapse = ", ")),
                key = paste0("line ", odd[1L] + 1L, ", kind"))
  }
  out
}

#' The sources, in the order of the paper, and their names in it.
published_sources <- c(ufes2018 = "UFES", kuleuven2019 = "KU Leuven", ufrn2018 = "UFRN",
                     aamec2019 = "AAMEC", ericsson2018 = "Ericsson", tasmota2024 = "Tasmota",
                     mattsson2023 = "Mattsson and others",
                     bideh2020 = "Nikbakht Bideh and others", lenders2023 = "Lenders and others",
                     eicken2018 = "von Eicken", akintade2019 = "Akintade and others",
                     voltsandbits = "Volts and Bits")

#' The ways in which a source gives a value, which the paper counts separately.
published_kinds <- c(table = "numbers printed in tables", prose = "numbers in the text",
                     figure = "numbers that we read off figures", word = "words in tables")

#' Statements and rules, of all sources or of one.
#'
#' @param folder data/published, with a file for each source in `claims`.
#' @return list of entries, each with its `source` and its `file`.
read_claims <- function(folder) {
  files <- sort(list.files(file.path(folder, "claims"), "[.]yaml$", full.names = TRUE))
  unlist(lapply(files, function(file) {
    lapply(yaml::read_yaml(file)$claims, function(claim) {
      check_claim(claim, file)
      c(claim, source = sub("(-[^.]*)?[.]yaml$", "", basename(file)), file = file)
    })
  }), recursive = FALSE)
}

#' Input error if an entry lacks a required key or has an unused one.
check_claim <- function(claim, file) {
  name <- if (is.null(claim$id)) "an entry without id" else claim$id
  needed <- c("id", "section", "statement", "rule")
  fail <- function(problem, key) {
    input_error(file, problem, "see data/published/claims/README.md", key = paste0(name, ", ", key))
  }
  missing <- setdiff(needed, names(claim))
  if (length(missing)) fail("is missing", missing[1L])
  odd <- setdiff(names(claim), c(needed, "published", "unit", "condition", "assumption", "needs",
                                 "counted"))
  if (length(odd)) fail("is no key of a claim", odd[1L])
  keys <- list(none = "reason", nbiot = character(), timed = character(),
               floor = c("table", "overhead_bytes"),
               numbers = c("holds", "ours", "values"), captures = c("holds", "ours", "values"),
               bound = c("study", "metric", "a", "expect", "value"),
               compare = c("study", "metric", "a", "b", "expect"))
  unknown <- setdiff(unlist(claim$needs), names(abilities()))
  if (length(unknown)) fail(paste0("has '", unknown[1L], "', which is no word of it"), "needs")
  if (!is.null(claim$counted) && !claim$counted %in% counted_names) {
    fail(paste("is none of", toString(counted_names)), "counted")
  }
  type <- claim$rule$type
  if (length(claim$needs) && isTRUE(type %in% c("numbers", "captures", "floor", "nbiot"))) {
    fail("applies to compare, bound and none", "needs")
  }
  if (is.null(type) || !type %in% names(keys)) fail("is no such rule", "rule.type")
  lacking <- setdiff(keys[[type]], names(claim$rule))
  if (length(lacking)) fail("is missing", paste0("rule.", lacking[1L]))
  excess <- setdiff(names(claim$rule), c("type", keys[[type]], if (type == "compare") "times"))
  if (length(excess)) fail("is no key of this rule", paste0("rule.", excess[1L]))
}

#' Recorded captures: `trial`, `file`, `cell`, `device`, `topic`, `source`.
#'
#' @param file data/recordings.yaml.
read_recordings <- function(file) {
  # All values are texts: `topic: yes` is one to YAML 1.2, and to the schema.
  text <- identity
  collections <- yaml::read_yaml(file, handlers = list(
    `bool#yes` = text, `bool#no` = text, `int#hex` = text, `int#oct` = text))$recordings
  or_na <- function(value) if (is.null(value)) NA_character_ else value
  rows <- lapply(names(collections), function(name) {
    c <- collections[[name]]
    data.table::rbindlist(lapply(names(c$captures), function(trial) {
      k <- c$captures[[trial]]
      data.table::data.table(source = c$source, trial = trial, file = basename(k$file),
                             cell = or_na(k$cell), device = c$device, topic = or_na(k$topic))
    }))
  })
  data.table::rbindlist(rows)
}

#' Does a computed value give the printed one, by rounding or by cutting off?
#'
#' The last nonzero digit is assumed to be the last significant one: the unit of 235 is one, that of
#' 170 is ten. A printed 0 means exactly none.
#'
#' @param printed text or number. @param ours numeric.
gives_printed <- function(ours, printed) {
  value <- as.numeric(printed)
  unit <- printed_unit(printed)
  if (is.na(ours)) return(FALSE)
  if (value == 0) return(abs(ours) < 5e-7)
  near <- function(x) abs(x - value) < unit * 1e-6
  near(round(ours / unit) * unit) || near(floor(ours / unit) * unit)
}

#' Unit of the last nonzero digit of a printed number.
printed_unit <- function(printed) {
  text <- sub("^-", "", as.character(printed))
  if (grepl(".", text, fixed = TRUE)) return(10^-nchar(sub("^[^.]*[.]", "", text)))
  10^nchar(sub("^.*[1-9]", "", text))
}
