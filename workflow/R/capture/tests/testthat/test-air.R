# Are airtime and charge those of the standard and the datasheet? The frames are a lab's capture of
# CoAP NON with 10 bytes, and of an A-MPDU that brings a TCP ACK and a PUBACK.

from_digits <- function(hex) {
  as.raw(strtoi(substring(hex, seq(1, nchar(hex), 2), seq(2, nchar(hex), 2)), 16L))
}

coap_frames <- c( # microseconds of the capture: frame
  # ARP, relayed by the access point to all stations, and the device's ACK before it
  "1873769" = "000016000f00000069971c000000000000306c09c000d4000000025457ff0000",
  "1873867" = paste0(
    "000016000f000000cb971c000000000000026c09a00008020000ffffffffffff025457ff",
    "00005ccf7f0000011000aaaa03000000080600010800060400015ccf7f0000010a4d0101",
    "0000000000000a4d0001000000000000000000000000000000000000"
  ),
  # POST, ACK, 2.04, ACK
  "1883050" = paste0(
    "000019000b000800aabb1c000000000000006c09c0007f000788012c00025457ff00005c",
    "cf7f0000010254570000fe20000000aaaa0300000008004500003800000000ff11a6190a",
    "4d01010a4d0001d966163300247eb754021ecf42198ca6b27477046461746110ff62313a",
    "312e2e2e2e2e2e"
  ),
  "1883114" = "000016000f000000eabb1c000000000000306c09c000d40000005ccf7f000001",
  "1885507" = paste0(
    "000019000b00080043c51c000000000000006c09c0007f000788022c005ccf7f00000102",
    "5457ff00000254570000fe10000000aaaa03000000080045000024c49340004011609a0a",
    "4d00010a4d01011633d9660010ade8544429ac42198ca6"
  ),
  "1885571" = "000016000f00000083c51c000000000000306c09c000d4000000025457ff0000",
  # the next POST
  "1947796" = paste0(
    "000019000b00080094b81d000000000000006c09c0007f000788012c00025457ff00005c",
    "cf7f0000010254570000fe30000000aaaa0300000008004500003800010000ff11a6180a",
    "4d01010a4d0001d966163300247eb454021ed042198ca7b27477046461746110ff62313a",
    "322e2e2e2e2e2e"
  )
)
ampdu_frames <- c(
  "1162906" = paste0(
    "000024000b0018009abe11000000000000006c09c0007f00070000000100000004000000",
    "880230005ccf7f000001025457ff00000254570000fe20000000aaaa0300000008004500",
    "0028904a4000400694ea0a4d00010a4d0101075bcd58c06ec54e0000197e5010fae02b69",
    "0000"
  ),
  "1162906" = paste0(
    "000024000b0018009abe11000000000000006c09c0007f0007000000010000000c000000",
    "880230005ccf7f000001025457ff00000254570000fe30000000aaaa0300000008004500",
    "002c904b4000400694e50a4d00010a4d0101075bcd58c06ec54e0000197e5018fae00b5b",
    "000020020000"
  ),
  "1162982" = paste0(
    "000016000f000000e6be11000000000000306c09c00094000000025457ff00005ccf7f00",
    "0001050020000300000000000000"
  )
)
# MQTT QoS 1 with the server behind a second station: PUBLISH and PUBACK, each with its ACK, first
# between device and access point (or server and access point), then on to the other.
relayed_frames <- c(
  "1759193" = paste0(
    "000016000f000000dc671c0000000000006c6c09c00008012c00025457ff00005ccf7f00",
    "00010254570000fe5000aaaa0300000008004500005300030000ff06a6060a4d01010a4d",
    "0001f790075b0000197efc6f3d8d5018166cc9ec00003229000774772f64617461000162",
    "3120312031303031363034202e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e"
  ),
  "1759249" = "000016000f00000014681c000000000000306c09c000d40000005ccf7f000001",
  "1759329" = paste0(
    "000016000f00000064681c0000000000006c6c09c00008022c000254570000fe025457ff",
    "00005ccf7f0000013000aaaa0300000008004500005300030000ff06a6060a4d01010a4d",
    "0001f790075b0000197efc6f3d8d5018166cc9ec00003229000774772f64617461000162",
    "3120312031303031363034202e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e"
  ),
  "1759385" = "000016000f0000009c681c000000000000306c09c000d4000000025457ff0000",
  "1759510" = paste0(
    "000016000f00000019691c0000000000006c6c09c00008012c00025457ff000002545700",
    "00fe5ccf7f0000015000aaaa0300000008004500002cb5f6400040066f3a0a4d00010a4d",
    "0101075bf790fc6f3d8d000019a95018fab50ce2000040020001"
  ),
  "1759562" = "000016000f0000004d691c000000000000306c09c000d40000000254570000fe",
  "1759651" = paste0(
    "000016000f000000a6691c0000000000006c6c09c00008022c005ccf7f000001025457ff",
    "00000254570000fe5000aaaa0300000008004500002cb5f6400040066f3a0a4d00010a4d",
    "0101075bf790fc6f3d8d000019a95018fab50ce2000040020001"
  ),
  "1759703" = "000016000f000000da691c000000000000306c09c000d4000000025457ff0000",
  "1859006" = paste0(
    "000016000f000000c1ed1d0000000000006c6c09c00008012c00025457ff00005ccf7f00",
    "00010254570000fe6000aaaa0300000008004500005300040000ff06a6050a4d01010a4d",
    "0001f790075b000019a9fc6f3d9150181668ccbe00003229000774772f64617461000262",
    "3120322031313031343231202e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e"
  )
)
beacon_frame <- paste0(
  "000016000f000000039001000000000000026c09a00080000000ffffffffffff025457ff",
  "0000025457ff0000000003900100000000006400010400087468696e7769726501088284",
  "8b0c1296182432043048606c0301010504000100002a01002d1a0c0003ff000000000000",
  "000000000000000000000000000000003d16010000000000000000000000000000000000",
  "00000000"
)
device <- "10.77.1.1"
mac <- "5c:cf:7f:00:00:01"
air <- function(frames) {
  file <- write_pcap(lapply(frames, from_digits), as.numeric(names(frames)) / 1e6, link = 127L)
  dissect_air(file)
}

