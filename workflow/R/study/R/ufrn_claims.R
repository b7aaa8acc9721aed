# UFRN's Tables I to IV: what they timed, and each of the 84 cells as a claim.

#' The tables: protocol, what the device does, and how our engine reads in the runs beside them.
#' PubSubClient reads byte by byte, arduinoWebSockets in pieces.
ufrn_tables <- function() {
  data.table::data.table(
    location = paste("Table", c("I", "II", "III", "IV")), figure = paste("Fig.", 5:8),
    protocol = c("websocket", "mqtt", "websocket", "mqtt"),
    role = c("echo", "echo", "publish", "publish"),
    quirks = c("", "byte_at_a_time_read", "", "byte_at_a_time_read"))
}

#' The cells with their place in our trials.
#'
#' @param published result of [read_published()].
#' @return data.table of the 84 cells: the columns of [ufrn_tables()], `row`, `payload` (bytes),
#'   `what` (mean, sd, median), `published` (ms).
ufrn_cells <- function(published) {
  cells <- published[location %in% ufrn_tables()$location & startsWith(column, "rtt_")]
  out <- ufrn_tables()[cells, on = "location"]
  out[, .(location, figure, protocol, role, quirks, row,
          payload = as.numeric(sub(".* ([0-9]+) bytes$", "\\1", row)),
          what = sub("rtt_", "", column, fixed = TRUE), published = as.numeric(value))]
}

#' The largest error with which a hypothesis gives a cell, and how many of the medians must be
#' within it.
timed_error_pct <- 10
timed_near <- 27L

#' The claim that the printed times are round trips, by the study's own libraries (ufrn_timed.R).
#'
#' Contradicted if no printed median is as long as its round trip, even if the board's whole round
#' trip, the air included, were faster by all that [cycles_bounds] allows, and a time within the
#' device gives at least [timed_near] medians. Our value is the least ratio of the two.
#'
#' @param claim entry of [read_claims()]. @param published of ufrn2018.
#' @param metrics,factors tables.
decide_timed <- function(claim, published, metrics, factors) {
  x <- ufrn_timed(published, metrics, factors)
  claim$rule$study <- ufrn_timed_study
  claim$rule$metric <- "exchange_publish_rtt_p01_us"
  text <- sprintf("each round trip at %s cycles an instruction > its median; %d of 28 within %g %%",
                  cycles_bounds[1L], timed_near, timed_error_pct)
  if (nrow(x) == 0L) return(no_results(claim, text))
  fits <- ufrn_timed_fits(x)
  ratio <- min(x$publish_rtt_p01 * cycles_bounds[1L] / emulated_cycles / x$published)
  near <- stats::setNames(fits$near, fits$name)
  best <- names(ufrn_timed_hypotheses)[4L]
  verdict <- if (ratio <= 1) "not reproduced" else
    if (near[[best]] >= timed_near) "contradicted" else "not reproduced"
  fit <- fits[name == best]
  reason <- sprintf(paste0("%d of %d medians are within %g %% of the time from the pass of ",
                           "loop() before the answer to the callback (%.2f cycles an ",
                           "instruction, %.0f us a yield, %.0f us more); from the top of the ",
                           "loop() that calls back: %d"),
                    near[[best]], nrow(x), timed_error_pct, fit$cycles, fit$yield_us,
                    fit$constant_us, near[["B: top of loop() to callback"]])
  claim_row(claim, claim_kinds[1L], claim$published, short(ratio), "times", nrow(x), rule = text,
            verdict = verdict, reason = reason, study = ufrn_timed_study, trials = x$trial)
}

#' A claim per cell, judged by what was timed: the fitted time, which three constants that the
#' source does not give decide. A mean is compared with the time of the median, since what spreads
#' the exchanges of a chip, interrupts and its radio, is not modelled; a standard deviation is
#' therefore outside what the lab can decide.
ufrn_cell_claims <- function(folder, metrics, factors) {
  published <- read_published(folder, "ufrn2018")
  cells <- ufrn_cells(published)
  x <- ufrn_timed(published, metrics, factors)
  if (nrow(x)) {
    hypothesis <- ufrn_timed_hypotheses[[4L]]
    x[, predicted := ufrn_timed_fit(x, hypothesis)$predicted / 1000]
    cells <- x[, .(location, row, predicted, trial, loop_sd)][cells, on = c("location", "row")]
  }
  data.table::rbindlist(lapply(seq_len(nrow(cells)), function(i) ufrn_cell_claim(cells[i])))
}

#' The claim of one row of [ufrn_cells()] with `predicted` (ms), `loop_sd` (us) and `trial`, if any.
ufrn_cell_claim <- function(cell) {
  claim <- list(id = gsub("[^a-z0-9]+", "-", tolower(paste("ufrn", cell$location, cell$payload,
                                                           cell$what))),
                source = "ufrn2018", section = cell$location,
                rule = list(study = ufrn_timed_study, metric = "exchange_loop_median_us"),
                statement = sprintf("%s: the %s is %s ms.", cell$row, stat_words[[cell$what]],
                                    cell$published),
                needs = if (cell$what == "sd") "chip")
  text <- sprintf("what was timed within %g %%", timed_error_pct)
  if (is.null(cell$predicted) || is.na(cell$predicted)) return(no_results(claim, text))
  row <- function(ours, verdict, reason) {
    claim_row(claim, claim_kinds[1L], short(cell$published), short(ours), "ms", 1L, rule = text,
              verdict = verdict, reason = reason, study = ufrn_timed_study, trials = cell$trial)
  }
  if (cell$what == "sd") {
    return(row(cell$loop_sd / 1000, "outside what the lab can decide", lacking_reason("chip")))
  }
  side <- if (100 * abs(cell$predicted / cell$published - 1) <= timed_error_pct) "reproduced" else
    "not reproduced"
  row(cell$predicted, "decided by an assumption",
      paste0("no round trip, but a time within the device (ufrn-what-was-timed), whose constants ",
             "are fitted; as it is: ", side))
}

stat_words <- c(mean = "mean", sd = "standard deviation", median = "median")
