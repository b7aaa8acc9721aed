# The steps of a join as recorded and in the laboratory: one half of the captures gives a number,
# the other half shows its error.

#' Which captures give numbers and which are held out: alternately, in the order of their names with
#' the numbers in them as numbers.
#'
#' @param names of the captures of one device.
#' @return text, of each: "fitted" or "held out".
join_states <- function(names) {
  padded <- vapply(regmatches(names, gregexpr("[0-9]+|[^0-9]+", names)), function(parts) {
    number <- grepl("^[0-9]+$", parts)
    parts[number] <- formatC(as.numeric(parts[number]), width = 12L, format = "d", flag = "0")
    paste(parts, collapse = "")
  }, "")
  c("held out", "fitted")[1L + rank(padded, ties.method = "first") %% 2L]
}

#' Each step as recorded and in the laboratory.
#'
#' @param recorded data.table `capture`, `state` of [join_states()], `step`, `ms`.
#' @param ours data.table `step`, `ms` of the laboratory's joins.
#' @return data.table `step`, `of` (who takes the time), `n_fitted`, `fitted` (median, ms),
#'   `n_held`, `held`, `held_least`, `held_most`, `fit_error_pct` (of the fitted median, against
#'   the other half's), `n_ours`, `ours` (NA where the laboratory has no such step),
#'   `our_error_pct`.
join_table <- function(recorded, ours) {
  rows <- lapply(join_steps$step, function(name) {
    fitted <- recorded[step == name & state == "fitted", ms]
    held <- recorded[step == name & state == "held out", ms]
    lab <- ours[step == name, ms]
    middle <- stats::median(held)
    data.table::data.table(
      step = name, of = join_steps$of[join_steps$step == name], n_fitted = length(fitted),
      fitted = stats::median(fitted), n_held = length(held), held = middle,
      held_least = min(held), held_most = max(held),
      fit_error_pct = 100 * (stats::median(fitted) / middle - 1), n_ours = length(lab),
      ours = if (length(lab)) stats::median(lab) else NA_real_,
      our_error_pct = if (length(lab)) 100 * (stats::median(lab) / middle - 1) else NA_real_)
  })
  data.table::rbindlist(rows)
}
