# Does the report of the league tell clients, servers and cases apart?

trial <- function(name, ...) {
  values <- c(protocol = "mqtt", peer = "default", messages = "40", outcome = "ok", ...)
  values <- values[!duplicated(names(values), fromLast = TRUE)]
  data.table::data.table(study = "league", trial = name, factor = names(values),
                         value = unname(values))
}
file <- tempfile(fileext = ".yaml")
writeLines(c("cases:", "  undisturbed: {}", "  server-away: {restart_spans_s: [[[10, 15]]]}",
             "  both-away: {restart_spans_s: [[[10, 15]]], outage_spans_s: [[[10, 15]]]}"), file)
cases <- league_cases(file)
factors <- rbind(
  trial("a", client = "one"),
  trial("b", client = "one", restart_spans_s = "10,15"),
  trial("c", client = "one", restart_spans_s = "10,15", outage_spans_s = "10,15"),
  trial("d", client = "one", peer = "program", server_program = "mochi"),
  trial("e", client = "two", protocol = "coap", peer = "libcoap")
)
metrics <- data.table::CJ(study = "league", trial = letters[1:5],
                          metric = c("delivered", "captured_bytes"))
metrics[, value := ifelse(metric == "delivered", 30, 3000)]
metrics <- rbind(metrics, data.table::data.table(study = "league", trial = "b",
                                                 metric = "back_after_outage_s", value = 1.5))

test_that("a trial has the case with the most factors, and the name of its server", {
  x <- summarise_league(metrics, factors, cases)
  expect_equal(x$trial, c("d", "a", "b", "c", "e"))
  expect_equal(as.character(x$case), c("undisturbed", "undisturbed", "server-away", "both-away",
                                       "undisturbed"))
  expect_equal(x$server, c("mochi", "mosquitto", "mosquitto", "mosquitto", "libcoap"))
  expect_equal(x$back_after_outage_s, c(NA, NA, 1.5, NA, NA))
})

test_that("a factor that the table does not show is refused", {
  more <- rbind(factors, trial("f", client = "one", mss = "536"))
  expect_error(summarise_league(metrics, more, cases), "mss")
})

test_that("the table ends with what could not be built", {
  absent <- data.table::data.table(client = "three", server = NA, program = "go")
  lines <- league_table(summarise_league(metrics, factors, cases), absent)
  expect_match(lines[length(lines) - 1L], "three &  & not built: no go", fixed = TRUE)
  expect_match(grep("both away", lines, value = TRUE), "30 &", fixed = TRUE)
})

test_that("the figure draws the share of what the client was to send", {
  drawn <- figure_league(summarise_league(metrics, factors, cases))$plot$data
  expect_equal(unique(drawn[quantity == "delivered, %", value]), 75)
  expect_equal(unique(drawn[quantity == "bytes for a delivered message", value]), 100)
  expect_equal(drawn[quantity == "back, s", as.character(case)], "server away")
})

test_that("a cell of the page links to its bundle and its capture", {
  x <- summarise_league(metrics, factors, cases)
  html <- league_cell(x[trial == "b"], path_from("results/report", "data/raw/league"))
  expect_match(html, "30 of 40, 3,000 bytes, 1.50 s", fixed = TRUE)
  expect_match(html, 'href="../../data/raw/league/b/wire.pcapng.gz"', fixed = TRUE)
})
