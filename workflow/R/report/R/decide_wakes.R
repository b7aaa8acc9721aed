# What a wake-up from deep sleep costs, for `thinwire ask`: each phase by the level that decides it,
# and what each mode adds.

#' The phases before the protocol, and the factor whose level decides each; NA: none does.
wake_steps <- c(start = NA, scan = "join", join = "wifi_security", address = "address_assignment",
                name = "name_resolution", time = "clock_sync")

#' The phases of the protocol.
wake_protocol_phases <- c("tls", "session", "message", "answer", "wind_down")

#' From the reset until the firmware runs, ms: T. von Eicken, "ESP8266 with Optimized Periodic
#' Wake-up" (2018), who reads it off a trace of the supply. No current is given for it: the least is
#' that of the processor alone, the greatest that of a radio that is awake, as while it calibrates.
chip_start_ms <- c(80, 90)

#' Means over trials of a phase: `n`, `ms`, `least_uc`, `greatest_uc`; NULL where none has it.
#'
#' @param metrics of the trials, long. @param phase its name.
wake_phase_mean <- function(metrics, phase) {
  of <- function(what) metrics[metric == sprintf("wake_%s_%s", phase, what), value]
  ms <- of("mean_ms")
  if (length(ms) == 0L) return(NULL)
  list(phase = phase, n = length(ms), ms = signif(mean(ms), 6L),
       least_uc = signif(mean(of("charge_least_uc")), 6L),
       greatest_uc = signif(mean(of("charge_greatest_uc")), 6L))
}

#' The document's part on wake-ups; NULL where no trial woke into a cell that it joins.
#'
#' @param factors,metrics of all studies, long; those of `wake` and `wake-modes` count.
decide_wakes <- function(factors, metrics) {
  metrics <- metrics[study %in% c("wake", "wake-modes") & grepl("^wake_", metric)]
  if (nrow(metrics) == 0L) return(NULL)
  wide <- wide_factors(factors[study %in% metrics$study])
  for (name in setdiff(c(wake_steps[!is.na(wake_steps)], "security", "resume"), names(wide))) {
    wide[, (name) := NA_character_]
  }
  wide[is.na(wifi_security), wifi_security := "open"]
  wide[is.na(security), security := "none"]
  wide[, session := data.table::fcase(security == "none", "", resume %in% "1", "kept",
                                      default = "forgotten")]
  mine <- function(rows) metrics[rows, on = c("study", "trial"), nomatch = NULL]
  steps <- lapply(names(wake_steps), function(phase) {
    key <- wake_steps[[phase]]
    if (is.na(key)) return(list(c(level = "", wake_phase_mean(mine(wide), phase))))
    lapply(sort(unique(wide[!is.na(get(key)), get(key)])), function(level) {
      mean_of <- wake_phase_mean(mine(wide[get(key) == level]), phase)
      if (!is.null(mean_of)) c(level = level, mean_of)
    })
  })
  # As few factors as may be beside the mode: the study wake has MQTT alone.
  own <- unique(wide[study == "wake-modes" | security != "none", .(mode, security, session)])
  modes <- lapply(seq_len(nrow(own)), function(i) {
    rows <- mine(wide[study == "wake-modes" | security != "none"][
      own[i], on = c("mode", "security", "session")])
    phases <- lapply(wake_protocol_phases, function(phase) wake_phase_mean(rows, phase))
    c(as.list(own[i]), list(phases = Filter(Negate(is.null), phases)))
  })
  currents <- function(x) x[c("listen", "modem_sleep", "light_sleep", "deep_sleep")]
  list(chip_start_ms = chip_start_ms, payload = I(sort(unique(as.numeric(wide$payload_bytes)))),
       currents_ma = list(least = currents(esp8266_currents_ma),
                          greatest = currents(esp8266_greatest_ma)),
       steps = Filter(Negate(is.null), unlist(steps, recursive = FALSE)), modes = modes)
}
