# Does tshark's fork server give what tshark gives?

top <- Sys.getenv("THINWIRE_TOP")
source_of <- function(name) file.path(top, "workflow", "wireshark", "forkserver", name)

#' The folder of its programs, compiled.
programs <- local({
  folder <- tempfile("programs")
  dir.create(folder)
  flags <- c("-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror")
  library <- file.path(folder, "forkserver.so")
  stopifnot(run_program("cc", c(flags, "-shared", "-fPIC", "-o", library,
                                source_of("forkserver.c"))) == 0L,
            run_program("cc", c(flags, "-o", file.path(folder, "request"),
                                source_of("request.c"))) == 0L)
  folder
})

#' What is evaluated here starts tshark itself.
plainly <- function(code) withr::with_options(list(thinwire.forkserver = NULL), code)

#' Use it from here to the end of the caller.
use_fork_server <- function(frame = parent.frame()) {
  forget <- function() rm(list = ls(fork_servers), envir = fork_servers)
  forget()
  withr::local_options(thinwire.forkserver = programs, .local_envir = frame)
  withr::defer(forget(), frame)
}

capture_of <- function(n) {
  talk <- tcp_conversation()
  talk$open()
  for (i in seq_len(n)) {
    talk$say("client", mqtt_publish("t", strrep("x", i), qos = 1, id = i))
    talk$say("server", mqtt_puback(i))
  }
  talk$close()
  write_pcap(talk$frames, talk$times, withr::local_tempfile(fileext = ".pcap",
                                                            .local_envir = parent.frame()))
}

test_that("copies dissect several captures as tshark does", {
  captures <- c(capture_of(3), capture_of(9), capture_of(1), secured_capture("mqtt_tls13"))
  expected <- plainly(lapply(captures, dissect))
  use_fork_server()
  expect_equal(lapply(captures, dissect), expected)
  expect_true(any(nzchar(stats::na.omit(fork_servers$sockets))))
})

test_that("two copies work at once", {
  captures <- c(capture_of(2), capture_of(5))
  expected <- plainly(lapply(captures, dissect))
  use_fork_server()
  lapply(captures, dissect)
  jobs <- lapply(captures, start_dissection)
  expect_equal(lapply(jobs, finish_dissection), expected)
})

test_that("a file that is no capture gets tshark's own error", {
  file <- withr::local_tempfile(lines = "no capture at all, but some text")
  use_fork_server()
  for (i in 1:3) dissect(capture_of(1))
  expect_error(dissect(file), "not a capture file that tshark understands",
               class = "thinwire_input_error")
})

test_that("without its server a capture is dissected all the same", {
  capture <- capture_of(2)
  expected <- plainly(dissect(capture))
  use_fork_server()
  for (i in 1:2) dissect(capture)
  unlink(fork_servers$sockets)
  expect_equal(dissect(capture), expected)
})

test_that("a server ends with the process that keeps it", {
  keeper <- pipe("exec sleep 60 & echo $!; wait", "r") # nolint: undesirable_function_linter.
  process <- readLines(keeper, 1L)
  socket <- tempfile("s")
  request <- file.path(programs, "request")
  dissector <- file.path(top, "workflow", "wireshark", "dissect")
  expect_equal(run_program(request, c("start", socket, process,
                                      file.path(programs, "forkserver.so"), dissector,
                                      "/dev/null")), 0L)
  ask <- function() {
    run_program(request, socket, stdin = capture_of(1), stdout = FALSE, stderr = FALSE)
  }
  expect_equal(ask(), 0L)
  tools::pskill(as.integer(process))
  close(keeper)
  for (i in 1:100) if (ask() == 75L) break else Sys.sleep(0.05)
  expect_equal(ask(), 75L)
})