test_that("a frame lasts as long as the standard says", {
  # a 64-byte ping is 100 bytes with its headers (docs/cell.md); the sums are the standard's
  expect_equal(ppdu_airtime_us("dsss", 1, 14), 304)
  expect_equal(ppdu_airtime_us("dsss", 11, 14), 203)
  expect_equal(ppdu_airtime_us("dsss", 11, 14, short = TRUE), 107)
  expect_equal(ppdu_airtime_us("dsss", 1, 14, short = TRUE), 304) # 1 Mb/s has no short preamble
  expect_equal(ppdu_airtime_us("ofdm", 24, 14), 34) # 134 bits in symbols of 96
  expect_equal(ppdu_airtime_us("ht", 65, 94), 54) # 774 bits in symbols of 260
  expect_equal(ppdu_airtime_us("ht", 65, 1500), 230) # 12022 bits: 47 symbols
})

test_that("airtimes agree with tshark's, which leaves out the signal extension of 6 us", {
  p <- air(coap_frames[3:6])
  file <- write_pcap(lapply(coap_frames[3:6], from_digits), 1:4, link = 127L)
  theirs <- as.numeric(readLines(finish_tshark(start_tshark(file, "wlan_radio.duration"))))
  expect_equal(p$airtime_us, theirs + 6)
})

test_that("the frames of a conversation are its data, their acknowledgements, and nothing else", {
  f <- conversation_frames(air(coap_frames), device, mac)
  expect_equal(f$frame, 3:7)
  expect_equal(f$role, c("data", "ack", "data", "ack", "data"))
  expect_equal(f$sent, c(TRUE, FALSE, FALSE, TRUE, TRUE))
  expect_equal(f$bytes, c(94, 14, 74, 14, 94)) # with 4 bytes of check sequence
})

