# The decision document: everything that the page and `thinwire ask` need to rank the modes. They
# read it and only evaluate its regressions.

#' The delivery guarantee of a mode, from its parameters in the table of protocols: at most once
#' without an answer, at least once with an answer, exactly once with the handshake of QoS 2.
#'
#' @param parameters a mode's entry.
guarantee_of <- function(parameters) {
  if (identical(parameters$confirmable, FALSE) || isTRUE(parameters$qos <= 0)) return(1L)
  if (isTRUE(parameters$qos == 2)) 3L else 2L
}

guarantees <- c("at-most-once", "at-least-once", "exactly-once")

#' The relative difference below which two modes are tied: less than what any model errs by.
decide_least <- 0.01

#' The entry of one mode. Raw TCP and UDP, whose names are those of their transports, are baselines:
#' their header is the laboratory's own, so a product cannot choose them.
decide_mode <- function(name, trials, fits, sizes) {
  protocol <- sub("-.*$", "", name)
  row <- protocol_table()[[protocol]]
  mode <- row$modes[[substring(name, nchar(protocol) + 2L)]]
  own <- trials[trials$mode == name]
  size <- function(metric, engine) {
    value <- sizes$value[sizes$metric == metric & sizes$trial == engine]
    if (length(value)) value else NA_real_
  }
  both <- function(metric) size(metric, "base") + size(metric, protocol)
  list(
    name = name, label = mode$label, protocol = protocol, colour = row$colour,
    baseline = protocol == row$transport,
    guarantee = guarantees[guarantee_of(mode)],
    payload = range(own$payload), interval = range(own$interval),
    flash = both("engine_flash_bytes"),
    ram = memory_by_payload(own, both("engine_ram_bytes")),
    floors = decide_floors(row$transport),
    fits = lapply(Filter(Negate(is.null), lapply(fits, `[[`, name)), fit_document),
    delivered = delivered_shares(own),
    measured = own[, .(study, trial, payload, interval, load, sleep)]
  )
}

#' RAM of a mode's image by payload: static RAM plus peak heap and stack of all trials up to this
#' payload.
#'
#' @return data.table `payload` (bytes, ascending), `ram` (bytes). Between two payloads the larger
#'   one's value applies, since buffers grow in steps.
memory_by_payload <- function(own, static) {
  peaks <- own[order(payload), .(heap = max(heap), stack = max(stack)), by = payload]
  peaks[, .(payload, ram = static + cummax(heap) + cummax(stack))]
}

#' A fit in the document's form: coefficients by term, NA where the trials do not determine them.
fit_document <- function(fit) {
  list(scale = fit$scale, coef = signif(fit$coef, 10L), cov = signif(fit$cov, 8L), df = fit$df,
       n = fit$n, payload = fit$payload, interval = fit$interval)
}

#' Share of messages delivered by load and sleep, messages of all trials pooled, with Wilson's
#' interval.
delivered_shares <- function(trials) {
  out <- trials[, .(made = sum(made), delivered = sum(delivered)), by = .(load, sleep)]
  limits <- lapply(seq_len(nrow(out)), function(i) wilson_interval(out$delivered[i], out$made[i]))
  out[, `:=`(low = signif(vapply(limits, `[[`, 0, 1L), 6L),
             high = signif(vapply(limits, `[[`, 0, 2L), 6L))]
  out[]
}

#' The error of leaving out a condition, for each quantity: over all modes, and by mode.
error_summary <- function(fits) {
  lapply(fits, function(by_mode) {
    errors <- Filter(length, lapply(by_mode, function(fit) fit$errors$error))
    all <- as.numeric(unlist(errors))
    list(n = length(all), median = signif(median(all), 3L),
         p90 = signif(quantile(all, 0.9, names = FALSE), 3L),
         modes = lapply(errors, function(x) {
           list(n = length(x), median = signif(median(x), 3L), max = signif(max(x), 3L))
         }))
  })
}

#' SHA-256 of the trials' values, in the form of the long tables.
trials_digest <- function(trials) {
  file <- tempfile(fileext = ".csv")
  on.exit(unlink(file))
  write_table(trials, file)
  sub(" .*$", "", run_program("sha256sum", file, stdout = TRUE))
}

#' The document: results/decide.json.
#'
#' @param results result of [read_results()] over all studies and the firmware.
#' @return list, ready for JSON.
decide_document <- function(results) {
  trials <- decide_trials(results$factors, results$metrics)
  if (nrow(trials) == 0L) {
    input_error("config.yaml", key = "studies", "has no study to decide from",
                "add 'matrix' or 'sensor'")
  }
  loads <- decide_loads(results$factors, trials)
  further <- setdiff(vapply(loads, `[[`, "", "name"), "idle")
  quantities <- decide_quantities()
  modes <- intersect(mode_table()$name, trials$mode)
  floors <- lapply(stats::setNames(nm = modes), function(mode) {
    decide_floors(protocol_table()[[sub("-.*$", "", mode)]]$transport)
  })
  fits <- lapply(stats::setNames(nm = quantities$name), function(q) {
    fit_quantity(trials, q, further, floors)
  })
  sizes <- results$metrics[study == "firmware"]
  df <- seq_len(max(1L, unlist(lapply(fits, function(f) lapply(f, `[[`, "df")))))
  wakes <- decide_wakes(results$factors, results$metrics)
  c(list(
    terms = lapply(stats::setNames(nm = quantities$name), decide_terms, further),
    slow_s = decide_slow_s, kept_s = decide_kept_s, least = decide_least,
    quantities = quantities, loads = loads, guarantees = guarantees,
    digest = trials_digest(trials),
    payload = range(trials$payload), interval = range(trials$interval),
    t975 = signif(stats::qt(0.975, df), 8L),
    currents_ma = esp8266_currents_ma[c("listen", "modem_sleep", "light_sleep")],
    errors = error_summary(fits),
    modes = unname(lapply(modes, decide_mode, trials, fits, sizes))
  ), if (!is.null(wakes)) list(wakes = wakes))
}

#' Write the document.
#'
#' @param document result of [decide_document()]. @param file path.
write_decide <- function(document, file) {
  dir.create(dirname(file), showWarnings = FALSE, recursive = TRUE)
  text <- jsonlite::toJSON(document, auto_unbox = TRUE, digits = NA, na = "null", null = "null")
  writeLines(text, file, useBytes = TRUE)
}
