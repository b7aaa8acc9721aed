# Deliveries: the fate of every message of a trial, identified by its sender and number.

#' The logs of the workload's senders and of its receiver.
#'
#' A device that publishes sends to the server's recorder; further subscribers of a load get copies,
#' which do not count as deliveries. A device that subscribes receives from the clients of a load. A
#' device that serves is asked by them: a request is delivered when its requester has the answer.
workload_logs <- function(bundle) {
  role <- bundle$trial$parameters$role
  who <- as.character(log_values(bundle$server, "server"))
  load <- bundle$server[!is.na(who) & who == "load"]
  recorder <- bundle$server[is.na(who) | who != "load"]
  if (is.null(role) || role == "publish") {
    answers <- endsWith(as.character(log_values(recorder, "topic")), "/echo") # a closed loop's
    recorder <- recorder[is.na(answers) | !answers]
    if (is_fleet(bundle)) { # a message without a sender is the first device's
      named <- as.character(log_values(recorder, "from"))
      recorder <- data.table::copy(recorder)[, from := data.table::fcoalesce(named, first_device)]
      return(list(sender = bundle$devices, key = "device", receiver = recorder,
                  receipt = "received", from = "from", scale = 1))
    }
    return(list(sender = bundle$board, key = NULL, receiver = recorder, receipt = "received",
                from = NULL, scale = 1))
  }
  serves <- role == "serve"
  list(sender = load, key = "client", receiver = if (serves) load else bundle$board,
       receipt = if (serves) "acked" else "received", from = if (serves) "client" else "from",
       scale = if (serves) 1 else 1e-6)
}

#' Sender and number of the lines of a log with one event.
#'
#' @param rows lines of a log. @param event name. @param key field of the sender; NULL: one sender.
#' @return data.table `sender`, `seq`, `time` (the log's clock), `reason` ("" where it has none).
numbered <- function(rows, event, key) {
  rows <- log_events(rows, event)
  sender <- if (is.null(key)) rep("board", nrow(rows)) else as.character(log_values(rows, key))
  out <- data.table::data.table(sender = sender, seq = as.numeric(log_values(rows, "seq")),
                                time = as.numeric(rows$t),
                                reason = as.character(log_values(rows, "reason")))
  out[is.na(reason), reason := ""]
  out[!is.na(seq)]
}

#' The messages that the workload's receiver got, including copies.
#'
#' A short payload has room only for the end of its sender's name; it identifies the sender whose
#' name ends so.
#'
#' @param bundle result of [read_bundle()].
#' @return data.table `sender`, `seq`, `time` (s, by the receiver's clock), in the order of time.
receipts <- function(bundle) {
  logs <- workload_logs(bundle)
  out <- numbered(logs$receiver, logs$receipt, logs$from)[, !"reason"]
  out[, time := time * logs$scale]
  known <- unique(numbered(logs$sender, "sent", logs$key)$sender)
  for (short in setdiff(out$sender, c(known, NA))) {
    whole <- known[endsWith(known, short)]
    if (length(whole) == 1L) out[sender == short, sender := whole]
  }
  data.table::setorder(out, time)
  out[]
}

#' Every message that the workload's senders made, keyed by sender and number.
#'
#' @param bundle result of [read_bundle()]. @param capture see [trial_capture()]; it knows the
#'   messages of a device that writes no log.
#' @return data.table, one row a message: `sender`, `seq`; `sent`: it was handed to the network;
#'   `acked`; `failed`: why its sender gave up, NA if it did not; `time` of its first receipt (s, by
#'   the receiver's clock), NA if it never arrived; `copies` that arrived.
message_table <- function(bundle, capture = NULL) {
  if (is.list(capture) && !is.null(capture$messages)) return(capture$messages)
  if (!identical(last_messages$bundle, bundle)) { # a glance, if it is the same object
    last_messages$found <- logged_messages(bundle)
    last_messages$bundle <- bundle
  }
  data.table::copy(last_messages$found)
}

#' The last result of [message_table()], which several metrics of a trial need.
last_messages <- new.env()

#' The messages of a bundle's logs, see [message_table()].
logged_messages <- function(bundle) {
  logs <- workload_logs(bundle)
  found <- lapply(c(sent = "sent", acked = "acked", failed = "failed"), function(event) {
    unique(numbered(logs$sender, event, logs$key), by = c("sender", "seq"))
  })
  out <- unique(rbind(found$sent, found$failed)[, .(sender, seq)])
  has <- function(table) !is.na(table[out, on = c("sender", "seq"), which = TRUE, mult = "first"])
  got <- receipts(bundle)[, .(time = time[1L], copies = .N), by = .(sender, seq)]
  reasons <- found$failed[out, on = c("sender", "seq"), reason]
  arrived <- got[out, on = c("sender", "seq")]
  out[, `:=`(sent = has(found$sent), acked = has(found$acked), failed = reasons,
             time = arrived$time, copies = data.table::fcoalesce(arrived$copies, 0L))]
  data.table::setorder(out, sender, seq)
  out[]
}

#' Deliveries as metrics; docs/metrics.md defines them.
#'
#' @param messages result of [message_table()].
#' @param reached messages that reached the device, by the capture; NA where the device sends, or
#'   where the capture does not say it.
delivery_metrics <- function(messages, reached = NA_real_) {
  made <- nrow(messages)
  sent <- sum(messages$sent)
  delivered <- sum(!is.na(messages$time))
  dropped <- messages[sent == FALSE & is.na(time)]
  given_up <- messages$sent & !is.na(messages$failed)
  known <- c("backlog_full", "offline")
  reasons <- c(stats::setNames(lapply(known, function(r) sum(dropped$failed == r)), known),
               otherwise = sum(!dropped$failed %in% known))
  share <- function(name, part, of) {
    if (isTRUE(of > 0)) metric_row(name, 100 * part / of, "%", of)
  }
  data.table::rbindlist(list(
    metric_row(c("made", "sent", "delivered"), c(made, sent, delivered), "messages", made),
    share("delivered_of_made_pct", delivered, made),
    share("delivered_of_sent_pct", messages[sent == TRUE, sum(!is.na(time))], sent),
    share("processed_of_reached_pct", delivered, reached),
    metric_row(paste0("dropped_", names(reasons)), unlist(reasons), "messages", made),
    metric_row("given_up", sum(given_up), "messages", made),
    metric_row("given_up_delivered", sum(given_up & !is.na(messages$time)), "messages", made),
    if (!anyNA(messages$copies)) {
      metric_row("duplicates", sum(pmax(messages$copies - 1L, 0L)), "messages",
                 sum(messages$copies))
    }
  ))
}
