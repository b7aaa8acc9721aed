# Does a source's table of claims print their texts as they are?

test_that("a percent sign stays one", {
  claims <- data.table::data.table(
    claim = "a", source = "s", section = "VI", statement = "More than 90 % of the bytes.",
    published = "> 90", ours = "93.88", unit = "% of all", verdict = "reproduced")
  file <- tempfile(fileext = ".csv")
  data.table::fwrite(claims, file)
  script <- file.path(Sys.getenv("THINWIRE_TOP"), "tools", "study_table.R")
  rows <- run_program("Rscript", c(script, "--claims", file, "--source", "s"), stdout = TRUE)
  expect_equal(rows[2L], "VI,More than 90 % of the bytes.,> 90,93.88 % of all,reproduced")
})
