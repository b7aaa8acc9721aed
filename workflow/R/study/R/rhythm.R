# Does the radio of a recorded device wake at the same part of each period?

#' Messages to a device whose radio should sleep, since its own last frame is 0.3 s old or older.
#'
#' @param p,device see [device_fits()]. @param name of the capture: MQTT at QoS 1 or 2, or CoAP.
#' @return data.table `at` (s), `quick`: was it answered before a beacon could wake the radio?
sleeping_messages <- function(p, device, name) {
  turns <- if (startsWith(name, "coap")) {
    coap_turns(p, device)[!is.na(acknowledged), .(at = asked, after = acknowledged - asked)]
  } else {
    answer <- if (grepl("qos1", name, fixed = TRUE)) "PUBACK" else "PUBREC"
    mqtt_turns(p, device, c("PUBLISH", answer))[, .(at = PUBLISH, after = get(answer) - PUBLISH)]
  }
  own <- 1e3 * p$time[p$src %in% device]
  since <- turns$at - c(-Inf, own)[1L + findInterval(turns$at, own, left.open = TRUE)]
  turns[since >= 300, .(at = at / 1e3, quick = after < fit_awake_ms)]
}

#' The part of each period in which the share of quick answers differs most from the other parts'.
#'
#' @param at s. @param quick logical. @param period,span s, of the whole and of the part.
#' @param draws permutations of `quick` for `chance`.
#' @return data.table `n`, `inside`, `outside`: shares; `chance`: how often a permutation has as
#'   large a difference at any part, which accounts for the search.
awake_rhythm <- function(at, quick, period = 5, span = 1, draws = 1000L) {
  inside <- outer(at, seq(0, period - 0.1, 0.1), function(t, begin) (t - begin) %% period < span)
  count <- colSums(inside)
  inside <- inside[, count > 0 & count < length(at), drop = FALSE]
  count <- colSums(inside)
  shares <- function(q) {
    hits <- as.vector(crossprod(inside, q))
    rbind(hits / count, (sum(q) - hits) / (length(q) - count))
  }
  found <- shares(quick)
  best <- which.max(found[1L, ] - found[2L, ])
  most <- function(s) max(s[1L, ] - s[2L, ])
  keep_random_state({
    set.seed(20190520L, kind = "Mersenne-Twister", normal.kind = "Inversion",
             sample.kind = "Rejection")
    drawn <- vapply(seq_len(draws), function(i) most(shares(sample(quick))), 0)
  })
  data.table::data.table(n = length(at), inside = found[1L, best], outside = found[2L, best],
                         chance = mean(drawn >= most(found)))
}