test_that("an exchange costs what its frames and its listening cost, computed by hand", {
  p <- air(coap_frames)
  starts <- exchange_starts(p, device, mac, NULL, "test")
  each <- exchanges(conversation_frames(p, device, mac), starts)
  expect_equal(each$exchange, 1L) # the last one is left out
  expect_equal(each$bytes, 196)
  expect_equal(each$transmit_us, 54 + 34)
  expect_equal(each$receive_us, 34 + 54)
  expect_equal(each$listen_us, 1885507 + 54 - 1883050 - 54 - 34 - 54)
  expect_equal(each$transmit_uc, 54 * 0.120 + 34 * 0.140) # MCS 7 at 120 mA, ACK at 140 mA
  expect_equal(each$receive_uc, 88 * 0.056)
  expect_equal(each$listen_uc, 2369 * 0.056)
  # the greatest published: 135, 145 and 70 mA
  expect_equal(each$most_uc, 54 * 0.135 + 34 * 0.145 + (88 + 2369) * 0.070)
})

test_that("the exchange of a message in several frames begins with the first of them", {
  p <- air(coap_frames)
  p[frame == 7L, fragments := paste(5, 7, sep = list_separator)] # as tshark names them
  starts <- exchange_starts(p, device, mac, NULL, "test")
  expect_equal(as.numeric(starts), p[frame %in% c(3L, 5L), time])
})

test_that("messages with a connection of their own are distinguished, and those that resume one", {
  p <- air(coap_frames)
  starts <- exchange_starts(p, device, mac, NULL, "test")
  own <- function(life) {
    each <- exchanges(conversation_frames(p, device, mac), structure(starts, life = life))
    m <- air_metrics(each, 1)
    m[grepl("^airtime_with.*_us$", metric), setNames(value, metric)]
  }
  whole <- 54 + 34 + 34 + 54
  expect_equal(own(c("own", "own")), c(airtime_with_connection_us = whole))
  expect_equal(own(c("resumed", "own")), c(airtime_with_resumed_connection_us = whole))
  expect_length(own(c("shared", "shared")), 0L)
})

test_that("charge is per message delivered: one of two lost doubles it", {
  p <- air(coap_frames)
  each <- exchanges(conversation_frames(p, device, mac),
                    exchange_starts(p, device, mac, NULL, "test"))
  metric <- function(m, name) m[metric == name, value]
  whole <- metric(air_metrics(each, 1), "charge_per_message_uc")
  expect_equal(whole, 11.24 + 4.928 + 132.664)
  expect_equal(metric(air_metrics(each, 0.5), "charge_per_message_uc"), 2 * whole)
})

test_that("the frames of an A-MPDU share one airtime, and the block ack is the device's", {
  p <- air(ampdu_frames)
  # 4 + 80 and 4 + 84 bytes with delimiters and padding: 1398 bits in 6 symbols
  expect_equal(sum(p$airtime_us[1:2]), 36 + 6 * 4 + 6)
  f <- conversation_frames(p, device, mac)
  expect_equal(f$sent, c(FALSE, FALSE, TRUE))
  expect_equal(f$airtime_us[3], 38) # 32 bytes at 24 Mb/s: 278 bits in 3 symbols
})

test_that("of a server on the air both ways are on the air, but the device's radio has its own", {
  p <- air(relayed_frames)
  f <- conversation_frames(p, device, mac)
  expect_equal(nrow(f), 9L)
  expect_equal(f$sent, c(TRUE, rep(FALSE, 6), TRUE, TRUE))
  expect_equal(f$received, c(FALSE, TRUE, rep(FALSE, 4), TRUE, FALSE, FALSE))
  starts <- exchange_starts(p, device, mac, NULL, "test")
  # not a second time where the access point hands it on
  expect_equal(as.vector(starts), p$time[c(1, 9)])
  expect_equal(attr(starts, "life"), c("shared", "shared"))
  each <- exchanges(f, starts)
  expect_equal(each$frames, 8L)
  long <- f$airtime_us[1] # PUBLISH
  short <- f$airtime_us[7] # PUBACK
  ack <- f$airtime_us[2]
  expect_equal(each$airtime_us, 2 * (long + short) + 4 * ack)
  expect_equal(each$transmit_us, long + ack)
  expect_equal(each$receive_us, ack + short)
  # from its start to the end of PUBACK it listens, to the frames of others, too
  expect_equal(each$listen_us, 1e6 * (p$time[7] - p$time[1]) - long - ack, tolerance = 1e-6)
  expect_equal(each$bytes, sum(f$bytes[1:8]))
})

