# The conversations of a capture as text, with the next command.

#' Text of overviews.
#'
#' @param surveys results of [list_conversations()].
#' @param format "table" (for reading), "csv" (a row for each conversation) or "json" (an object
#'   with a list of captures).
#' @return lines.
format_surveys <- function(surveys, format) {
  if (format == "csv") {
    return(csv_lines(data.table::rbindlist(lapply(surveys, function(s) {
      data.table::data.table(file = s$file, s$conversations)
    }))))
  }
  if (format == "json") return(json_text(list(captures = surveys)))
  unlist(lapply(seq_along(surveys), function(i) c(if (i > 1L) "", format_survey(surveys[[i]]))))
}

#' Lines of one overview, for reading.
format_survey <- function(survey) {
  rows <- survey$conversations
  c(paste0(survey$file, ": ", format_short(survey$frames), " frames, ",
           format_short(sum(rows$frames)), " of them in these conversations"),
    "", overview_table(rows), "", how_to_go_on(survey$file, rows))
}

overview_table <- function(rows) {
  protocol <- data.table::fifelse(nzchar(rows$protocol), rows$protocol, "no message recognised")
  cells <- cbind(protocol, rows$server, paste0(rows$port, "/", rows$transport), rows$chosen,
                 rows$peer, format_short(rows$connections), format_short(rows$frames),
                 format_short(rows$to_server), format_short(rows$from_server))
  align(c("protocol", "server", "port", "", "other end", "connections", "frames",
          "messages to server", "from server"), cells,
        c(FALSE, FALSE, FALSE, FALSE, FALSE, TRUE, TRUE, TRUE, TRUE))
}

#' The command that measures the device of the first conversation with messages.
how_to_go_on <- function(capture, rows) {
  rows <- rows[to_server + from_server > 0]
  if (nrow(rows) == 0L) {
    return(paste("No message was recognised: name the protocol's port, such as --ports mqtt=1884,",
                 "and one end with --device."))
  }
  c("Measure the conversations of one end, the device:",
    paste0("  thinwire analyze ", shQuote(capture), " --device ", rows$peer[1L]),
    paste0("  thinwire analyze ", shQuote(capture), " --device ", rows$server[1L]),
    "--topic narrows it to a topic; thinwire analyze --help lists the options.")
}
