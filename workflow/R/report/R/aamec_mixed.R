# AAMEC's sessions of 1 to 1000 messages in one set of tasks, as its public load test mixes them,
# and each length by itself.

#' Times of a session by its length: published, in trials of this length alone, in the mixed set.
#'
#' @param cells result of [aamec_both()]. @param metrics table of the study.
#' @return data.table `messages`, `published`, `alone`, `mixed` (ms of a message; NA where there is
#'   none); no rows without mixed trials.
aamec_mixed <- function(cells, metrics) {
  form <- "^session_of_([0-9]+)_message_ms$"
  mixed <- metrics[grepl(form, metric), .(mixed = mean(value)),
                   by = .(messages = as.integer(sub(form, "\\1", metric)))]
  times <- cells[metric == "session_message_ms" & mode == "mqtt-qos1"]
  mixed[, `:=`(published = times$published[match(messages, times$session_messages)],
               alone = times$ours[match(messages, times$session_messages)])]
  mixed[order(messages), .(messages, published, alone, mixed)]
}

#' Table of [aamec_mixed()].
aamec_mixed_table <- function(x) {
  ms <- function(value) ifelse(is.na(value), "--", latex_number(value, 1L))
  latex_table(cbind(latex_number(x$messages), ms(x$published), ms(x$alone), ms(x$mixed)),
              "@{}rrrr@{}", c("messages of a session", "published, ms", "lengths apart", "mixed"))
}
