# The statements of the Ericsson study, sections 3 and 4, against the simulation.
#
# A run is a seed: all stacks of a seed have the same devices, so each claim is one number per seed,
# its gain, which is positive if the study's statement holds; workflow/R/study/R/verdicts.R decides.

#' Decide the claims.
#'
#' @param data of [read_nbiot()].
#' @return data.table in the form of [decide_claims()].
nbiot_claims <- function(data) {
  runs <- data$runs[variant == "base" & stack %in% names(nbiot_stacks)]
  data.table::rbindlist(c(nbiot_throughput_claims(runs), nbiot_availability_claims(runs, data),
                          nbiot_coverage_claims(runs), nbiot_cost_claims(runs)))
}

#' One row. Its statement, section and published value stand in data/published/claims.
#'
#' @param id of the claim there. @param ours text. @param rule what is compared. @param gain one
#'   number per seed, positive where the statement holds. @param least the gain that counts.
#' @param unit of gain and least. @param reason where it is not reproduced. @param assumption see
#'   [final_verdict()].
nbiot_claim <- function(id, ours, rule, gain, margin, unit, reason = "", assumption = "") {
  claim <- list(id = paste0("ericsson-", id), source = "ericsson2018", section = "", statement = "")
  gain <- gain[!is.na(gain)]
  if (length(gain) == 0L) {
    return(claim_row(claim, claim_kinds[1L], rule = rule, study = "nbiot",
                     verdict = "not testable", reason = "the loads that decide it were not run"))
  }
  interval <- runs_interval(gain)
  found <- final_verdict(side_of(interval[["low"]], interval[["high"]], margin), length(gain), "",
                         assumption)
  why <- if (nzchar(found$reason) || found$verdict == "reproduced") found$reason else reason
  claim_row(claim, claim_kinds[1L], "", ours, unit, length(gain), interval[["low"]],
            interval[["high"]], sprintf("%s; gain counts from %s %s on", rule, short(margin), unit),
            found$verdict, why, "nbiot")
}

#' Reasons that several claims share.
nbiot_reasons <- c(
  level = paste("deep coverage has preambles of its own, which stay free when those of normal",
                "coverage are exhausted: overload hits the many, not the remote"),
  sample = paste("the lowest path gain of all served devices is an extreme of the sample: nearly",
                 "the same device decides it for every stack"))

#' A value per seed: `f` on the runs of one stack, size and seed.
by_seed <- function(runs, wanted_stack, bytes, f) {
  part <- runs[stack == wanted_stack & payload_bytes == bytes]
  data.table::setorder(part, seed, load)
  part[, .(value = as.numeric(f(.SD))), keyby = seed]$value
}

#' The runs of seeds with every load: the full profile runs its highest loads with fewer seeds, and
#' the peak of an incomplete seed is not its true peak.
whole_seeds <- function(runs) {
  met <- runs[, .(loads = data.table::uniqueN(load)), by = seed]
  runs[seed %in% met[loads == max(loads), seed]]
}

#' Means of a measure by load, as text: "a / b / c".
by_load_text <- function(x, digits = 3L) paste(signif(x, digits), collapse = " / ")

#' Loads up to which the study compares stacks before saturation.
nbiot_modest_load <- 2

#' Half the least step between two loads that were run: peaks nearer than that are one peak.
half_step <- function(runs) min(diff(sort(unique(runs$load)))) / 2

