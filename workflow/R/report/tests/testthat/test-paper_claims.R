# Do the paper's counts take the full run's verdicts, and leave out what is counted apart?

table_of_claims <- function() {
  data.table::data.table(
    claim = letters[1:5], source = c("ufes2018", "ufes2018", "ufrn2018", "ufes2018", "tasmota2024"),
    section = "1", kind = claim_kinds[1L], statement = "S.", published = "", ours = "2",
    unit = "ms", n = "5", low = "1", high = "3", rule = "m: a > b", reason = "",
    verdict = c("reproduced", "contradicted", "not reproduced", "reproduced", "reproduced"),
    counted = c("once", "once", "once", "trivial", "once"),
    full = c("contradicted", "contradicted", "", "", ""),
    full_commit = c("0123456789", "0123456789", "", "", ""),
    counts_as = c("contradicted", "contradicted", "not reproduced", "reproduced", "reproduced"))
}

number_of <- function(lines, name) {
  pattern <- paste0("^\\\\newcommand\\{\\\\", name, "\\}\\{(.*)\\}$")
  found <- regmatches(lines, regexec(pattern, lines))
  vapply(Filter(length, found), `[`, "", 2L)
}

test_that("a verdict counts as in the full run, and a trivial claim by itself", {
  lines <- claim_numbers(table_of_claims())
  expect_equal(number_of(lines, "twRepetitionContradicted"), "2")
  expect_equal(number_of(lines, "twRepetitionReproduced"), "1")
  expect_equal(number_of(lines, "twRepetitionClaims"), "4")
  expect_equal(number_of(lines, "twTrivialReproduced"), "1")
  expect_equal(number_of(lines, "twStudyClaims"), "3") # Tasmota's is no study
})

test_that("the paper says how many verdicts are the full run's, and how many differ here", {
  lines <- claim_numbers(table_of_claims())
  expect_equal(number_of(lines, "twFullVerdicts"), "2")
  expect_equal(number_of(lines, "twFullDiffer"), "1")
  expect_equal(number_of(lines, "twFullCommits"), "01234567")
  none <- claim_numbers(table_of_claims()[, `:=`(full = "", full_commit = "")])
  expect_equal(number_of(none, "twFullVerdicts"), "0")
})

test_that("the table has the full run's verdict where it differs", {
  lines <- claims_table(table_of_claims())
  expect_equal(sum(grepl("full run: contradicted", lines, fixed = TRUE)), 1L)
})
