# How long a frame occupies the channel (IEEE 802.11-2016), and the radio's current meanwhile.

#' Modulations by tshark's wlan_radio.phy: 802.11b, 802.11g (and a), 802.11n.
radio_modulations <- c(`4` = "dsss", `5` = "ofdm", `6` = "ofdm", `7` = "ht")

#' Duration of a frame on the air, microseconds.
#'
#' DSSS and CCK (15.2, 16.2): preamble and header 192 us, 96 us when short, then the bytes at the
#' rate, rounded up. ERP-OFDM (17.4.3, 18.4): 20 us, symbols of 4 us that hold 22 bits of service
#' and tail besides the bytes, signal extension 6 us. HT-mixed format, one stream, 20 MHz, long
#' guard interval (19.4.3): 36 us, the same symbols, the same extension.
#'
#' @param modulation "dsss", "ofdm" or "ht". @param rate data rate, Mb/s.
#' @param bytes of the PSDU: MAC header, body and frame check sequence.
#' @param short DSSS only: short preamble, which 1 Mb/s does not have.
ppdu_airtime_us <- function(modulation, rate, bytes, short = FALSE) {
  symbols <- ceiling((16 + 8 * bytes + 6) / (4 * rate))
  dsss <- data.table::fifelse(short & rate > 1, 96, 192) + ceiling(8 * bytes / rate)
  data.table::fcase(modulation == "dsss", dsss, modulation == "ofdm", 20 + 4 * symbols + 6,
                    modulation == "ht", 36 + 4 * symbols + 6)
}

#' Bytes of an A-MPDU (9.7.1): before each frame a delimiter of 4 bytes, behind it padding to 4.
ampdu_bytes <- function(bytes) sum(4 + 4 * ceiling(bytes / 4))

#' Currents of an ESP8266EX, mA: transmitting and receiving by modulation, and idle.
#'
#' Source: Espressif, ESP8266EX Datasheet, version 7.0: table 5-2 (section 5.2; 3.0 V, 25 degrees
#' Celsius; CCK 11 Mb/s at 17 dBm, OFDM 54 Mb/s at 15 dBm, MCS 7 at 13 dBm, packets of 1024 bytes)
#' and table 3-4 (modem-sleep with the CPU at work and light-sleep, both waking 3 ms in 300 for a
#' beacon; deep-sleep). A radio that listens draws what a radio that receives does.
esp8266_currents_ma <- list(
  transmit = c(dsss = 170, ofdm = 140, ht = 120), receive = c(dsss = 50, ofdm = 56, ht = 56),
  listen = 56, modem_sleep = 15, light_sleep = 0.9, deep_sleep = 0.02
)

#' The largest published currents, mA, in the same form; those of the datasheet above are the
#' smallest; that of deep-sleep is the same in both. Transmitting: other editions of the datasheet
#' (1 Mb/s, 54 Mb/s, MCS 7). A radio that is awake, modem-sleep, light-sleep: T. von Eicken's
#' measurements of 2018.
esp8266_greatest_ma <- list(
  transmit = c(dsss = 215, ofdm = 145, ht = 135), receive = c(dsss = 70, ofdm = 70, ht = 70),
  listen = 70, modem_sleep = 16, light_sleep = 1.5, deep_sleep = 0.02
)

#' Mean current of a radio that sleeps between beacons, or is off in deep sleep, mA.
#'
#' @param whole,awake,sending,off s: in all, awake, of that transmitting, and in deep sleep.
#' @param modulation "dsss", "ofdm" or "ht". @param currents mA, as [esp8266_currents_ma].
mean_current_ma <- function(whole, awake, sending, modulation, currents, off = 0) {
  (sending * currents$transmit[[modulation]] + (awake - sending) * currents$listen +
     (whole - awake - off) * currents$modem_sleep + off * currents$deep_sleep) / whole
}

#' Charge, microcoulombs: 1 mA for 1000 us is 1 uC.
#'
#' @param microseconds duration. @param milliamperes current.
charge_uc <- function(microseconds, milliamperes) microseconds * milliamperes / 1000