test_that("a repetition counts as a retry, also where damage hides what it carries", {
  again <- from_digits(coap_frames[[3]])
  again[27] <- as.raw(0x09) # retry bit, frame control of the 802.11 header
  again[60:64] <- as.raw(0xff) # no IP any more
  frames <- c(lapply(coap_frames[3], from_digits), list(again), lapply(coap_frames[4], from_digits))
  file <- write_pcap(frames, c(1, 1.0001, 1.0002), link = 127L)
  f <- conversation_frames(dissect_air(file), device, mac)
  expect_equal(f$role, c("data", "retry", "ack"))
})

test_that("a capture of Ethernet is no capture of the air", {
  file <- write_pcap(list(udp(text_raw("hello"), "10.0.0.1", "10.0.0.2", 1, 2)), 1)
  expect_error(dissect_air(file), "no capture of 802.11", class = "thinwire_input_error")
})

test_that("a frame whose time on the air cannot be known is named", {
  frames <- lapply(coap_frames[1:3], from_digits)
  expect_refused <- function(frames, times, said) {
    expect_error(dissect_air(write_pcap(frames, times, link = 127L)), said,
                 class = "thinwire_input_error")
  }
  expect_refused(frames, c(1, 1.1, 1.05), "frame 3: is older than the frame before it")
  frames[[2]][5:8] <- as.raw(0) # a radiotap header without fields
  expect_refused(frames, 1:3, "frame 2: has no modulation, rate or length")
})

#' The CoAP frames, each after a beacon, as a pcap and as a pcapng file.
among_beacons <- function() {
  frames <- lapply(c(rbind(beacon_frame, coap_frames)), from_digits)
  plain <- write_pcap(frames, seq_along(frames) / 1e3, link = radiotap_link)
  file <- tempfile(fileext = ".pcapng")
  run_program("editcap", c("-F", "pcapng", plain, file))
  list(plain = plain, file = file)
}

test_that("beacons are left out, and nothing else is another", {
  captures <- among_beacons()
  all <- dissect_air(captures$plain)
  few <- dissect_air(captures$file)
  expect_equal(sum(all$subtype == "0x0008"), length(coap_frames))
  expect_equal(nrow(few), length(coap_frames) + 1L) # the first is kept: times count from it
  file <- c("frame", "section", "interface") # pcap has neither sections nor interfaces
  expect_equal(few[-1L, !file, with = FALSE], all[subtype != "0x0008", !file, with = FALSE])
})

test_that("what is no whole capture of the air is left to tshark as it is", {
  file <- among_beacons()$file
  bytes <- readBin(file, "raw", file.size(file))
  ethernet <- bytes
  ethernet[grepRaw(as.raw(c(radiotap_link, 0L, 0L, 0L)), bytes)] <- as.raw(1L)
  for (other in list(head(bytes, -4L), ethernet, head(bytes, 10L), raw())) {
    writeBin(other, file)
    expect_equal(without_beacons(file), file)
  }
})

test_that("harmed blocks are no error of R's", {
  file <- among_beacons()$file
  bytes <- readBin(file, "raw", file.size(file))
  set.seed(1)
  for (i in seq_len(300L)) {
    writeBin(replace(bytes, sample(length(bytes), 5L), as.raw(sample(0:255, 5L))), file)
    expect_true(file.exists(without_beacons(file)))
  }
})
