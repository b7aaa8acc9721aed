# Publisher confirms of AMQP (RabbitMQ's confirm.select).

#' Milliseconds from each publish to its confirm.
#'
#' In each channel publishes are numbered from confirm.select on; a channel that is reopened starts
#' again. An ack or nack confirms the publish with its number; with `multiple`, also all before it.
#'
#' @param ctx result of [measure_context()]. @param w its workload without repetitions.
#' @return numeric, one for each row of `w`; NA: none.
confirm_delays <- function(ctx, w) {
  none <- rep(NA_real_, nrow(w))
  acks <- ctx$messages[protocol == "amqp" & type %in% c("ACK", "ACK_UP_TO") & !outward]
  if (ctx$direction != "from" || nrow(acks) == 0L || nrow(w) == 0L) return(none)
  own <- ctx$messages[protocol == "amqp" & outward]
  lives <- own[type %in% c("CHANNEL_OPEN", "CONFIRM_SELECT"), .(stream, channel, frame, position)]
  lives <- data.table::setorder(lives, frame, position)[, life := seq_len(.N)]
  sent <- in_life(own[type == "PUBLISH"], lives)
  sent[, tag := as.numeric(seq_len(.N)), by = .(stream, channel, life)]
  acks <- in_life(acks, lives)[, tag := as.numeric(id)] # 64 bits
  sent[, tag := tag + unseen_publishes(sent, acks)]
  at <- pmin(first_at(sent, acks, exact = TRUE), first_at(sent, acks[type == "ACK_UP_TO"]),
             na.rm = TRUE)
  row <- match(w[, paste(frame, position)], sent[, paste(frame, position)])
  data.table::fifelse(at[row] >= w$time, (at[row] - w$time) * 1e3, NA_real_)
}

#' Rows with `life`: the number of the channel's opening to which each belongs, 0 before the first
#' one seen.
in_life <- function(rows, lives) {
  rows <- data.table::setorder(data.table::copy(rows), frame, position)
  found <- lives[rows, on = .(stream, channel, frame), roll = TRUE, mult = "last", life]
  rows[, life := data.table::fifelse(is.na(found), 0L, found)]
}

#' The number of publishes in each row's channel before the capture. If the channel's beginning was
#' not captured, the smallest number for which no confirm precedes its publish; this assumes that at
#' some time all had been confirmed.
unseen_publishes <- function(sent, acks) {
  before <- sent[life == 0L, .(stream, channel, frame, count = tag)]
  late <- acks[life == 0L, .(stream, channel, frame, tag)]
  late[, count := before[late, on = .(stream, channel, frame), roll = TRUE, mult = "last", count]]
  late[is.na(count), count := 0]
  unseen <- late[, .(unseen = max(0, tag - count)), by = .(stream, channel)]
  found <- unseen[sent, on = .(stream, channel), unseen]
  data.table::fifelse(sent$life == 0L & !is.na(found), found, 0)
}

#' Time of the first confirm with the number of each publish, or with one that is not below it.
first_at <- function(sent, acks, exact = FALSE) {
  acks <- data.table::setorder(acks[, .(stream, channel, life, tag, time)], stream, channel, life,
                               tag, time)
  acks[sent, on = .(stream, channel, life, tag), roll = if (exact) FALSE else -Inf, mult = "first",
       x.time]
}
