# Where the recorded captures are: a mirror folder, else the copies that the workflow fetched. They
# are not in the repository: a test whose capture is not available is skipped with a message.

recorded <- function(name) {
  top <- Sys.getenv("THINWIRE_TOP")
  mirror <- Sys.getenv("THINWIRE_MIRROR")
  file <- paste0(name, ".pcapng")
  places <- c(if (nzchar(mirror)) file.path(mirror, c("kuleuven2019", "."), file),
              file.path(top, "data", "recordings", file))
  there <- places[file.exists(places)]
  if (length(there)) return(there[1L])
  testthat::skip(paste0("the recorded capture ", file, " is neither in THINWIRE_MIRROR ('", mirror,
                        "') nor in data/recordings; to fetch it: make recordings"))
}

#' Packets of a recorded capture.
dissect_recorded <- function(name) {
  file <- recorded(name)
  dissect(file)
}

recorded_device <- "192.168.0.226"

#' Metrics of a recorded capture as a named vector; each capture is dissected once.
recorded_metrics <- local({
  cache <- new.env()
  function(name, topic = NULL) {
    key <- paste(name, topic)
    if (is.null(cache[[key]])) {
      rows <- capture_metrics(reduce_capture(dissect_recorded(name), recorded_device, topic, name))
      cache[[key]] <- setNames(rows$value, rows$metric)
    }
    cache[[key]]
  }
})

published_folder <- function() file.path(Sys.getenv("THINWIRE_TOP"), "data", "published")

listed_recordings <- function() {
  read_recordings(file.path(published_folder(), "..", "recordings.yaml"))
}

#' Metrics of two recorded captures, as the study `recordings` has them.
recording_rows <- function() {
  recordings <- listed_recordings()
  data.table::rbindlist(lapply(c("mqtt_qos2_pub1", "coap_1clients"), function(name) {
    a <- recordings[trial == name]
    recording_metrics(dissect_recorded(name), a$device, a$topic, name)
  }))
}
