# Numbers and tables of the paper's section on NB-IoT.

#' Write numbers.tex and the tables limits.tex, sensitivity.tex and beyond.tex.
#'
#' @param data of [read_nbiot()]. @param claims of [nbiot_claims()]. @param folder where to.
write_nbiot_report <- function(data, claims, folder) {
  write <- function(lines, name) {
    dir.create(folder, showWarnings = FALSE, recursive = TRUE)
    writeLines(c("% Made by workflow/scripts/nbiot.R; do not edit.", lines),
               file.path(folder, name), useBytes = TRUE)
  }
  ends <- nbiot_ends(data$runs)
  write(c(nbiot_run_numbers(data, claims), nbiot_point_numbers(data$results, ends),
          nbiot_variant_numbers(data$sensitivity), nbiot_beyond_numbers(data$beyond)),
        "numbers.tex")
  write(nbiot_limits_table(data$results, ends), "limits.tex")
  write(nbiot_sensitivity_table(data$sensitivity), "sensitivity.tex")
  write(nbiot_beyond_table(data$beyond), "beyond.tex")
}

nbiot_macro <- function(..., text) latex_macro(macro_name("Nb", ...), text)

#' Numbers of what was run.
nbiot_run_numbers <- function(data, claims) {
  runs <- data$runs
  verdicts <- table(factor(claims$verdict, verdict_names))
  c(nbiot_macro("reports", text = latex_number(sum(runs$reports))),
    nbiot_macro("runs", text = nrow(runs)),
    nbiot_macro("seeds", text = max(data$results$seeds)),
    nbiot_macro("sensitivity seeds", text = max(data$sensitivity$seeds)),
    nbiot_macro("events millions", text = latex_number(sum(runs$events) / 1e6)),
    nbiot_macro("loads", text = length(unique(runs$load))),
    nbiot_macro("least load", text = min(runs$load)),
    nbiot_macro("most load", text = max(runs$load)),
    nbiot_macro("claims", text = nrow(claims)),
    vapply(names(verdicts), function(v) nbiot_macro("claims", v, text = verdicts[[v]]), ""))
}

#' The limits of service for each seed: the load with 5 % not served and that of the highest cell
#' throughput, as text.
#'
#' @param runs table of one row per seed.
#' @return data.table `stack`, `payload_bytes`, `poor`, `peak`.
nbiot_ends <- function(runs) {
  runs[variant == "base", .(
    poor = load_measured(.SD[, .(x = crossing_load(load, not_served_pct, nbiot_poor_pct)),
                             by = seed]$x, max(load)),
    peak = .SD[, .(most = mean(cell_throughput_bps)), by = load][
      , at_least_text(peak_load(load, most), max(load))]
  ), by = .(stack, payload_bytes)]
}

#' Loads of several seeds as text in the form of [latex_measured()]; "> 6" if a seed's load is
#' beyond those that were run.
load_measured <- function(loads, most) {
  if (!anyNA(loads)) return(latex_measured(loads, 1L))
  least <- if (all(is.na(loads))) "" else paste(latex_number(min(loads, na.rm = TRUE), 1L), "to ")
  sprintf("%s> %s ($n=%d$)", least, most, length(loads))
}

#' The load of a peak; "at least" where it is the highest that was run.
at_least_text <- function(load, most) {
  paste0(if (load == most) "$\\geq$ ", latex_number(load, 1L))
}

#' Measures of every stack and size at loads that the text quotes, and their limits.
nbiot_point_numbers <- function(results, ends) {
  who <- function(stack, bytes) paste(stack, bytes)
  lines <- ends[, c(nbiot_macro(who(stack, payload_bytes), "poor load", text = poor),
                    nbiot_macro(who(stack, payload_bytes), "peak load", text = peak)),
                by = .(stack, payload_bytes)]$V1
  points <- results[load %in% c(1, 2, 4)]
  quoted <- list(device_throughput_bps = 0L, cell_throughput_bps = 0L, not_served_pct = 1L,
                 delay_p50_s = 2L, delay_p99_s = 1L, energy_mj = 0L, collision_pct = 0L,
                 downlink_use_pct = 1L, uplink_use_pct = 1L, retransmissions_per_report = 2L)
  c(lines, unlist(lapply(names(quoted), function(m) {
    points[, nbiot_macro(who(stack, payload_bytes), "load", load, m,
                         text = latex_number(get(m), quoted[[m]])),
           by = .(stack, payload_bytes, load)]$V1
  })))
}

