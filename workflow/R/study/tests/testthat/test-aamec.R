# Are frames counted in the phase in which they passed, AAMEC's values decided by their trials?

withr::local_options(thinwire.discrepancy = lab_error(c("times above 250 ms" = 2)))

# A session of two messages: connect at 1000 s, messages from 1001 and 1002 s, end at 1003.
aamec_bundle <- function(folder) {
  talk <- tcp_conversation(start = 999, delay = 0.001, sport = 8883)
  talk$say("client", raw(500)) # before the first session: belongs to none
  talk$now <- 1000
  talk$open()
  talk$say("server", raw(1400))
  for (begin in c(1001, 1002)) {
    talk$now <- begin + 0.0001
    talk$say("client", raw(100))
    talk$say("server", raw(30), ack = FALSE)
  }
  talk$now <- 1003.0001
  talk$close()
  dir.create(folder)
  write_pcap(talk$frames, talk$times, file.path(folder, "wire.pcapng.gz"))
  lines <- c(sprintf('{"t":%d,"ev":"phase","phase":"%s"}', 1000:1003,
                     c("connect", "message", "message", "disconnect")),
             '{"t":1003.1,"ev":"session","us":3000000}')
  list(folder = folder, device = "10.0.0.2",
       board = data.table::as.data.table(jsonlite::fromJSON(
         paste0("[", paste(lines, collapse = ","), "]"))),
       trial = list(parameters = list(peer = "cloud", delay_ms = 250, session_messages = 2,
                                      fields = 10)))
}

test_that("frames are counted by phase and direction", {
  bundle <- aamec_bundle(tempfile())
  m <- phase_metrics(bundle, dissect(file.path(bundle$folder, "wire.pcapng.gz")))
  m <- setNames(m$value, m$metric)
  head <- 54 # Ethernet, IPv4, TCP without options; a SYN has the MSS option
  expect_equal(m[["phase_connect_out_bytes"]], 58 + 2 * head)
  expect_equal(m[["phase_connect_in_bytes"]], 58 + head + 1400)
  expect_equal(m[["phase_connect_packets"]], 5)
  expect_equal(m[["phase_message_bytes"]], 3 * head + 130)
  expect_equal(m[["phase_message_packets"]], 3)
  expect_equal(m[["phase_disconnect_bytes"]], 3 * head)
  parts <- m[["phase_connect_bytes"]] + 2 * m[["phase_message_bytes"]] +
    m[["phase_disconnect_bytes"]]
  expect_equal(m[["session_bytes"]], parts)
  expect_equal(m[["session_out_bytes"]] + m[["session_in_bytes"]], parts)
  expect_equal(m[["session_ms"]], 3000)
  expect_equal(m[["session_message_ms"]], 1500)
  expect_equal(m[["session_field_ms"]], 150)
  expect_equal(m[["session_round_trips"]], 6)
  bundle$trial$parameters$session_mix <- c(2, 3)
  bundle$board[ev == "session", messages := 2]
  m <- phase_metrics(bundle, dissect(file.path(bundle$folder, "wire.pcapng.gz")))
  m <- stats::setNames(m$value, m$metric)
  expect_equal(m[c("session_of_2_ms", "session_of_2_message_ms")],
               c(session_of_2_ms = 3000, session_of_2_message_ms = 1500))
})

test_that("a log without phases gives no metric of one", {
  bundle <- aamec_bundle(tempfile())
  bundle$board <- bundle$board[ev == "none"]
  packets <- dissect(file.path(bundle$folder, "wire.pcapng.gz"))
  expect_warning(m <- phase_metrics(bundle, packets), NA)
  expect_equal(nrow(m), 0L)
})

aamec_folder <- function() file.path(getOption("thinwire.workflow"), "..", "data", "published")

