# The command line of `thinwire analyze`: one or several captures, measured or surveyed.

#' Options of the command line, checked before any work begins.
#'
#' @param arguments words after the script's name.
#' @return list of the options; `ports` as [parse_ports()] gives them, `topic` NULL if not given.
analyze_options <- function(arguments) {
  options <- parse_options(arguments, "capture", c(
    device = "", topic = "", format = "table", ports = "", strict = "no", by = "", samples = "",
    plot = "", keys = "", header = "", all = "no"), lists = "capture")
  if (!length(options$capture)) input_error("--capture", "has no value", "name a capture")
  one_of <- function(name, values) {
    if (!options[[name]] %in% values) {
      input_error(paste0("--", name), paste0("no such ", name, ": ", options[[name]]),
                  paste("use one of", toString(values[nzchar(values)])))
    }
  }
  one_of("format", c("table", "csv", "json"))
  one_of("strict", c("no", "yes"))
  one_of("all", c("no", "yes"))
  one_of("by", c("", "topic", "peer"))
  for (name in c("by", "samples", "plot", "topic", "header")) {
    if (nzchar(options[[name]]) && !nzchar(options$device)) {
      input_error("--device", paste0("is missing, which --", name, " needs"),
                  "give the device's address; thinwire analyze CAPTURE alone lists those there are")
    }
  }
  check_output("--samples", options$samples)
  check_output("--header", options$header)
  check_output("--plot", options$plot, c("pdf", "png"))
  if (grepl("[.]png$", options$plot) && length(options$capture) > 1L) {
    input_error("--plot", "a PNG file holds one capture", "name a .pdf, which has a page for each")
  }
  options$ports <- parse_ports(options$ports)
  options["keys"] <- list(parse_keys(options$keys))
  if (!nzchar(options$topic)) options["topic"] <- list(NULL)
  options
}

#' Stop if a file cannot be written.
#'
#' @param option its name. @param file path, "" for none. @param kinds endings that are allowed.
check_output <- function(option, file, kinds = NULL) {
  if (!nzchar(file)) return(invisible(NULL))
  if (!is.null(kinds) && !grepl(paste0("[.](", paste(kinds, collapse = "|"), ")$"), file)) {
    input_error(option, paste0("'", file, "' ends neither in ", paste0(".", kinds, collapse =
                                                                           " nor in ")),
                "name the file so")
  }
  if (dir.exists(file)) input_error(option, paste0("'", file, "' is a folder"), "name a file in it")
  if (file.access(dirname(file), 2L) != 0L) {
    input_error(option, paste0("the folder of '", file, "' is not there or cannot be written"),
                "make it first")
  }
}

#' Measure captures, each by itself.
#'
#' @param options result of [analyze_options()].
#' @param draw function(results, file) that draws them, see `plot_captures()` of layer report; NULL.
#' @param more function(capture) that returns further metrics of it, those of a bundle's logs; NULL.
#' @return list: `lines` of output; `status`, see [each_capture()].
measure_captures <- function(options, draw = NULL, more = NULL) {
  wanted <- nzchar(options$samples) || nzchar(options$by) || !is.null(draw)
  kept <- character()
  on.exit(unlink(kept))
  before <- 0L
  done <- each_capture(options$capture, function(capture) {
    file <- if (wanted) tempfile(fileext = ".csv")
    kept <<- c(kept, file)
    report <- function(share) print_progress((before + share) / length(options$capture), capture)
    on.exit(before <<- before + 1L)
    report(0)
    out <- examine_capture(capture, options$device, options$topic, options$ports,
                           options$strict == "yes", samples = file, progress = report,
                           keys = options$keys)
    if (!is.null(draw) && !out$timed) {
      input_error(capture, "has packets without a time, and --plot draws times", "leave it out")
    }
    if (!is.null(more)) {
      further <- more(capture)
      out$metrics <- rbind(out$metrics, further[!metric %in% out$metrics$metric])
      out$header$items <- at_the_servers(out$header$items)
    }
    out$samples <- file
    if (options$format != "table") warn_findings(out$findings, capture)
    if (nzchar(options$by)) {
      out$by <- options$by
      out$groups <- group_metrics(file, options$by)
    }
    out
  })
  lines <- character()
  if (length(done$results)) {
    if (nzchar(options$samples)) join_samples(done$results, options$samples)
    if (nzchar(options$header)) {
      write_table(data.table::rbindlist(lapply(done$results, header_rows)), options$header)
    }
    if (!is.null(draw)) draw(done$results, options$plot)
    lines <- format_results(done$results, options$format, options$all == "yes")
  }
  list(lines = lines, status = done$status)
}

#' Report the progress to `thinwire analyze`, if it requests this.
#'
#' @param share 0 to 1. @param capture that is being measured.
print_progress <- function(share, capture) {
  if (!nzchar(Sys.getenv("THINWIRE_PROGRESS"))) return(invisible(NULL))
  message(sprintf("progress %.4f %s", share, basename(capture)))
}

#' List the conversations of captures, each by itself.
#'
#' @param options result of [analyze_options()]. @return see [measure_captures()].
survey_captures <- function(options) {
  done <- each_capture(options$capture, list_conversations, ports = options$ports,
                       keys = options$keys, strict = options$strict == "yes")
  lines <- if (length(done$results)) format_surveys(done$results, options$format)
  list(lines = lines, status = done$status)
}

#' Call a function for each capture; a bad one is reported on standard error and does not affect the
#' results of others.
#'
#' @return list: `results` of the good ones; `status`, 0, 2 if there is a bad one, 3 if this program
#'   failed on one.
each_capture <- function(captures, f, ...) {
  status <- 0L
  report <- function(code, ...) {
    message("thinwire: error: ", ...)
    status <<- max(status, code)
    NULL
  }
  results <- lapply(captures, function(capture) {
    tryCatch(f(capture, ...),
             thinwire_input_error = function(e) report(2L, conditionMessage(e)),
             error = function(e) {
               report(3L, capture, ": a fault of this program, please report it: ",
                      conditionMessage(e))
             })
  })
  list(results = results[!vapply(results, is.null, NA)], status = status)
}

#' Join the samples of several captures in one file with one header line.
join_samples <- function(results, file) {
  out <- base::file(file, "wb")
  on.exit(close(out))
  for (i in seq_along(results)) {
    part <- readBin(results[[i]]$samples, "raw", file.size(results[[i]]$samples))
    if (i > 1L) part <- part[-seq_len(which(part == as.raw(10L))[1L])]
    writeBin(part, out)
  }
}
