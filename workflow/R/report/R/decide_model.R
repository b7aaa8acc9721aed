# The model that answers between the measured conditions: for each mode and quantity a linear
# regression on payload, interval, the load of the cell and the radio's sleep.

#' From this interval on, s, messages do not affect each other: delayed TCP acknowledgements are
#' sent separately. Trials at 0.1 and 0.2 s are below it, those at 1 s and more are not.
decide_slow_s <- 1

#' Up to this interval, s, keep-alives hardly add to a message. Beyond it each further hour adds
#' those of an hour.
decide_kept_s <- 60

#' Design matrix of the model.
#'
#' @param x table with `payload` (bytes), `interval` (s), `load`, `sleep`.
#' @param loads names of the loads beside "idle".
#' @return matrix; its columns are the terms.
decide_design <- function(x, loads) {
  columns <- c(list(one = rep(1, nrow(x)), kilobytes = x$payload / 1000,
                    decades = log10(x$interval),
                    slow = as.numeric(x$interval >= decide_slow_s),
                    hours = pmax(0, x$interval - decide_kept_s) / 3600),
               stats::setNames(lapply(loads, function(l) as.numeric(x$load == l)), loads),
               list(sleep = as.numeric(x$sleep)))
  do.call(cbind, columns)
}

#' The terms of a quantity's model. The time for which a message keeps a sleeping radio awake is
#' measured with sleep only, and does not depend on the payload.
decide_terms <- function(quantity, loads) {
  if (quantity == "awake_ms") return(c("one", "decades", "hours", loads))
  c("one", "kilobytes", "decades", "slow", "hours", loads, "sleep")
}

#' Fit by weighted least squares; terms that these trials do not determine are NA.
#'
#' A quantity does not decrease with the payload: if the trials' scatter suggests it, the
#' coefficient of the payload is 0.
#'
#' @param x design matrix. @param y values. @param weights of the rows.
#' @return list: `coef`, `cov` (of the coefficients, NA rows for undetermined terms), `df`.
fit_terms <- function(x, y, weights = rep(1, nrow(x))) {
  fit <- fit_least_squares(x, y, weights)
  flat <- which(colnames(x) == "kilobytes")
  if (!length(flat) || is.na(fit$coef[flat]) || fit$coef[flat] >= 0) return(fit)
  x[, flat] <- 0
  fit <- fit_least_squares(x, y, weights)
  fit$coef[flat] <- 0
  fit$cov[flat, ] <- fit$cov[, flat] <- 0
  fit
}

fit_least_squares <- function(x, y, weights) {
  x <- x * sqrt(weights)
  y <- y * sqrt(weights)
  known <- qr(x)
  known <- sort(known$pivot[seq_len(known$rank)])
  q <- qr(x[, known, drop = FALSE])
  df <- nrow(x) - length(known)
  coef <- rep(NA_real_, ncol(x))
  cov <- matrix(NA_real_, ncol(x), ncol(x))
  coef[known] <- qr.coef(q, y)
  if (df > 0L) cov[known, known] <- chol2inv(qr.R(q))[order(q$pivot), order(q$pivot)] *
      sum(qr.resid(q, y)^2) / df
  list(coef = coef, cov = cov, df = df)
}

#' Can a fit predict these rows: is each a combination of the rows of its data?
answers <- function(x, row) {
  both <- rbind(x, row)
  qr(both)$rank == qr(x)$rank
}

#' Error of leaving one condition out: the model without its trials against their mean.
#'
#' @param x design matrix. @param y values of the quantity. @param condition of each row.
#' @param scale one of [decide_scales].
#' @return data.table `condition`, `predicted`, `measured`, `error` (relative); conditions that the
#'   others cannot predict are left out.
leave_out <- function(x, y, condition, scale) {
  rows <- lapply(unique(condition), function(one) {
    out <- condition == one
    row <- x[which(out)[1L], , drop = FALSE]
    rest <- x[!out, , drop = FALSE]
    if (nrow(rest) == 0L || !answers(rest, row)) return(NULL)
    fit <- fit_terms(rest, scale$to(y[!out]), scale$weights(y[!out]))
    predicted <- scale$back(sum(row * fit$coef, na.rm = TRUE))
    measured <- mean(y[out])
    data.table::data.table(condition = one, predicted = predicted, measured = measured,
                           error = abs(predicted - measured) / measured)
  })
  data.table::rbindlist(rows)
}

#' The scales in which a quantity may be linear: transformation, inverse, and weight of a trial.
#' "relative" is also linear but weights relative errors equally, so that a trial with 15,360 bytes
#' does not determine the prediction for 40 bytes.
decide_scales <- list(
  linear = list(to = identity, back = identity, weights = function(y) rep(1, length(y))),
  relative = list(to = identity, back = identity, weights = function(y) 1 / y^2),
  log = list(to = log, back = exp, weights = function(y) rep(1, length(y))))

#' Fit one quantity of one mode, in the scale with the smallest error of leaving conditions out. A
#' scale is rejected if it goes below the floor anywhere between the measured payloads.
#'
#' @param t trials of the mode with this quantity. @param quantity name of a column.
#' @param loads see [decide_design()]. @param floor see [decide_floors()], NULL for none.
#' @return list: `scale`, `coef`, `cov`, `df`, `n`, `payload` and `interval` (least and greatest of
#'   these trials), `errors` (see [leave_out()]); NULL where no scale holds.
fit_mode <- function(t, quantity, loads, floor = NULL) {
  design <- function(t) decide_design(t, loads)[, decide_terms(quantity, loads), drop = FALSE]
  x <- design(t)
  y <- t[[quantity]]
  tried <- lapply(stats::setNames(nm = names(decide_scales)), function(name) {
    scale <- decide_scales[[name]]
    if (!all(is.finite(scale$to(y)), is.finite(scale$weights(y)))) return(NULL)
    fit <- fit_terms(x, scale$to(y), scale$weights(y))
    between <- between_payloads(t)
    row <- design(between)
    value <- scale$back(rowSums(row * rep(fit$coef, each = nrow(row)), na.rm = TRUE))
    if (any(value < floor_at(floor, between$payload))) return(NULL)
    c(list(scale = name, errors = leave_out(x, y, t$condition, scale)), fit)
  })
  tried <- Filter(Negate(is.null), tried)
  if (!length(tried)) return(NULL)
  off <- vapply(tried, function(one) {
    if (nrow(one$errors)) round(median(one$errors$error), 6L) else Inf
  }, 0)
  c(tried[[order(off)[1L]]],
    list(n = nrow(t), payload = range(t$payload), interval = range(t$interval)))
}

#' The conditions of trials at 25 payloads from their least to their greatest.
between_payloads <- function(t) {
  ends <- log(range(t$payload))
  conditions <- unique(t[, .(interval, load, sleep)])
  at <- exp(seq(ends[1L], ends[2L], length.out = 25L))
  conditions[rep(seq_len(nrow(conditions)), each = length(at))][
    , payload := rep(at, nrow(conditions))]
}

#' Fit one quantity of all modes.
#'
#' @param trials result of [decide_trials()]. @param quantity name of a column.
#' @param loads see [decide_design()]. @param floors of each mode, see [decide_floors()].
#' @return list of [fit_mode()]'s results by mode.
fit_quantity <- function(trials, quantity, loads, floors = list()) {
  known <- trials[!is.na(trials[[quantity]])]
  fits <- lapply(split(known, known$mode), function(t) {
    fit_mode(t, quantity, loads, floors[[t$mode[1L]]][[quantity]])
  })
  Filter(Negate(is.null), fits)
}