test_that("each of the 55 values has a place in our trials", {
  cells <- aamec_cells(read_published(aamec_folder(), "aamec2019"))
  expect_equal(nrow(cells), 55L)
  expect_false(anyNA(cells$metric))
  expect_equal(cells[published == 40366, c(mode, session_messages, metric)],
               c("mqtt-qos1", "1000", "session_ms"))
  expect_equal(cells[published == 6683, c(mode, fields, metric)],
               c("http-kept", "100", "phase_message_bytes"))
  expect_equal(cells[published == 2261, mode], rep("http-kept", 2L))
  expect_equal(cells[published == 1274, c(link, metric)], c("air", "session_out_bytes"))
  # HTTP's times are of a kept connection, its bytes of a session of one message
  expect_equal(cells[published == 289, unique(paste(session_messages, metric))],
               c("100 session_message_ms", "100 session_field_ms"))
  expect_equal(cells[published == 3285, session_messages], c("1", "1"))
})

# Verdict on the claims of 40366 ms and of MQTT's 9.76 for runs of these values.
aamec_verdict <- function(id, metric, values, design, base = NULL) {
  rows <- function(name, value, design) {
    factors <- data.table::data.table(study = "aamec", trial = name, factor = names(design),
                                      value = unlist(design))
    number <- sub("^.*_", "", name)
    list(rbind(factors, list("aamec", name, "repetition", number)),
         data.table::data.table(study = "aamec", trial = name, metric = metric, value = value,
                                unit = "", n = 1))
  }
  made <- lapply(seq_along(values), function(i) rows(paste0("t_", i), values[i], design))
  if (!is.null(base)) made <- c(made, list(rows("b_1", base, replace(design, "fields", "1"))))
  all <- aamec_cell_claims(aamec_folder(), data.table::rbindlist(lapply(made, `[[`, 2L)),
                           data.table::rbindlist(lapply(made, `[[`, 1L)))
  expect_equal(anyDuplicated(all$claim), 0L)
  all[claim == id]
}

test_that("bytes are decided within 5 per cent, a ratio by the value with one field", {
  design <- list(mode = "mqtt-qos1", session_messages = "1", fields = "100", link = "netem",
                 tls = "1.2", tls_resume = "0", chain_bytes = "3000", token = "RS256",
                 await_connack = "1")
  ratio <- function(values) {
    aamec_verdict("aamec-lab-mqtt-100-fields-ratio", "phase_message_bytes", values, design, 400)
  }
  found <- ratio(c(4000, 4010, 4000, 4000, 4010))
  expect_equal(found$verdict, "reproduced")
  expect_equal(found$ours, "10.01")
  expect_equal(ratio(rep(4400, 5))$verdict, "not reproduced")
  expect_equal(ratio(rep(4000, 4))$verdict, "too few runs")
})

test_that("times are decided by the round trip that was assumed", {
  design <- list(mode = "mqtt-qos1", session_messages = "1000", fields = "1", link = "netem",
                 tls = "1.2", tls_resume = "0", chain_bytes = "3000", token = "RS256",
                 await_connack = "0")
  found <- aamec_verdict("aamec-lab-mqtt-1000-messages-cycle-mean", "session_ms", rep(40200, 5),
                         design)
  expect_equal(found$verdict, "decided by an assumption")
  expect_match(found$reason, "round trip of 40 ms.*reproduced")
})

test_that("another source's case study is another condition, the cloud's own time is outside", {
  design <- list(mode = "http-kept", session_messages = "1", fields = "1", link = "netem",
                 tls = "1.2", tls_resume = "0", chain_bytes = "3000", token = "RS256",
                 answer_fields = "cloud")
  found <- aamec_verdict("aamec-lab-https-outgoing", "session_out_bytes", rep(1734, 5), design)
  expect_equal(found$verdict, "another condition")
  expect_match(found$reason, "flespi.*reproduced")
  kept <- replace(design, "session_messages", "100")
  found <- aamec_verdict("aamec-lab-http-1-fields-cycle-mean", "session_message_ms", rep(40, 5),
                         kept)
  expect_equal(found$verdict, "outside what the lab can decide")
  expect_match(found$reason, "cloud-time.*contradicted")
})

test_that("what the summary repeats, and the multiple of one field, are counted apart", {
  cells <- aamec_cells(read_published(aamec_folder(), "aamec2019"))
  counted <- aamec_counted(cells)
  expect_equal(cells[counted == "trivial", unique(paste(column, published))], "ratio 1")
  expect_equal(sum(counted == "trivial"), 2L)
  expect_true(all(counted[cells$location == "section V, summary"] == "repeated"))
  expect_lt(sum(counted == "repeated"), 12L)
})
