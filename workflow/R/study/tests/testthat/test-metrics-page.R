# Does docs/metrics.md define each metric that the code computes?

top <- Sys.getenv("THINWIRE_TOP")

#' Names of metrics that stand as text in a call of one of the functions that make their rows.
computed <- function() {
  folders <- file.path(top, "workflow", "R", c("capture", "study"), "R")
  code <- paste(unlist(lapply(list.files(folders, full.names = TRUE), readLines)), collapse = "\n")
  calls <- gregexpr('(metric_row|mean_rows|spread_rows|rate_rows)\\(\\s*"[a-z0-9_]+"', code)
  unique(sub('.*"([a-z0-9_]+)"$', "\\1", regmatches(code, calls)[[1L]]))
}

test_that("each metric is defined in docs/metrics.md", {
  page <- paste(readLines(file.path(top, "docs", "metrics.md")), collapse = "\n")
  defined <- gsub("`", "", regmatches(page, gregexpr("`[^`\n]+`", page))[[1L]], fixed = TRUE)
  expect_gt(length(computed()), 70)
  expect_equal(setdiff(computed(), defined), character())
})
