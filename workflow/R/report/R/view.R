# The time line of one bundle or capture as one file of HTML (`thinwire view`).

#' Frames of a capture, each from its sender.
#'
#' @param p packets table. @param device IP address; NA: none is named so.
#' @return data.table `epoch` (s), `from`, `to` ("device" or an address), `kind` ("data", "retry":
#'   a TCP segment that is sent again), `what`, `bytes` (of the frame, as captured).
wire_rows <- function(p, device) {
  named <- function(address) {
    data.table::fcase(address %in% device, "device", nzchar(address), address, default = "not IP")
  }
  p[, .(epoch = as.numeric(epoch), from = named(src), to = named(dst),
        kind = ifelse(retransmit %in% TRUE, "retry", "data"), what = frame_words(p), bytes = len)]
}

#' What [wire_rows()] returns of nothing.
no_rows <- function() {
  data.table::data.table(epoch = numeric(), from = character(), to = character(),
                         kind = character(), what = character(), bytes = numeric())
}

#' Frames of the device's conversations on the air, on the wire's clock.
#'
#' @param bundle result of [read_bundle()]. @param wire packets of its wire.
#' @return see [wire_rows()]; no rows if the bundle has no capture of the air, or none whose clock
#'   can be compared.
air_rows <- function(bundle, wire) {
  file <- file.path(bundle$folder, "air.pcapng.gz")
  if (!file.exists(file) || is.na(bundle$device)) return(NULL)
  air <- frames_on_air(dissect_air(file), bundle$device, station_of_board(bundle)$mac)
  offset <- suppressWarnings(wire_offset(wire[src == bundle$device], attr(air, "sent")))
  if (!is.finite(offset)) return(NULL)
  air[, .(epoch = epoch + offset, from = paste("air:", from),
          to = ifelse(from == "device", "access point", "device"), kind, what, bytes)]
}

#' When the device was switched on, s since 1970, to the link's delay: its network comes up with the
#' first frame (an ARP announcement), and its log has the time of that. NA without such a log.
switched_on <- function(bundle, rows) {
  up <- if (all(c("ev", "t") %in% names(bundle$board))) bundle$board[ev == "up", t]
  if (length(up) && nrow(rows)) min(rows$epoch) - up[1L] * 1e-6 else NA_real_
}

#' The lines of the device's log.
#'
#' @param start result of [switched_on()].
log_rows <- function(bundle, start) {
  if (is.na(start)) return(NULL)
  numbered <- if ("seq" %in% names(bundle$board)) bundle$board$seq
  bundle$board[, .(epoch = start + t * 1e-6, from = "log", to = "", kind = "log",
                   what = if (is.null(numbered)) ev else
                     ifelse(is.na(numbered), ev, paste(ev, numbered)), bytes = NA_real_)]
}

#' Rows and facts of a bundle.
#'
#' @param folder of the bundle. @param device IP address, where the device's log does not name it.
#' @return list `title`, `facts` (by name), `rows` (see [wire_rows()], with `ms` from the first
#'   frame and, with a log, `device`: s on the device's clock).
view_bundle <- function(folder, device) {
  bundle <- read_bundle(folder)
  file <- file.path(folder, "wire.pcapng.gz")
  rows <- no_rows()
  start <- NA_real_
  if (!identical(as.integer(bundle$lab$capture$frames), 0L)) {
    wire <- dissect(file)
    wire[, epoch := as.numeric(epoch)]
    if (is.na(bundle$device) && device %in% c(wire$src, wire$dst)) bundle$device <- device
    rows <- wire_rows(wire, bundle$device)
    start <- switched_on(bundle, rows)
    rows <- rbind(rows, air_rows(bundle, wire), log_rows(bundle, start))
  }
  trial <- bundle$trial
  facts <- list(trial = paste0(trial$study, "/", trial$trial),
                outcome = paste0(bundle$lab$outcome,
                                 if (nzchar(c(bundle$lab$reason, "")[1L]))
                                   paste(":", bundle$lab$reason)),
                protocol = trial$parameters$protocol, board = trial$firmware$board,
                seed = trial$seed, firmware = c(trial$firmware$sha256, "")[1L],
                device = if (is.na(bundle$device)) "unknown" else bundle$device)
  if (!is.na(start)) {
    facts[["device's clock"]] <- paste("that of thinwire debug --at; 'up' in its log is placed at",
                                       "the first frame, late by the link's delay")
  }
  list(title = facts$trial, facts = facts, rows = finish_rows(rows, start))
}

#' Rows and facts of a capture.
view_capture <- function(file, device) {
  rows <- wire_rows(dissect(file), device)
  list(title = basename(file),
       facts = list(capture = basename(file), frames = nrow(rows),
                    device = if (is.na(device)) "not named; give --device" else device),
       rows = finish_rows(rows, NA_real_))
}

#' In order, with times from the first frame.
finish_rows <- function(rows, start) {
  data.table::setorder(rows, epoch)
  first <- rows[from != "log", epoch][1L]
  if (!is.na(start)) rows[, device := round(epoch - start, 6L)]
  rows[, ms := round(1000 * (epoch - first), 3L)]
  rows[, epoch := NULL]
  rows[]
}

#' The file's text.
#'
#' @param view result of [view_bundle()] or [view_capture()]. @param source workflow/page.
#' @param charts the script of charts.py.
view_text <- function(view, source, charts) {
  read <- function(...) {
    paste(readLines(file.path(...), encoding = "UTF-8", warn = FALSE), collapse = "\n")
  }
  escaped <- function(x) {
    gsub("<", "&lt;", gsub("&", "&amp;", enc2utf8(x), fixed = TRUE), fixed = TRUE)
  }
  script <- function(x) gsub("</script", "<\\/script", x, fixed = TRUE)
  text <- read(source, "view", "view.html")
  parts <- list(
    TITLE = escaped(view$title), STYLE = read(source, "page.css"),
    NOTICES = escaped(read(source, "notices.txt")),
    DATA = page_script(list(parts = I("view"),
                            view = list(facts = view$facts, rows = as_columns(view$rows)))),
    CHARTS = script(read(dirname(charts), basename(charts))),
    SCRIPTS = script(paste(vapply(c("page.js", "timeline.js", file.path("view", "view.js")),
                                  function(name) read(source, name), ""), collapse = "\n")))
  for (name in names(parts)) {
    text <- gsub(paste0("@", name, "@"), gsub("\\", "\\\\", parts[[name]], fixed = TRUE), text)
  }
  text
}

#' Write the time line of a bundle's folder or a capture.
#'
#' @param path,device,source,charts,out see workflow/scripts/view.R.
write_view <- function(path, device, source, charts, out) {
  view <- if (dir.exists(path)) view_bundle(path, device) else view_capture(path, device)
  writeLines(view_text(view, source, charts), out, useBytes = TRUE)
}
