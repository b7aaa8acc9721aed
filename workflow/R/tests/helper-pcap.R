# Writes small captures for tests: real bytes, real checksums, no other tool involved.

be16 <- function(x) as.raw(c(x %/% 256 %% 256, x %% 256))
be32 <- function(x) c(be16(x %/% 65536), be16(x %% 65536))
le16 <- function(x) rev(be16(x))
le32 <- function(x) rev(be32(x))
text_raw <- function(x) charToRaw(x)
address <- function(ip) as.raw(as.integer(strsplit(ip, ".", fixed = TRUE)[[1]]))

#' Internet checksum, RFC 1071.
internet_checksum <- function(bytes) {
  if (length(bytes) %% 2L) bytes <- c(bytes, as.raw(0))
  value <- as.integer(bytes)
  odd <- seq(1L, length(value), 2L)
  sum <- sum(value[odd] * 256 + value[odd + 1L])
  while (sum > 65535) sum <- sum %% 65536 + sum %/% 65536
  65535 - sum
}

#' Frame check sequence of IEEE 802.15.4, 7.2.10.
crc16 <- function(bytes) {
  crc <- 0L
  for (byte in as.integer(bytes)) {
    crc <- bitwXor(crc, byte)
    for (bit in 1:8) {
      crc <- bitwXor(bitwShiftR(crc, 1L), if (crc %% 2L) 0x8408L else 0L)
    }
  }
  crc
}

ethernet <- function(payload, src = 1L, dst = 2L, type = 0x0800) {
  mac <- function(n) c(as.raw(c(0x02, 0, 0, 0, 0)), as.raw(n))
  c(mac(dst), mac(src), be16(type), payload)
}

ipv4 <- function(payload, src, dst, protocol) {
  header <- c(as.raw(c(0x45, 0)), be16(20 + length(payload)), be16(1), be16(0x4000),
              as.raw(c(64, protocol)), be16(0), address(src), address(dst))
  header[11:12] <- be16(internet_checksum(header))
  c(header, payload)
}

#' Sixteen bytes of an IPv6 address that ends in these.
address6 <- function(first, last) as.raw(c(first, rep(0, 15L - length(first)), last))

ipv6 <- function(payload, src, dst, next_header) {
  c(as.raw(c(0x60, 0, 0, 0)), be16(length(payload)), as.raw(c(next_header, 64)), src, dst, payload)
}

#' The same IPv4 packet in pieces of `size` bytes, a multiple of eight.
fragments4 <- function(frame, size) {
  packet <- frame[-(1:14)]
  body <- packet[-(1:20)]
  lapply(seq(0, length(body) - 1, size), function(at) {
    piece <- body[seq(at + 1, min(at + size, length(body)))]
    header <- packet[1:20]
    header[3:4] <- be16(20 + length(piece))
    header[5:6] <- be16(777)
    header[7:8] <- be16(at / 8 + (at + size < length(body)) * 0x2000)
    header[11:12] <- as.raw(0)
    header[11:12] <- be16(internet_checksum(header))
    c(frame[1:14], header, piece)
  })
}

pseudo <- function(src, dst, protocol, length) {
  c(address(src), address(dst), as.raw(c(0, protocol)), be16(length))
}

udp <- function(payload, src, dst, sport, dport) {
  datagram <- c(be16(sport), be16(dport), be16(8 + length(payload)), be16(0), payload)
  datagram[7:8] <- be16(internet_checksum(c(pseudo(src, dst, 17, length(datagram)), datagram)))
  ethernet(ipv4(datagram, src, dst, 17))
}

tcp <- function(payload, src, dst, sport, dport, seq, ack, flags = 0x18, window = 5744,
                mss = NULL) {
  options <- if (is.null(mss)) raw() else c(as.raw(c(2, 4)), be16(mss))
  offset <- (20 + length(options)) / 4
  segment <- c(be16(sport), be16(dport), be32(seq), be32(ack), as.raw(c(offset * 16, flags)),
               be16(window), be16(0), be16(0), options, payload)
  segment[17:18] <- be16(internet_checksum(c(pseudo(src, dst, 6, length(segment)), segment)))
  ethernet(ipv4(segment, src, dst, 6))
}

#' A TCP frame over IPv4 without its checksum, as a host's stack passes it to a card that fills it
#' in: the sum over the pseudo header, with or without the length, or 0.
unfinished <- function(frame, how = "length") {
  segment <- frame[-(1:34)]
  to <- function(at) paste(as.integer(frame[at]), collapse = ".")
  sum <- 65535 - internet_checksum(pseudo(to(27:30), to(31:34), 6,
                                          if (how == "length") length(segment) else 0))
  frame[51:52] <- be16(if (how == "zero") 0 else sum)
  frame
}

