# What did UFRN time? Its 28 medians against its own libraries on the LX106 (exchanges.R;
# docs/studies/ufrn.md).

#' The study with these trials, and the images of the tables: PubSubClient 2.6 was the release until
#' November 2018.
ufrn_timed_study <- "ufrn-libraries"
ufrn_timed_images <- c(mqtt = "pubsubclient-2.6-core", websocket = "websockets-2.1.0-core")

#' The emulator takes so many cycles of 80 MHz for an instruction; the chip somewhere in these
#' bounds, by the two calibrations of docs/lab.md (TLS, CoreMark).
emulated_cycles <- 2
cycles_bounds <- c(1.4, 2)

#' Bytes of the topic on which MQTT's device receives: PubSubClient reads each by itself. UFRN does
#' not name its topic; "inTopic" of the library's example has as many as the laboratory's.
topic_bytes <- 7

#' The hypotheses: the time of each is `loop`, with what came in before it where `frames`;
#' `constant` adds one number for all. The first is measured as it is.
ufrn_timed_hypotheses <- list(
  "A: publish() to callback" = NULL,
  "B: top of loop() to callback" = list(frames = FALSE, constant = FALSE),
  "B and a constant" = list(frames = FALSE, constant = TRUE),
  "C: pass before to callback" = list(frames = TRUE, constant = TRUE))

#' The published medians beside the times of the libraries.
#'
#' @param published result of [read_published()] of ufrn2018. @param metrics,factors tables.
#' @param images image of each protocol.
#' @return data.table of the cells with `what` "median", as [ufrn_cells()], `published` in us, `n`
#'   (exchanges), in us `publish_rtt`, `publish_rtt_p01`, `loop`, `yield`, `frames`, and `yields`;
#'   the topic of `loop` has [topic_bytes]. No rows where nothing was measured.
ufrn_timed <- function(published, metrics, factors, images = ufrn_timed_images) {
  cells <- ufrn_cells(published)[what == "median"]
  mine <- factors[study == ufrn_timed_study]
  if (nrow(mine) == 0L) return(cells[0L])
  wide <- wide_factors(mine)
  mine <- metrics[study == ufrn_timed_study]
  values <- data.table::dcast(mine, trial ~ metric, value.var = "value")
  values[, n := mine[metric == "exchange_loop_median_us"][values, on = "trial", n]]
  data.table::setnames(values, sub("^exchange_(.*?)(_median)?(_us)?$", "\\1", names(values),
                                   perl = TRUE))
  x <- wide[image %in% images][values, on = "trial", nomatch = NULL]
  x[, payload := as.numeric(payload_bytes)]
  x <- x[cells, on = c("protocol", "role", "payload"), nomatch = NULL]
  x[, published := 1000 * published]
  # Where the server answers, its topic has /echo behind it: five bytes more.
  read <- x[protocol == "mqtt" & role == "echo"]
  a_byte <- stats::cov(read$loop, read$payload) / stats::var(read$payload)
  x[protocol == "mqtt", loop := loop - a_byte * (ifelse(role == "publish", 12, 7) - topic_bytes)]
  x[order(location, payload)]
}

#' The free numbers of a hypothesis that make the sum of squared relative errors least.
#'
#' @param x result of [ufrn_timed()]. @param hypothesis entry of [ufrn_timed_hypotheses].
#' @return list(`cycles` an instruction within [cycles_bounds], `yield_us`, `constant_us`,
#'   `predicted` (us, of each row)); the first two NA where nothing is free.
ufrn_timed_fit <- function(x, hypothesis) {
  if (is.null(hypothesis)) {
    return(list(cycles = NA_real_, yield_us = NA_real_, constant_us = 0, predicted = x$publish_rtt))
  }
  work <- (x$loop - x$yield + if (hypothesis$frames) x$frames else 0) / emulated_cycles
  free <- if (hypothesis$constant) 1:3 else 1:2
  predict <- function(p) p[1L] * work + p[2L] * x$yields + if (hypothesis$constant) p[3L] else 0
  found <- stats::optim(c(1.7, 10, 50)[free],
                        function(p) sum((predict(p) / x$published - 1)^2), method = "L-BFGS-B",
                        lower = c(cycles_bounds[1L], 0, 0)[free],
                        upper = c(cycles_bounds[2L], 1000, 1000)[free],
                        control = list(parscale = c(1, 10, 100)[free], factr = 10))$par
  list(cycles = found[1L], yield_us = found[2L], constant_us = c(found, 0)[3L],
       predicted = predict(found))
}

#' How well each hypothesis fits.
#'
#' @param x result of [ufrn_timed()].
#' @return data.table `name`; `free`, the number of free constants; `cycles`, `yield_us`,
#'   `constant_us`; `near`: medians within 10 % of `medians`; `largest_pct`: the largest error;
#'   in us what WebSocket takes more at 200 bytes than at 100 (the device passive) and at 1440 than
#'   at 1200 (active), and MQTT at 1440 than at 1200: `step_126`, `step_1400`, `step_mqtt`. The
#'   published values are the last row.
ufrn_timed_fits <- function(x) {
  step <- function(v, protocol, role, to, from) {
    at <- function(size) v[x$protocol == protocol & x$role == role & x$payload == size]
    at(to) - at(from)
  }
  row <- function(name, free, fit, v) {
    error <- 100 * (v / x$published - 1)
    data.table::data.table(
      name = name, free = free, cycles = fit$cycles, yield_us = fit$yield_us,
      constant_us = fit$constant_us, near = sum(abs(error) <= 10), medians = nrow(x),
      largest_pct = max(abs(error)), step_126 = step(v, "websocket", "echo", 200, 100),
      step_1400 = step(v, "websocket", "publish", 1440, 1200),
      step_mqtt = step(v, "mqtt", "publish", 1440, 1200))
  }
  rows <- lapply(names(ufrn_timed_hypotheses), function(name) {
    hypothesis <- ufrn_timed_hypotheses[[name]]
    fit <- ufrn_timed_fit(x, hypothesis)
    free <- if (is.null(hypothesis)) 0L else 2L + hypothesis$constant
    row(name, free, fit, fit$predicted)
  })
  none <- list(cycles = NA_real_, yield_us = NA_real_, constant_us = NA_real_)
  data.table::rbindlist(c(rows, list(row("published", NA_integer_, none, x$published))))
}
