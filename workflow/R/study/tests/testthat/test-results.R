# Are tables read as they were written, and distinguished?

refused <- function(expression, pattern) {
  expect_error(expression, pattern, class = "thinwire_input_error")
}

test_that("tables survive writing and reading, and are distinguished by their columns", {
  metrics <- data.table::data.table(study = "s", trial = c("t2", "t1", "t2"),
                                    metric = c("m", "outcome_ok", "outcome_ok"),
                                    value = c(1 / 3, 1, 0),
                                    unit = "", n = 1)
  factors <- data.table::data.table(study = "s", trial = "t1", factor = "qos", value = "1")
  file <- function(table, name) {
    out <- file.path(tempdir(), "tables", name)
    write_table(table, out)
    out
  }
  one <- file(metrics, "m.csv")
  two <- file(factors, "f.csv.gz")
  expect_equal(read_table(one)$value, c(0.3333333333, 1, 0))
  expect_equal(read_factors(two)$value, "1")
  results <- read_results(c(two, one))
  expect_equal(results$metrics$trial, "t1") # the other trial failed
  expect_equal(results$factors$value, "1")
  expect_equal(results$outcomes[order(trial)]$ok, c(TRUE, FALSE))
  refused(read_table(file.path(tempdir(), "none.csv")), "no such file")
  refused(read_table(one, "factor"), "has no column 'factor'")
  refused(read_results(file(data.table::data.table(a = 1), "a.csv")), "has no column 'study'")
})
