# Does the page name the sources of claims as the bibliography has them?

bibliography <- file.path(getOption("thinwire.workflow"), "..", "paper", "references.bib")

test_that("a source has authors, year and title, and a web page without a date says so", {
  found <- page_sources(bibliography, c("akintade2019", "voltsandbits", "nowhere"))
  expect_equal(names(found), c("akintade2019", "voltsandbits"))
  expect_match(found$akintade2019$text, "^Akintade et al[.], 2019: development of power",
               ignore.case = TRUE)
  expect_equal(found$akintade2019$url, "https://doi.org/10.4236/ait.2019.91001")
  expect_match(found$voltsandbits$text, "^Volts and Bits, no date: speeding up ESPHome",
               ignore.case = TRUE)
})

test_that("every source of claims is in the bibliography", {
  names <- names(published_sources)
  expect_equal(names(page_sources(bibliography, names)), names)
})

test_that("a part of the page has no link to a file, which a copied page lacks", {
  file <- withr::local_tempfile(fileext = ".md")
  writeLines(c("# Title", "", "In [0, 1) as [described", "there](../there.md) and [here](here.md).",
               "", "| a |", "|---|", "| 1 |"), file)
  text <- measured_text(file)
  expect_match(text, "In [0, 1) as described\nthere and here.", fixed = TRUE)
  expect_no_match(text, "](", fixed = TRUE)
})
