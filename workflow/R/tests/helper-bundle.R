# A small bundle with known contents, in the form that a trial leaves.

#' A bundle of `n` QoS 1 messages, the last of which is lost.
#'
#' @param more further parameters of the trial.
write_bundle <- function(folder, n = 20, outcome = "ok", more = list()) {
  dir.create(folder, recursive = TRUE)
  parameters <- c(list(protocol = "mqtt", mode = "mqtt-qos1", qos = 1, nagle = FALSE,
                       interval_ms = 100, duration_s = 2, payload_bytes = 30), more)
  json <- function(x, name) {
    writeLines(jsonlite::toJSON(x, auto_unbox = TRUE), file.path(folder, name))
  }
  json(list(study = "s", trial = basename(folder), repetition = 1, testbed = "virtual",
            parameters = parameters, firmware = list(board = "lx106")), "trial.json")
  json(list(outcome = outcome, reason = ""), "lab.json")
  at <- seq_len(n) * 0.1
  writeLines(c('{"t":1,"ev":"boot"}', '{"t":2,"ev":"up","ip":"10.0.0.2"}',
               sprintf('{"t":%d,"ev":"sent","seq":%d}', as.integer(at * 1e6), seq_len(n)),
               sprintf('{"t":%d,"ev":"acked","seq":%d,"rtt_us":%d}',
                       as.integer(at[-n] * 1e6 + 5000), seq_len(n - 1), 4000L + seq_len(n - 1)),
               '{"t":9,"ev":"stat","heap_free_min":40000}'), file.path(folder, "board.jsonl"))
  got <- c(1, seq_len(n - 1))
  writeLines(sprintf('{"t":%.9f,"ev":"received","seq":%d}', 1000 + c(at[1], at[seq_len(n - 1)]),
                     got), file.path(folder, "server.jsonl"))
  talk <- tcp_conversation(delay = 0.002)
  talk$open()
  for (i in seq_len(n)) {
    talk$now <- 1000 + at[i]
    talk$say("client", mqtt_publish("t", strrep("x", 30), qos = 1, id = i), ack = FALSE)
    if (i < n) talk$say("server", mqtt_puback(i), ack = FALSE)
  }
  write_pcap(talk$frames, talk$times, file.path(folder, "wire.pcapng.gz"))
}