nbiot_throughput_claims <- function(runs) {
  low <- runs[load <= nbiot_modest_load]
  device <- data.table::dcast(low, seed + load + payload_bytes ~ stack,
                              value.var = "device_throughput_bps")
  sizes <- data.table::dcast(low, seed + load + stack ~ payload_bytes,
                             value.var = "device_throughput_bps")
  keeps <- function(stack) {
    by_seed(runs[load <= 4], stack, 400, function(t) {
      t$device_throughput_bps[nrow(t)] / t$device_throughput_bps[1L]
    })
  }
  repeats <- by_seed(runs[load <= 4], "coap-con", 400, function(t) {
    t$retransmissions_per_report[nrow(t)] - t$retransmissions_per_report[1L]
  })
  falls <- runs[load <= 4][order(load), .(fall = 1 - device_throughput_bps[.N] /
                                            device_throughput_bps[1L]),
                           by = .(seed, stack, payload_bytes)]
  whole <- whole_seeds(runs)
  peak <- function(stack) {
    by_seed(whole, stack, 400, function(t) peak_load(t$load, t$cell_throughput_bps))
  }
  peaks <- vapply(names(nbiot_stacks), function(s) mean(peak(s)), 0)
  step <- half_step(whole)
  list(
    nbiot_claim("throughput-size",
                by_load_text(sizes[, .(r = mean(`400` / `25`)), by = stack]$r),
                "400 over 25 bytes, loads up to 2, less one",
                sizes[, mean(`400` / `25`) - 1, keyby = seed]$V1, 0.01, "ratio"),
    nbiot_claim("throughput", by_load_text(device[, .(r = mean(`coap-non` / mqtt)), by = load]$r),
                "CoAP over MQTT by load up to 2, both sizes, less one",
                device[, mean(pmin(`coap-non`, `coap-con`) / mqtt) - 1, keyby = seed]$V1, 0.01,
                "ratio"),
    nbiot_claim("throughput-confirm", by_load_text(c(mean(keeps("coap-con")),
                                                     mean(keeps("coap-non")))),
                "share of throughput kept at load 4, CoAP less confirm",
                keeps("coap-non") - keeps("coap-con"), 0.01, "share"),
    nbiot_claim("load", by_load_text(falls[, .(v = mean(fall)), keyby = stack]$v),
                "share of throughput lost from the lowest load to 4, the least of stacks and sizes",
                falls[, min(fall), keyby = seed]$V1, 0.01, "share"),
    nbiot_claim("retransmissions", short(mean(repeats)),
                "rise of retransmissions per report up to load 4", repeats, 0.01,
                "retransmissions"),
    nbiot_claim("saturation", by_load_text(peaks),
                "load of the highest cell throughput, 400 bytes, the lower of CoAP's less MQTT's",
                pmin(peak("coap-con"), peak("coap-non")) - peak("mqtt"), step, "requests/s"),
    nbiot_claim("saturation-confirm", by_load_text(peaks[c("coap-con", "coap-non")]),
                "load of the highest cell throughput, 400 bytes, CoAP less confirm",
                peak("coap-non") - peak("coap-con"), step, "requests/s",
                "the two peaks fall on the same load"),
    nbiot_claim("saturation-non", short(peaks[["coap-non"]]),
                "load of the highest cell throughput, 400 bytes, less 4", peak("coap-non") - 4,
                step, "requests/s")
  )
}

#' The effect of the distance between sites, which the study does not give, on an availability.
#'
#' @param data of [read_nbiot()]. @param wanted stack. @param at load. @param level of availability
#'   that the study speaks of, %: where the distance turns the statement.
distance_text <- function(data, wanted, at, level) {
  rows <- data$sensitivity[(variant == "base" | startsWith(variant, "site-distance")) &
                             stack == wanted]
  rows <- rows[, .(value = 100 - stats::approx(load, not_served_pct, at)$y), by = variant]
  rows[, metres := data.table::fifelse(variant == "base", nbiot_site_distance_m,
                                       suppressWarnings(as.numeric(sub(".*-", "", variant))))]
  data.table::setorder(rows, metres)
  below <- which(rows$value < level)[1L]
  where <- if (is.na(below) || below == 1L) "does not turn there" else
    sprintf("turns between %s and %s m", rows$metres[below - 1L], rows$metres[below])
  sprintf(paste("the distance between sites, which the study does not give: availability is %s %%",
                "with %s m, so it %s"), toString(round(rows$value, 1L)), toString(rows$metres),
          where)
}

#' Distance between sites in TR 45.820, metres, which the simulation uses.
nbiot_site_distance_m <- 1732

