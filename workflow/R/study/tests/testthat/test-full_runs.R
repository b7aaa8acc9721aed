# Is the full run's verdict beside this build's, and the one that counts?

#' A folder in the form of data/full with one recorded verdict.
recorded <- function(rule = "m: a > b", verdict = "contradicted") {
  folder <- tempfile()
  dir.create(folder)
  writeLines(c("claim,study,rule,verdict,reason,ours,n,low,high",
               sprintf("x,s,\"%s\",%s,,2,5,1,3", rule, verdict)), file.path(folder, "claims.csv"))
  writeLines(c("study,profile,commit,date,trials,digest", "s,full,0123456,2020-01-01,5,ab"),
             file.path(folder, "studies.csv"))
  folder
}

built <- data.table::data.table(claim = c("x", "y"), rule = "m: a > b",
                                verdict = c("reproduced", "not reproduced"))

test_that("the full run's verdict counts where there is one", {
  found <- add_full(data.table::copy(built), full_claims(recorded()))
  expect_equal(found$full, c("contradicted", ""))
  expect_equal(found$full_ours, c("2", ""))
  expect_equal(found$full_commit, c("0123456", ""))
  expect_equal(found$counts_as, c("contradicted", "not reproduced"))
})

test_that("a verdict by another rule is not shown", {
  found <- add_full(data.table::copy(built), full_claims(recorded("m: a > b, older")))
  expect_equal(found$full, c("", ""))
  expect_equal(found$counts_as, built$verdict)
})

test_that("a cell's full verdict is shown, though its value is in another class of times", {
  cell <- data.table::copy(built)[, rule := "m within the lab's error, a factor of 3.8"]
  found <- add_full(cell, full_claims(recorded("m within the lab's error, a factor of 2")))
  expect_equal(found$full, c("contradicted", ""))
})

test_that("a cell's full verdict is shown where one of the two values has no class", {
  cell <- data.table::copy(built)[, rule := "m within the lab's error, a factor of 3.8"]
  expect_equal(add_full(cell, full_claims(recorded("m ")))$full, c("contradicted", ""))
  cell <- data.table::copy(built)[, rule := "m "]
  expect_equal(add_full(cell, full_claims(recorded("m ")))$full, c("contradicted", ""))
})

test_that("the full verdict of a claim without results in this build is shown", {
  row <- data.table::copy(built)[, verdict := c("not testable", "reproduced")]
  found <- add_full(data.table::copy(row), full_claims(recorded("m: a > b; counts from 10 ms on")))
  expect_equal(found$full, c("contradicted", ""))
  found <- add_full(data.table::copy(row), full_claims(recorded("m: a < b; counts from 10 ms on")))
  expect_equal(found$full, c("", ""))
})

test_that("without a full run each verdict is this build's", {
  found <- add_full(data.table::copy(built), full_claims(tempfile()))
  expect_equal(found$full, c("", ""))
  expect_equal(found$counts_as, built$verdict)
})