#' Write frames as classic pcap with nanoseconds.
#'
#' @param frames list of raw vectors. @param times seconds of each.
write_pcap <- function(frames, times, file = tempfile(fileext = ".pcap"), link = 1L) {
  out <- file(file, "wb")
  on.exit(close(out))
  writeBin(c(as.raw(c(0x4d, 0x3c, 0xb2, 0xa1)), le16(2), le16(4), le32(0), le32(0), le32(262144),
             le32(link)), out)
  for (i in seq_along(frames)) {
    n <- length(frames[[i]])
    whole <- floor(times[i])
    below <- round((times[i] - whole) * 1e9)
    writeBin(c(le32(whole + below %/% 1e9), le32(below %% 1e9), le32(n), le32(n), frames[[i]]), out)
  }
  file
}

#' A TCP conversation: `say(from, payload)` appends a segment and, by default, its acknowledgement
#' after `delay` seconds.
tcp_conversation <- function(client = "10.0.0.2", server = "10.0.0.1", cport = 50000,
                             sport = 1883, start = 1000, delay = 0.01) {
  self <- new.env()
  self$frames <- list()
  self$times <- numeric()
  self$now <- start
  self$seq <- c(client = 4294967000, server = 70000)
  self$add <- function(from, payload, flags, mss = NULL) {
    to <- setdiff(c("client", "server"), from)
    ip <- c(client = client, server = server)
    port <- c(client = cport, server = sport)
    ack <- if (flags == 2) 0 else self$seq[[to]]
    frame <- tcp(payload, ip[[from]], ip[[to]], port[[from]], port[[to]], self$seq[[from]], ack,
                 flags, mss = mss)
    self$frames <- c(self$frames, list(frame))
    self$times <- c(self$times, self$now)
    taken <- length(payload) + (flags %% 4 > 0)
    self$seq[[from]] <- (self$seq[[from]] + taken) %% 2^32
    self$now <- self$now + delay
  }
  self$open <- function() {
    self$add("client", raw(), 0x02, mss = 1440)
    self$add("server", raw(), 0x12, mss = 1460)
    self$add("client", raw(), 0x10)
  }
  self$say <- function(from, payload, ack = TRUE) {
    self$add(from, payload, 0x18)
    if (ack) self$add(setdiff(c("client", "server"), from), raw(), 0x10)
  }
  self$close <- function() {
    self$add("client", raw(), 0x11)
    self$add("server", raw(), 0x11)
    self$add("client", raw(), 0x10)
  }
  self
}

mqtt_length <- function(n) {
  out <- raw()
  repeat {
    digit <- n %% 128
    n <- n %/% 128
    out <- c(out, as.raw(digit + if (n > 0) 128 else 0))
    if (n == 0) return(out)
  }
}
mqtt_packet <- function(first, body) c(as.raw(first), mqtt_length(length(body)), body)
mqtt_string <- function(x) c(be16(nchar(x)), text_raw(x))
mqtt_connect <- function(id = "b1") {
  mqtt_packet(0x10, c(mqtt_string("MQTT"), as.raw(c(4, 2)), be16(60), mqtt_string(id)))
}
mqtt_connack <- function() mqtt_packet(0x20, as.raw(c(0, 0)))
mqtt_publish <- function(topic, payload, qos = 0, id = 1, dup = FALSE) {
  mqtt_packet(0x30 + 2 * qos + 8 * dup,
              c(mqtt_string(topic), if (qos > 0) be16(id), text_raw(payload)))
}
mqtt_puback <- function(id) mqtt_packet(0x40, be16(id))
mqtt_subscribe <- function(topics, id = 1) {
  filters <- unlist(lapply(topics, function(t) c(mqtt_string(t), as.raw(0))))
  mqtt_packet(0x82, c(be16(id), filters))
}
amqp_frame <- function(type, body) c(as.raw(type), be16(1), be32(length(body)), body, as.raw(0xce))
amqp_publish <- function(payload) {
  c(amqp_frame(1, c(be16(60), be16(40), be16(0), as.raw(c(0, 1)), text_raw("q"), as.raw(0))),
    amqp_frame(2, c(be16(60), be16(0), be32(0), be32(nchar(payload)), be16(0))),
    amqp_frame(3, text_raw(payload)))
}
#' Basic.Ack; the tag has 64 bits, of which these are the upper and the lower half.
amqp_ack <- function(lower, upper = 0, multiple = FALSE) {
  amqp_frame(1, c(be16(60), be16(80), be32(upper), be32(lower), as.raw(multiple)))
}
coap_message <- function(type, code, id, token = raw(), path = NULL, payload = "") {
  option <- if (is.null(path)) raw() else c(as.raw(0xb0 + nchar(path)), text_raw(path))
  body <- if (nzchar(payload)) c(as.raw(0xff), text_raw(payload)) else raw()
  c(as.raw(0x40 + type * 16 + length(token)), as.raw(code), be16(id), token, option, body)
}