nbiot_availability_claims <- function(runs, data) {
  at <- function(stack_, bytes, loads) {
    runs[stack == stack_ & payload_bytes %in% bytes & load %in% loads,
         .(value = mean(100 - not_served_pct)), keyby = seed]$value
  }
  lowest <- runs[load %in% sort(unique(runs$load))[1:2],
                 .(value = 100 - max(not_served_pct)), keyby = seed]$value
  beyond <- runs[stack == "mqtt" & load > 2, .(value = 100 - mean(not_served_pct)),
                 keyby = .(seed, load)]
  whole <- whole_seeds(runs)
  never <- max(whole$load) + 1
  poor <- function(s, b) {
    by_seed(whole, s, b, function(t) {
      c(crossing_load(t$load, t$not_served_pct, nbiot_poor_pct), never)[1L]
    })
  }
  crossing <- function(s, b) pmin(poor(s, b), never, na.rm = TRUE)
  order <- list(crossing("mqtt", 400), crossing("mqtt", 25), crossing("coap-con", 400),
                crossing("coap-con", 25),
                pmin(crossing("coap-non", 400), crossing("coap-non", 25)))
  steps <- do.call(pmin, lapply(2:5, function(i) order[[i]] - order[[i - 1L]]))
  best <- (crossing("coap-non", 400) - crossing("coap-con", 400) + crossing("coap-non", 25) -
             crossing("coap-con", 25)) / 2
  both <- c(25, 400)
  start <- at("mqtt", both, 1.5)
  two <- at("mqtt", both, 2)
  coap <- at("coap-non", 400, 2)
  list(
    nbiot_claim("availability-low", short(mean(lowest)), "least availability less 99 %",
                lowest - 99, 0.1, "%"),
    nbiot_claim("availability-mqtt-start", short(mean(start)), "99 % less the availability at 1.5",
                99 - start, 0.1, "%",
                assumption = distance_text(data, "mqtt", 1.5, 99)),
    nbiot_claim("availability-mqtt", short(mean(two)), "2 less the distance from 95 % at 2",
                2 - abs(two - 95), 0.1, "%",
                assumption = distance_text(data, "mqtt", 2, 95)),
    nbiot_claim("availability-mqtt-beyond",
                by_load_text(beyond[, .(v = mean(value)), keyby = load]$v),
                "90 % less the availability at each load over 2, the least",
                beyond[, .(v = 90 - max(value)), keyby = seed]$v, 0.1, "%",
                assumption = distance_text(data, "mqtt", 3, 90)),
    nbiot_claim("availability-coap", short(mean(coap)), "99 % less the availability at 2",
                99 - coap, 0.1, "%",
                assumption = distance_text(data, "coap-non", 2, 99)),
    nbiot_claim("availability-order", by_load_text(vapply(order, mean, 0)),
                "load with 5 % not served, the least step between neighbours of the order", steps,
                0.05, "requests/s", "two neighbours of the order change places"),
    nbiot_claim("availability-best",
                by_load_text(c(mean(crossing("coap-non", 400)), mean(crossing("coap-con", 400)))),
                "load with 5 % not served, CoAP less confirm, both sizes", best, 0.05,
                "requests/s")
  )
}

nbiot_coverage_claims <- function(runs) {
  modest <- runs[load <= 4]
  lowest <- function(s) {
    modest[stack == s, .(value = mean(lowest_path_gain_db)), keyby = seed]$value
  }
  rise <- function(s) {
    by_seed(modest, s, 400, function(t) {
      t$lowest_path_gain_db[nrow(t)] - t$lowest_path_gain_db[1L]
    })
  }
  rises <- lapply(stats::setNames(nm = names(nbiot_stacks)), rise)
  list(
    nbiot_claim("coverage", by_load_text(c(mean(lowest("mqtt")), mean(lowest("coap-non"))), 5L),
                "mean over loads up to 4, MQTT less CoAP", lowest("mqtt") - lowest("coap-non"), 0.5,
                "dB", nbiot_reasons[["sample"]]),
    nbiot_claim("coverage-confirm",
                by_load_text(c(mean(lowest("coap-con")), mean(lowest("coap-non"))), 5L),
                "mean over loads up to 4, CoAP less confirm",
                lowest("coap-non") - lowest("coap-con"), 0.5, "dB",
                paste("RLC acknowledged mode already repeats what is lost on the air;",
                      nbiot_reasons[["sample"]])),
    nbiot_claim("coverage-load", by_load_text(vapply(rises, mean, 0)),
                "change from the lowest load to 4, 400 bytes, mean of the stacks",
                Reduce(`+`, rises) / length(rises), 0.5, "dB", nbiot_reasons[["level"]])
  )
}

nbiot_cost_claims <- function(runs) {
  low <- runs[load <= nbiot_modest_load]
  use <- low[, .(air = mean(downlink_use_pct + uplink_use_pct), energy = mean(energy_mj)),
             keyby = .(seed, stack)]
  cost <- function(s, column) use[stack == s][[column]]
  extra <- function(s, column) cost(s, column) / cost("coap-non", column)
  list(
    nbiot_claim("confirm-cheap",
                by_load_text(c(mean(extra("coap-con", "air")), mean(extra("mqtt", "air")))),
                "air time over CoAP's, MQTT less confirm, loads up to 2",
                extra("mqtt", "air") - extra("coap-con", "air"), 0.01, "ratio"),
    nbiot_claim("energy",
                by_load_text(c(mean(cost("mqtt", "energy")), mean(cost("coap-non", "energy")))),
                "radio energy of a report, MQTT over CoAP, loads up to 2, less one",
                extra("mqtt", "energy") - 1, 0.01, "ratio")
  )
}
