# What an engine takes of the device, as a table of the paper.

#' Flash and RAM of each engine as a LaTeX table, images last.
#'
#' @param sizes see [firmware_metrics()].
firmware_table <- function(sizes) {
  names <- c(mqtt = "MQTT", mqttsn = "MQTT-SN", coap = "CoAP", http = "HTTP",
             websocket = "WebSocket", amqp = "AMQP", tcp = "raw TCP", udp = "raw UDP",
             base = "image without engines", all = "image with all")
  x <- sizes[match(names(names), engine)]
  cells <- cbind(names, latex_number(x$flash_bytes), latex_number(x$ram_bytes))
  latex_table(cells, "lrr", c("", "flash, bytes", "RAM, bytes"), groups = 9L)
}
