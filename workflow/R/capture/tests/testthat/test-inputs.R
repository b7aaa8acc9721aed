# Is every unusual input a result or one clear line?

refused <- function(file, pattern, device = "10.0.0.2", ...) {
  expect_error(analyze_capture(file, device, ...), pattern, class = "thinwire_input_error")
}
conversation_of <- function(n) {
  talk <- tcp_conversation()
  talk$open()
  talk$say("client", mqtt_connect())
  talk$say("server", mqtt_connack())
  for (i in seq_len(n)) talk$say("client", mqtt_publish("t", "hello"))
  talk
}
values <- function(rows) setNames(rows$value, rows$metric)

test_that("what is no capture, or holds nothing, is one clear line", {
  refused(tempfile(), "no such file")
  refused(tempdir(), "is a folder")
  named <- tempfile()
  run_program("mkfifo", named)
  refused(named, "is empty or no regular file")
  unlink(named)
  refused(write_pcap(list(), numeric()), "holds no packets")
  talk <- conversation_of(1)
  refused(write_pcap(talk$frames, talk$times, link = 147L), "holds no IP packets")
  refused(write_pcap(talk$frames, talk$times, link = 65000L), "network type 65000 unknown")
  refused(write_pcap(talk$frames[1:3], talk$times[1:3]), "no payload over TCP or UDP")
})

test_that("VLAN tags and IPv6 give the same messages, and the ledger closes", {
  talk <- conversation_of(3)
  tagged <- lapply(talk$frames, function(f) c(f[1:12], be16(0x8100), be16(5), f[-(1:12)]))
  six <- lapply(talk$frames, function(f) {
    tcp <- f[-(1:34)]
    end <- function(last) c(as.raw(c(0xfd, rep(0, 14))), last)
    from <- end(f[30])
    to <- end(f[34])
    tcp[17:18] <- as.raw(0)
    tcp[17:18] <- be16(internet_checksum(c(from, to, be32(length(tcp)), be32(6), tcp)))
    ethernet(c(as.raw(c(0x60, 0, 0, 0)), be16(length(tcp)), as.raw(c(6, 64)), from, to, tcp),
             as.integer(f[30]), as.integer(f[34]), 0x86dd)
  })
  for (case in list(list(tagged, "10.0.0.2"), list(six, "fd00::2"))) {
    m <- values(analyze_capture(write_pcap(case[[1]], talk$times), case[[2]]))
    expect_equal(m[["messages"]], 3)
    expect_equal(m[["device_mss_bytes"]], 1440)
    expect_equal(sum(m[startsWith(names(m), "ledger_")]), m[["captured_bytes"]])
  }
})

test_that("packets cut when captured are an error, and a warning if they are kept", {
  file <- tempfile(fileext = ".pcapng")
  run_program("editcap", c("-s", "96", recorded("mqtt_qos0_pub1"), file))
  refused(file, "was cut to 96 bytes, the snapshot length .*-s 0", recorded_device)
  expect_message(analyze_capture(file, recorded_device, strict = FALSE),
                 "was cut to 96 bytes, the snapshot length")
})

test_that("a capture of one direction only says that its losses are its own", {
  talk <- conversation_of(3)
  from <- vapply(talk$frames, function(f) f[30] == as.raw(2), NA)
  file <- write_pcap(talk$frames[from], talk$times[from])
  expect_message(rows <- analyze_capture(file, "10.0.0.2"), "holds no packet to 10.0.0.2")
  expect_equal(values(rows)[["messages"]], 3)
})

test_that("what tshark decompresses is measured as it is", {
  sound <- analyze_capture(recorded("mqtt_qos0_pub1"), recorded_device)
  for (tool in c("gzip", "zstd", "lz4")) {
    if (!nzchar(Sys.which(tool))) next
    file <- tempfile(fileext = ".pcapng.z")
    run_program(tool, c("-qc", recorded("mqtt_qos0_pub1")), stdout = file)
    expect_equal(analyze_capture(file, recorded_device), sound, info = tool)
  }
})

test_that("requests that nobody answers have no loss per answer, but all are lost", {
  frames <- lapply(1:3, function(i) {
    udp(coap_message(0, 1, i, as.raw(i), "t"), "10.0.0.1", "10.0.0.2", 4000, 5683)
  })
  m <- values(suppressMessages(analyze_capture(write_pcap(frames, c(1, 5, 9)), "10.0.0.2")))
  expect_equal(m[["messages"]], 3)
  expect_false("device_loss_pct" %in% names(m))
  expect_equal(m[["network_loss_pct"]], 100)
})

test_that("a capture repeated k times has k times the messages, bytes and losses", {
  file <- recorded("mqtt_qos1_pub10")
  big <- tempfile(fileext = ".pcapng")
  k <- repeat_capture(file, recorded_device, 700e3, big)
  one <- values(analyze_capture(file, recorded_device))
  all <- values(analyze_capture(big, recorded_device, part = 2500L, margin = 500L))
  sums <- c("messages", "frames_with_messages", "retransmissions", "conversations",
            "captured_frames", names(one)[endsWith(names(one), "_bytes") &
                                            startsWith(names(one), "ledger_")])
  expect_equal(k, 3)
  expect_equal(all[sums], k * one[sums])
  same <- c("device_loss_pct", "device_ack_rtt_mean_ms", "request_ack_mean_ms",
            "conversation_mean_ms", "bytes_per_message", "throughput_mean_bytes_per_10ms")
  expect_equal(all[same], one[same])
})
