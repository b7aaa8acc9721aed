# Does measuring a capture in parts give the same result as measuring it as a whole?

test_that("parts give the metrics of the whole, to the last message and byte", {
  for (name in c("mqtt_qos0_pub1", "mqtt_qos0_pub10", "mqtt_qos1_pub10", "mqtt_qos2_pub1",
                 "coap_1clients", "http_1client")) {
    whole <- analyze_capture(recorded(name), recorded_device)
    parts <- analyze_capture(recorded(name), recorded_device, part = 211, margin = 150)
    expect_equal(parts$metric, whole$metric, info = name)
    expect_equal(parts$value, whole$value, info = name, tolerance = 1e-9)
    expect_equal(parts$n, whole$n, info = name)
  }
})

test_that("slabs and the pieces cut from them hold the frames asked for", {
  old <- slab_frames
  environment(new_cutter)$slab_frames <- 100
  on.exit(environment(new_cutter)$slab_frames <- old)
  file <- recorded("mqtt_qos0_pub1")
  cutter <- new_cutter(file, 476)
  epochs <- dissect(file)$epoch
  for (range in list(c(1, 60), c(41, 110), c(91, 160), c(400, 476))) {
    piece <- cutter$cut(range[1], range[2])
    expect_equal(dissect(piece)$epoch, epochs[range[1]:range[2]])
  }
  cutter$clean()
  expect_true(file.exists(file))
})

test_that("protocols on ports of their own are recognised, or named by --ports", {
  talk <- tcp_conversation(sport = 2000)
  talk$open()
  talk$say("client", mqtt_connect())
  talk$say("server", mqtt_connack())
  for (i in 1:3) talk$say("client", mqtt_publish("t", "hello"))
  file <- write_pcap(talk$frames, talk$times)
  value <- function(rows, name) rows$value[rows$metric == name]
  expect_equal(value(analyze_capture(file, "10.0.0.2"), "messages"), 3)
  expect_equal(value(analyze_capture(file, "10.0.0.2", ports = c(mqtt = 2000L)), "messages"), 3)
  frames <- lapply(1:5, function(i) {
    udp(coap_message(0, 2, i, as.raw(i), "t", "21"), "10.0.0.2", "10.0.0.1", 4000, 7777)
  })
  expect_equal(value(analyze_capture(write_pcap(frames, 1:5), "10.0.0.2"), "messages"), 5)
})

test_that("other link types give the same messages", {
  talk <- tcp_conversation()
  talk$open()
  for (i in 1:3) talk$say("client", mqtt_publish("t", "hello"))
  packet <- function(f) f[-(1:14)]
  cooked <- function(f) c(be16(4), be16(1), be16(6), as.raw(c(2, 0, 0, 0, 0, 1, 0, 0)), be16(0x800))
  null <- function(f) as.raw(c(2, 0, 0, 0))
  radiotap <- function(f) {
    c(as.raw(c(0, 0, 8, 0, 0, 0, 0, 0)), as.raw(c(8, 1, 0, 0)), f[1:6], f[7:12], f[1:6],
      be16(0), as.raw(c(0xaa, 0xaa, 3, 0, 0, 0)), be16(0x800))
  }
  heads <- list(list(cooked, 113), list(null, 0), list(radiotap, 127),
                list(function(f) raw(), 101))
  for (head in heads) {
    frames <- lapply(talk$frames, function(f) c(head[[1]](f), packet(f)))
    rows <- analyze_capture(write_pcap(frames, talk$times, link = head[[2]]), "10.0.0.2")
    m <- setNames(rows$value, rows$metric)
    expect_equal(m[["messages"]], 3, info = head[[2]])
    expect_equal(sum(m[startsWith(names(m), "ledger_")]), m[["captured_bytes"]], info = head[[2]])
  }
})

test_that("a topic or device that is not there is an error that names those that are", {
  file <- recorded("mqtt_qos0_pub1")
  expect_error(analyze_capture(file, recorded_device, "/nope"),
               "no message on topic '/nope'.*/control", class = "thinwire_input_error")
  expect_error(analyze_capture(file, "192.0.2.1"), "no packet to or from 192.0.2.1.*192.168.0.219",
               class = "thinwire_input_error")
  sensors <- analyze_capture(file, recorded_device, "/sensors")
  expect_equal(sensors$value[sensors$metric == "messages"], 13)
  text <- tempfile()
  writeLines("no capture", text)
  expect_error(analyze_capture(text, recorded_device), class = "thinwire_input_error")
})

test_that("a compressed capture is read as it is", {
  file <- tempfile(fileext = ".pcapng.gz")
  run_program("gzip", c("-nc", recorded("coap_1clients")), stdout = file)
  expect_equal(analyze_capture(file, recorded_device)$value,
               analyze_capture(recorded("coap_1clients"), recorded_device)$value)
})

test_that("damage is an error with the frame's number, never another number", {
  bytes <- readBin(recorded("mqtt_qos0_pub10"), "raw", 1e6)
  good <- analyze_capture(recorded("mqtt_qos0_pub10"), recorded_device)
  damage <- function(change) {
    file <- tempfile(fileext = ".pcapng")
    writeBin(change(bytes), file)
    tryCatch(analyze_capture(file, recorded_device), thinwire_input_error = function(e) e)
  }
  cut <- damage(function(b) b[seq_len(50001)])
  expect_s3_class(cut, "thinwire_input_error")
  expect_match(conditionMessage(cut), "cut short")
  where <- grepRaw("/control", bytes)
  flipped <- damage(function(b) {
    b[where] <- xor(b[where], as.raw(1))
    b
  })
  expect_match(conditionMessage(flipped), "frame [0-9]+: has a wrong TCP checksum")
  first_packet <- 281 # after the section and interface blocks of 208 and 72 bytes
  expect_equal(bytes[first_packet], as.raw(6))
  skipped <- damage(function(b) {
    b[first_packet] <- as.raw(0x46)
    b
  })
  expect_match(conditionMessage(skipped), "block [0-9]+: has an unknown type, which is skipped")
  expect_equal(good$value[good$metric == "messages"], 1010)
})
