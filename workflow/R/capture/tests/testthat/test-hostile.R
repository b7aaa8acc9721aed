# Captures with randomly altered packets: each is measured, or refused in one line.
# THINWIRE_HOSTILE: the number of captures; they are the same each time.

device <- "10.0.0.2"

conversation <- function(sport, say) {
  talk <- tcp_conversation(sport = sport)
  talk$open()
  say(talk)
  talk$close()
  list(frames = talk$frames, times = talk$times)
}
http <- function(...) text_raw(paste0(c(..., ""), "\r\n", collapse = ""))
lives <- list(
  mqtt = conversation(1883, function(talk) {
    talk$say("client", mqtt_connect())
    talk$say("server", mqtt_connack())
    for (i in 1:5) {
      talk$say("client", mqtt_publish("t", strrep("x", i), qos = 1, id = i))
      talk$say("server", mqtt_puback(i))
    }
  }),
  amqp = conversation(5672, function(talk) {
    for (i in 1:3) {
      talk$say("client", amqp_publish("data"))
      talk$say("server", amqp_ack(i))
    }
  }),
  http = conversation(80, function(talk) {
    for (i in 1:3) {
      talk$say("client", c(http("POST /t HTTP/1.1", "Host: b", "Content-Length: 1"), text_raw("x")))
      talk$say("server", http("HTTP/1.1 204 x", "Content-Length: 0"))
    }
  }),
  websocket = conversation(8080, function(talk) {
    talk$say("client", http("GET /t HTTP/1.1", "Host: b", "Upgrade: websocket",
                            "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                            "Sec-WebSocket-Version: 13"))
    talk$say("server", http("HTTP/1.1 101 x", "Upgrade: websocket", "Connection: Upgrade",
                            "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
    for (i in 1:3) talk$say("client", c(as.raw(c(0x82, 0x82, 0, 0, 0, 0)), text_raw("hi")))
    talk$say("server", as.raw(c(0x8a, 0)))
  }),
  coap = list(
    frames = lapply(1:10, function(i) {
      id <- as.raw((i + 1) %/% 2)
      if (i %% 2) {
        return(udp(coap_message(0, 2, i, token = id, path = "t", payload = "hi"), device,
                   "10.0.0.1", 40000, 5683))
      }
      udp(coap_message(2, 68, i - 1, token = id), "10.0.0.1", device, 5683, 40000)
    }),
    times = seq(1000, by = 0.1, length.out = 10)))

altered <- function(life) {
  frames <- life$frames
  for (change in seq_len(sample(c(1, 5, 30), 1L))) {
    i <- sample.int(length(frames), 1L)
    from <- sample(c(1L, 15L, 35L, 43L, 55L), 1L)
    n <- length(frames[[i]])
    if (n < from) next
    at <- from - 1L + sample.int(n - from + 1L, 1L)
    frames[[i]][at] <- as.raw(sample(c(0L, 255L, sample.int(256L, 1L) - 1L), 1L))
  }
  kept <- sort(sample.int(length(frames), sample(c(1L, length(frames) - 1L, length(frames)), 1L)))
  short <- sample.int(length(kept), 1L)
  if (sample.int(4L, 1L) == 1L) {
    frames[[kept[short]]] <- head(frames[[kept[short]]], sample.int(60L, 1L))
  }
  times <- life$times[kept]
  if (sample.int(4L, 1L) == 1L) times <- sample(times)
  list(frames = frames[kept], times = times)
}

test_that("captures that are altered anyhow are measured, or refused in one line", {
  set.seed(1L)
  for (try in seq_len(as.integer(Sys.getenv("THINWIRE_HOSTILE", "20")))) {
    name <- names(lives)[1L + (try - 1L) %% length(lives)]
    bad <- altered(lives[[name]])
    file <- write_pcap(bad$frames, bad$times)
    expect_warning(
      suppressMessages(tryCatch(
        expect_s3_class(analyze_capture(file, device, strict = FALSE), "data.table"),
        thinwire_input_error = function(e) expect_no_match(conditionMessage(e), "\n"))),
      NA, label = paste("capture", try, "of", name))
  }
})
