# Are two claims tables compared claim by claim, and counted by source?

write_claims <- function(...) {
  file <- tempfile(fileext = ".csv")
  data.table::fwrite(data.table::data.table(source = "ufes2018", reason = "", ...), file)
  read_claims_table(file)
}

before <- write_claims(claim = c("a", "b", "c"),
                       verdict = c("contradicted", "reproduced", "reproduced"))
after <- write_claims(claim = c("a", "b", "d"), counted = c("once", "trivial", "once"),
                      verdict = c("outside what the lab can decide", "reproduced",
                                  "not testable"))

test_that("claims are counted by source, those that count apart by themselves", {
  counts <- verdict_counts(before, after)
  expect_equal(counts$verdict, c("reproduced", "contradicted", "outside what the lab can decide",
                                 "trivial"))
  expect_equal(counts$before, c(1L, 1L, 0L, 0L))
  expect_equal(counts$after, c(0L, 0L, 1L, 1L))
})

test_that("a change is of a claim that both tables have", {
  changes <- verdict_changes(before, after)
  expect_equal(changes$claim, "a")
  expect_equal(changes[, c(before, after)], c("contradicted", "outside what the lab can decide"))
})
