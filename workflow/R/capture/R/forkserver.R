# tshark takes a quarter of a second to start, most of the time of a short capture's dissection. A
# session that dissects many captures keeps a fork server for each set of tshark's arguments
# (workflow/wireshark/forkserver).

#' What this session has asked tshark for: `asked`, the sets of arguments, and `sockets`, where
#' their fork servers answer (NA: none was started, "": none could be).
fork_servers <- new.env()

#' At most so many fork servers, each of which takes 50 MB: 4, or the option `thinwire.forkservers`.
fork_servers_most <- function() getOption("thinwire.forkservers", 4L)

#' The folder of the programs of fork servers: that of the option `thinwire.forkserver`, which a
#' script that dissects many captures sets. NULL without it, or where they have not been built.
fork_server_folder <- function() {
  folder <- getOption("thinwire.forkserver")
  if (!is.null(folder) && all(file.exists(file.path(folder, c("request", "forkserver.so"))))) folder
}

#' The folder in which the workflow builds these programs.
built_fork_server <- function() {
  file.path(getOption("thinwire.workflow"), "..", "build", "wireshark")
}

#' How the fork server for these arguments is asked. It is started when they occur for the second
#' time.
#'
#' @param command function(capture) of the shell's words for tshark with these arguments.
#' @return the shell's words, which read a capture; NULL where tshark has to be started.
fork_server <- function(command) {
  folder <- fork_server_folder()
  if (is.null(folder)) return(NULL)
  words <- command("/dev/null")
  known <- match(words, fork_servers$asked)
  if (is.na(known)) {
    fork_servers$asked <- c(fork_servers$asked, words)
    fork_servers$sockets <- c(fork_servers$sockets, NA_character_)
    return(NULL)
  }
  if (is.na(fork_servers$sockets[known])) {
    started <- sum(nzchar(fork_servers$sockets), na.rm = TRUE)
    socket <- if (started < fork_servers_most()) start_fork_server(folder, words) else ""
    fork_servers$sockets[known] <- socket
  }
  socket <- fork_servers$sockets[known]
  if (nzchar(socket)) paste(shQuote(c(file.path(folder, "request"), socket)), collapse = " ")
}

#' Start a fork server, which ends with this process.
#'
#' @param folder see [fork_server_folder()]. @param words the shell's words for tshark.
#' @return path of its socket; "" if it could not be started.
start_fork_server <- function(folder, words) {
  socket <- tempfile("tshark")
  start <- shQuote(c(file.path(folder, "request"), "start", socket, Sys.getpid(),
                     file.path(folder, "forkserver.so")))
  command <- paste(c(never_content, start, words, "2>/dev/null"), collapse = " ")
  failed <- system(command) # nolint: undesirable_function_linter.
  if (failed) "" else socket
}
