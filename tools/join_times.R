#!/usr/bin/env Rscript
# join_times.R --captures CAPTURE...
# The steps of each join in captures of a station that enters its network (of the air, or at the
# access point), as CSV: `device` (the capture's folder), `capture`, `state` (one half of a device's
# captures gives numbers, the other is held out), `step`, `ms`.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
top <- file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "..") # ~+~: a blank
source(file.path(top, "workflow", "scripts", "thinwire.R"))

run_main("study", function(arguments) {
  files <- parse_options(arguments, lists = "captures")$captures
  rows <- lapply(files, function(file) {
    times <- join_step_times(join_frames(file))
    if (nrow(times) == 0L) {
      input_error(file, "has no join under WPA2", "give a capture of a station that joins")
    }
    data.table::data.table(device = basename(dirname(file)),
                           capture = sub("[.].*$", "", basename(file)), times)
  })
  out <- data.table::rbindlist(rows)
  out[, capture := paste0(capture, ifelse(join > 1L, paste0(", join ", join), ""))]
  captures <- unique(out[, .(device, capture)])
  captures[, state := join_states(capture), by = device]
  out <- captures[out, on = c("device", "capture")]
  writeLines(csv_lines(out[, .(device, capture, state, step, ms = sprintf("%.3f", ms))]))
})
