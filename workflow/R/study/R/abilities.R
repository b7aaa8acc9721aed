# What a claim needs of the trials that decide it, and what a trial has (data/published/claims).
#
# A trial in which nothing can be lost says nothing about losses. A claim names in `needs` what the
# statement depends on; a trial has what follows from its parameters. Where one lacks the other, the
# verdict is "outside what the lab can decide".

#' The vocabulary of `needs`: a meaning, and whether a trial has it.
#'
#' Each `has` is a function of a trial's factors as text, by name, see [trial_facts_of()]; one that
#' is never true names what no trial of the laboratory has.
#'
#' @return named list of `meaning` and `has`.
abilities <- function() {
  able <- function(meaning, has) list(meaning = meaning, has = has)
  never <- function(f) FALSE
  role <- function(name) function(f) is_one_of(f, "role", name)
  list(
    loss = able(paste("frames between device and server can be lost for good: an error rate, a",
                      "lossy path, an outage, or a shared queue of the access point that others",
                      "fill"),
                can_lose),
    queue = able("the stations share one queue at the access point, which others fill",
                 shares_queue),
    background = able("other stations send on the access point", is_beside_others),
    interruption = able("the server restarts, or the link has outages", is_interrupted),
    "kept-connection" = able("several messages share one connection", keeps_connection),
    "own-connection" = able("each message or request has a connection or socket of its own",
                            function(f) !keeps_connection(f)),
    "role-publish" = able("the device sends, or asks: it is the client", role("publish")),
    "role-subscribe" = able("the device receives what others publish", role("subscribe")),
    "role-serve" = able("the device answers requests: it is the server", role("serve")),
    "role-echo" = able("the device answers each message in a closed loop", role("echo")),
    "wired-peer" = able("the other end is wired", function(f) {
      !is_one_of(f, "link", "air") || is_one_of(f, "server_link", "wired")
    }),
    "wireless-peer" = able("the other end is a station of the same cell", function(f) {
      is_one_of(f, "link", "air") && is_one_of(f, "server_link", "station")
    }),
    cell = able("device and access point are stations of an 802.11 cell",
                function(f) is_one_of(f, "link", c("air", "wifi"))),
    "radio-sleep" = able("the device's radio sleeps between beacons",
                         function(f) is_one_of(f, "modem_sleep", "1")),
    tls = able("the session is inside TLS or DTLS", function(f) {
      !is_one_of(f, "security", c("none", "")) || is_one_of(f, "peer", "cloud")
    }),
    library = able("a library of other authors takes the engine's role", has_library),
    crash = able(paste("the device can fail as the source's did: a library of other authors runs",
                       "on the chip's processor with its memory"),
                 function(f) has_library(f) && has_chip_memory(f)),
    memory = able("the device's memory is the chip's", has_chip_memory),
    chip = able("the processor is the chip itself: a physical board", is_physical),
    meter = able("the device's current is measured at its supply", never),
    "cloud-time" = able("the source's own cloud answers, in its own time", never),
    judgement = able("people judge: documentation, skill, support, suitability", never)
  )
}

#' Is a factor one of these values?
is_one_of <- function(f, name, values) isTRUE(f[name] %in% values)

#' Is a factor a number above 0?
is_positive <- function(f, name) isTRUE(suppressWarnings(as.numeric(f[name])) > 0)

is_physical <- function(f) is_one_of(f, "testbed", "hardware")
has_chip_memory <- function(f) is_physical(f) || is_one_of(f, "board", c("lx106", "esp8266"))
has_library <- function(f) !is.na(f["library"]) && nzchar(f["library"])
is_beside_others <- function(f) !is_one_of(f, "background_profile", c("none", ""))
shares_queue <- function(f) is_beside_others(f) && is_one_of(f, "ap_queue", "shared")

is_interrupted <- function(f) {
  spans <- c(f["restart_spans_s"], f["outage_spans_s"])
  is_positive(f, "server_restart_s") || is_positive(f, "outage_every_s") ||
    any(!is.na(spans) & nzchar(spans))
}

can_lose <- function(f) {
  noisy <- !is.na(f["snr_db"]) && nzchar(f["snr_db"])
  outages <- is_positive(f, "outage_every_s") ||
    (!is.na(f["outage_spans_s"]) && nzchar(f["outage_spans_s"]))
  is_positive(f, "frame_error_rate") || is_positive(f, "loss_pct") || noisy || outages ||
    shares_queue(f) || is_physical(f)
}

keeps_connection <- function(f) {
  new <- is_one_of(f, "socket_each", "1") || is_one_of(f, "connection_messages", "1") ||
    is_one_of(f, "session_messages", "1") && is_one_of(f, "peer", "cloud") ||
    is_one_of(f, "protocol", "http") && is_one_of(f, "keep_alive", "0")
  !new
}

#' Defaults of a trial's parameters as text, as [trial_factors()] writes them.
parameter_defaults <- function() {
  file <- file.path(getOption("thinwire.workflow"), "schemas", "parameters.schema.json")
  properties <- jsonlite::fromJSON(file, simplifyVector = FALSE)$properties
  defaults <- Filter(Negate(is.null), lapply(properties, function(p) p[["default"]]))
  vapply(defaults, function(x) paste(if (is.logical(x)) as.integer(x) else x, collapse = ","), "")
}

#' All factors of a trial as text: those that it states, and the defaults of the others.
#'
#' @param wanted_study,wanted_trial names. @param factors long table of any studies.
#' @param defaults of [parameter_defaults()].
trial_facts_of <- function(wanted_study, wanted_trial, factors, defaults = parameter_defaults()) {
  mine <- factors[study == wanted_study & trial == wanted_trial]
  out <- defaults
  out[mine$factor] <- mine$value
  out
}

#' What a claim needs and a trial lacks.
#'
#' @param needs names of [abilities()]. @param wanted_study,trials names of the trials that decide
#'   it. @param factors long table.
#' @return names of what at least one of the trials lacks, in the order of `needs`.
lacking <- function(needs, wanted_study, trials, factors) {
  if (length(needs) == 0L || length(trials) == 0L) return(character())
  defaults <- parameter_defaults()
  known <- abilities()[needs]
  lacks <- vapply(unique(trials), function(trial) {
    facts <- trial_facts_of(wanted_study, trial, factors, defaults)
    !vapply(known, function(ability) ability$has(facts), NA)
  }, logical(length(needs)))
  needs[rowSums(matrix(lacks, nrow = length(needs))) > 0L]
}

#' The reason of a claim whose trials lack something.
lacking_reason <- function(lacks) {
  if (length(lacks) == 0L) return("")
  meanings <- vapply(abilities()[lacks], `[[`, "", "meaning")
  paste0("the trials lack ", paste0(lacks, " (", meanings, ")", collapse = ", "))
}

#' How a claim counts: `once`; `repeated`: another claim of the same source says the same;
#' `trivial`: no implementation of the protocol could give another outcome. The latter two are
#' counted apart.
counted_names <- c("once", "repeated", "trivial")
