# A side of a comparison, measured: bundles of a study, or recorded captures of one workload, each
# of which is a run.

#' File names of captures.
capture_files <- "[.](pcap|pcapng|cap)([.](gz|zst|lz4))?$"

#' The levels of a trial's factors as text; "-" where the study has none.
condition_text <- function(trial) {
  point <- trial$point[order(names(trial$point))]
  if (!length(point)) return("-")
  paste0(names(point), "=", vapply(point, level_text, ""), collapse = " ")
}

#' The levels of each condition that not all conditions share; "" if there is only one condition.
#'
#' @param conditions results of [condition_text()].
conditions_apart <- function(conditions) {
  levels <- strsplit(conditions, " ", fixed = TRUE)
  common <- Reduce(intersect, levels)
  vapply(levels, function(words) paste(setdiff(words, common), collapse = " "), "")
}

#' A level of a factor as text.
level_text <- function(x) paste(if (is.logical(x)) as.integer(x) else x, collapse = ",")

#' Measure a side.
#'
#' @param top a folder of bundles, one bundle, a capture, or a folder of captures.
#' @param point of bundles, only those with these levels: words `KEY=VALUE`.
#' @param device,topic,ports,strict,keys of captures, see [examine_capture()].
#' @return list: `name`, which is `top`; `study`, NA of captures; tables `metrics` and `samples`,
#'   each with `condition` and `run`, and `factors`; `workloads`, what each run's capture holds, NA
#'   where that is unknown; `wrong`, the number of runs that did not go well and enter nothing.
measure_side <- function(top, point = character(), device = "", topic = NULL, ports = NULL,
                         strict = TRUE, keys = NULL) {
  if (!dir.exists(top)) return(recorded_side(top, top, device, topic, ports, strict, keys))
  files <- sort(list.files(top, recursive = TRUE, full.names = TRUE))
  bundles <- dirname(files[basename(files) == "trial.json"])
  captures <- files[grepl(capture_files, files, ignore.case = TRUE) & !dirname(files) %in% bundles]
  if (length(bundles) && length(captures)) {
    input_error(top, paste("holds bundles, and beside them", captures[1L]),
                "give a folder of bundles, or captures")
  }
  if (length(captures)) return(recorded_side(top, captures, device, topic, ports, strict, keys))
  if (!length(bundles)) {
    input_error(top, "holds no bundles and no captures",
                "give a folder of them, such as data/raw/STUDY")
  }
  bundle_side(top, lapply(bundles, read_bundle), point)
}

#' Stop if two folders hold bundles of two studies, before anything of them is measured.
#'
#' @param tops two paths, see [measure_side()].
check_studies <- function(tops) {
  studies <- lapply(tops, function(top) {
    files <- list.files(top, "^trial[.]json$", recursive = TRUE, full.names = TRUE)
    sort(unique(unlist(lapply(files, function(file) {
      tryCatch(jsonlite::fromJSON(file)$study, error = function(e) NULL) # read_bundle() reports it
    }))))
  })
  if (all(lengths(studies) > 0L) && !length(intersect(studies[[1L]], studies[[2L]]))) {
    input_error(paste(vapply(studies, toString, ""), collapse = " and "), "are two studies",
                "compare bundles of one")
  }
}

#' Put the tables of several runs together.
#'
#' @param parts lists of `metrics`, `samples` and `factors`. @param conditions,runs of each.
join_runs <- function(parts, conditions, runs) {
  names <- c("metrics", "samples", "factors")
  lapply(stats::setNames(names, names), function(name) {
    data.table::rbindlist(Map(function(part, condition, run) {
      rows <- part[[name]]
      cbind(condition = rep(condition, nrow(rows)), run = rep(run, nrow(rows)), rows)
    }, parts, conditions, runs))
  })
}

#' A side of bundles, see [measure_side()].
bundle_side <- function(top, bundles, point) {
  study <- unique(vapply(bundles, function(bundle) bundle$trial$study, ""))
  if (length(study) > 1L) {
    input_error(top, paste("holds bundles of the studies", toString(study)),
                "give the folder of one")
  }
  bundles <- bundles_at(top, bundles, point)
  parts <- lapply(bundles, function(bundle) {
    capture <- trial_capture(bundle)
    list(metrics = trial_metrics(bundle, capture), factors = trial_factors(bundle),
         samples = rbind(bundle_samples(bundle), if (is.list(capture)) capture_samples(capture)),
         workload = if (is.list(capture)) workload_text(capture$protocol, capture$direction) else
           NA_character_)
  })
  tables <- join_runs(parts, vapply(bundles, function(bundle) condition_text(bundle$trial), ""),
                      vapply(bundles, `[[`, "", "folder"))
  c(list(name = top, study = study, workloads = vapply(parts, `[[`, "", "workload"),
         wrong = sum(!vapply(bundles, went_well, NA))), tables)
}

#' Those of some bundles whose parameters have the levels `point`.
bundles_at <- function(top, bundles, point) {
  for (word in point) {
    key <- sub("=.*$", "", word)
    if (!grepl("^[^=]+=.", word)) {
      input_error("--point", paste0("'", word, "' is not KEY=VALUE"), "write for example qos=1")
    }
    levels <- lapply(bundles, function(bundle) bundle$trial$parameters[[key]])
    if (all(vapply(levels, is.null, NA))) {
      input_error("--point", paste0("no trial of ", top, " has the parameter '", key, "'"),
                  "take one of those in a trial.json")
    }
    wanted <- tolower(sub("^[^=]*=", "", word))
    fits <- vapply(levels, function(x) wanted %in% tolower(c(level_text(x), as.character(x))), NA)
    if (!any(fits)) {
      texts <- sort(unique(vapply(levels, level_text, "")))
      input_error(top, paste("holds no trial with", word), paste("take one of", toString(texts)))
    }
    bundles <- bundles[fits]
  }
  bundles
}

#' A description of a capture's workload; a session without a message has no direction.
workload_text <- function(protocol, direction) {
  if (nzchar(direction)) paste(protocol, direction, "the device") else protocol
}

#' A capture does not hold the settings of its run.
no_factors <- data.table::data.table(factor = character(), value = character())

#' A side of recorded captures, see [measure_side()].
recorded_side <- function(top, files, device, topic, ports, strict, keys) {
  if (!nzchar(device)) {
    input_error(files[1L], "is a capture, and --device is missing",
                "give the device's address; thinwire analyze CAPTURE lists those there are")
  }
  parts <- lapply(files, function(file) {
    found <- examine_capture(file, device, topic, ports, strict, keys = keys)
    warn_findings(found$findings, file)
    items <- stats::setNames(found$header$items$value, found$header$items$item)
    list(metrics = found$metrics, samples = found$times, factors = no_factors,
         workload = workload_text(items[["protocol"]], sub(" .*$", "", items[["direction"]])))
  })
  workloads <- vapply(parts, `[[`, "", "workload")
  other <- which(workloads != workloads[1L])
  if (length(other)) {
    input_error(top, paste0("holds captures of ", workloads[1L], ", such as ", basename(files[1L]),
                            ", and of ", workloads[other[1L]], ", such as ",
                            basename(files[other[1L]])),
                "give those of one workload")
  }
  tables <- join_runs(parts, rep("-", length(files)), files)
  c(list(name = top, study = NA_character_, workloads = workloads, wrong = 0L), tables)
}
