# The model that answers between the measured conditions: for each mode and quantity a linear
# regression on payload, interval, the load of the cell and the radio's sleep.

#' From this interval on, s, no message meets what the one before left: the acknowledgements that
#' TCP delays travel alone. Trials at 0.1 and 0.2 s are below it, those at 1 s and more are not.
decide_slow_s <- 1

#' Design matrix of the model.
#'
#' @param x table with `payload` (bytes), `interval` (s), `load`, `sleep`.
#' @param loads names of the loads beside "idle".
#' @return matrix; its columns are the terms.
decide_design <- function(x, loads) {
  columns <- c(list(one = rep(1, nrow(x)), kilobytes = x$payload / 1000,
                    decades = log10(x$interval),
                    slow = as.numeric(x$interval >= decide_slow_s)),
               stats::setNames(lapply(loads, function(l) as.numeric(x$load == l)), loads),
               list(sleep = as.numeric(x$sleep)))
  do.call(cbind, columns)
}

#' The terms of a quantity's model. How long a message keeps a sleeping radio awake is known of
#' sleeping ones alone, and does not depend on what the message holds.
decide_terms <- function(quantity, loads) {
  if (quantity == "awake_ms") return(c("one", "decades", loads))
  c("one", "kilobytes", "decades", "slow", loads, "sleep")
}

#' Fit by least squares; terms that these trials cannot tell are NA.
#'
#' @param x design matrix. @param y values.
#' @return list: `coef`, `cov` (of the coefficients, NA rows for terms not told), `df`.
fit_terms <- function(x, y) {
  told <- qr(x)
  told <- sort(told$pivot[seq_len(told$rank)])
  q <- qr(x[, told, drop = FALSE])
  df <- nrow(x) - length(told)
  coef <- rep(NA_real_, ncol(x))
  cov <- matrix(NA_real_, ncol(x), ncol(x))
  coef[told] <- qr.coef(q, y)
  if (df > 0L) cov[told, told] <- chol2inv(qr.R(q))[order(q$pivot), order(q$pivot)] *
      sum(qr.resid(q, y)^2) / df
  list(coef = coef, cov = cov, df = df, told = told)
}

#' Can a fit answer these rows: is each a combination of rows that it was made of?
answers <- function(x, row) {
  both <- rbind(x, row)
  qr(both)$rank == qr(x)$rank
}

#' Error of leaving one condition out: the model without its trials against their mean.
#'
#' @param x design matrix. @param y values on the model's scale. @param condition of each row.
#' @param back from the model's scale to the quantity's.
#' @return data.table `condition`, `predicted`, `measured`, `error` (relative); conditions that the
#'   others cannot answer are left out.
leave_out <- function(x, y, condition, back) {
  rows <- lapply(unique(condition), function(one) {
    out <- condition == one
    row <- x[which(out)[1L], , drop = FALSE]
    rest <- x[!out, , drop = FALSE]
    if (nrow(rest) == 0L || !answers(rest, row)) return(NULL)
    coef <- fit_terms(rest, y[!out])$coef
    predicted <- back(sum(row * coef, na.rm = TRUE))
    measured <- mean(back(y[out]))
    data.table::data.table(condition = one, predicted = predicted, measured = measured,
                           error = abs(predicted - measured) / measured)
  })
  data.table::rbindlist(rows)
}

#' The scales in which a quantity may be linear: how to get there and back.
decide_scales <- list(linear = list(to = identity, back = identity),
                      log = list(to = log, back = exp))

#' Fit one quantity of all modes, in the scale in which leaving conditions out errs less.
#'
#' @param trials result of [decide_trials()]. @param quantity name of a column.
#' @param loads see [decide_design()].
#' @return list: `scale`, `errors` (rows of [leave_out()] with `mode`), `fits` (by mode).
fit_quantity <- function(trials, quantity, loads) {
  known <- trials[!is.na(trials[[quantity]])]
  if (nrow(known) == 0L) {
    nothing <- data.table::data.table(error = numeric())
    return(list(scale = "linear", errors = nothing, fits = list()))
  }
  design <- function(t) decide_design(t, loads)[, decide_terms(quantity, loads), drop = FALSE]
  each <- function(scale) {
    by_mode <- split(known, known$mode)
    to <- decide_scales[[scale]]$to
    usable <- Filter(function(t) all(is.finite(to(t[[quantity]]))), by_mode)
    errors <- lapply(usable, function(t) {
      leave_out(design(t), to(t[[quantity]]), t$condition,
                decide_scales[[scale]]$back)
    })
    list(scale = scale, errors = data.table::rbindlist(errors, idcol = "mode"),
         fits = lapply(usable, function(t) {
           c(fit_terms(design(t), to(t[[quantity]])), list(n = nrow(t)))
         }))
  }
  tried <- lapply(names(decide_scales), each)
  whole <- vapply(tried, function(one) length(one$fits), 0L)
  off <- vapply(tried, function(one) {
    if (nrow(one$errors)) median(one$errors$error) else Inf
  }, 0)
  tried[[order(-whole, off)[1L]]]
}