#' Where each variant of the model leaves 5 % unserved.
nbiot_variant_numbers <- function(sensitivity) {
  x <- nbiot_limits(sensitivity)
  x[, nbiot_macro("variant", variant, stack, "poor load", text = load_text(poor_load, most)),
    by = .(variant, stack)]$V1
}

nbiot_beyond_numbers <- function(beyond) {
  x <- beyond[load == min(load)]
  base <- x[stack == "coap-non", energy_mj]
  x[, c(nbiot_macro("beyond", stack, "energy", text = latex_number(energy_mj, 0L)),
        nbiot_macro("beyond", stack, "energy ratio", text = latex_number(energy_mj / base, 2L)),
        nbiot_macro("beyond", stack, "delay", text = latex_number(delay_p50_s, 2L))),
    by = stack]$V1
}

#' A table of each stack at load 1 and of its limit.
nbiot_limits_table <- function(results, ends) {
  x <- merge(results[load == 1 & stack %in% names(nbiot_stacks)], ends,
             by = c("stack", "payload_bytes"))
  data.table::setorder(x, payload_bytes, stack)
  cells <- as.matrix(x[, .(
    paste(nbiot_stacks[stack], payload_bytes), latex_number(delay_p50_s, 2L),
    latex_number(delay_p99_s, 1L), latex_number(device_throughput_bps / 1000, 1L),
    latex_number(not_served_pct, 1L), latex_number(energy_mj),
    poor, peak)])
  latex_table(cells, "lrrrrrrr",
              c("stack, bytes", "median, s", "p99, s", "kbit/s", "unserved, \\%", "mJ",
                "5\\,\\% at", "peak at"), groups = 4L)
}

nbiot_variant_names <- c(
  base = "as described", "rto-3s" = "first RTO 3 s", ipv4 = "IPv4",
  "rrc-setup" = "full RRC set-up", "no-status-grant" = "no grant for a polled status",
  "single-tone" = "single tone only", synchronised = "all frames aligned",
  "backoff-4s" = "back-off up to 4 s", "preambles-48" = "48 preambles, not 12",
  "site-distance-2500" = "sites 2.5 km apart", "site-distance-3500" = "sites 3.5 km apart",
  "site-distance-5000" = "sites 5 km apart")

#' For every variant: the load with 5 % not served, by stack, and the share in extended coverage.
nbiot_sensitivity_table <- function(sensitivity) {
  limits <- nbiot_limits(sensitivity)
  limits[, text := load_text(poor_load, most)]
  wide <- data.table::dcast(limits, variant ~ stack, value.var = "text")
  deep <- sensitivity[load == min(load) & stack == "coap-con",
                      .(variant, deep = latex_number(level1_pct + level2_pct, 1L))]
  wide <- merge(wide, deep, by = "variant")
  wide <- wide[match(intersect(names(nbiot_variant_names), variant), variant)]
  stacks <- intersect(names(nbiot_stacks), names(wide))
  cells <- cbind(nbiot_variant_names[wide$variant], as.matrix(wide[, stacks, with = FALSE]),
                 wide$deep)
  latex_table(cells, paste0("l", strrep("r", length(stacks) + 1L)),
              c("model", nbiot_stacks[stacks], "deep, \\%"))
}

#' Delay, energy, air time and endurance of the further stacks.
nbiot_beyond_table <- function(beyond) {
  low <- beyond[load == min(load)]
  high <- beyond[load == 3, .(stack, unserved = latex_number(not_served_pct, 1L))]
  x <- merge(low, high, by = "stack")
  data.table::setorder(x, energy_mj)
  cells <- as.matrix(x[, .(nbiot_stack_names[stack], latex_number(delay_p50_s, 2L),
                           latex_number(energy_mj), latex_number(downlink_use_pct, 1L),
                           latex_number(uplink_use_pct, 1L), unserved)])
  latex_table(cells, "lrrrrr", c("stack", "median, s", "mJ", "DL, \\%", "UL, \\%",
                                 "unserved, \\%"))
}
