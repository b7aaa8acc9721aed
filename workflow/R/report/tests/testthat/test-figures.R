# Are figures and tables drawn from bundles, the same bytes each time?

test_that("figures and tables are the same bytes twice, and the packets table survives its file", {
  folder <- file.path(tempfile(), c("t1", "t2"))
  captures <- vapply(folder, write_bundle, "")
  label <- function(rows, b) cbind(study = b$trial$study, trial = b$trial$trial, rows)
  bundles <- lapply(folder, read_bundle)
  metrics <- data.table::rbindlist(lapply(bundles, function(b) label(trial_metrics(b), b)))
  samples <- data.table::rbindlist(lapply(bundles, function(b) label(bundle_samples(b), b)))
  factors <- data.table::rbindlist(lapply(bundles, function(b) label(trial_factors(b), b)))
  for (name in c("delivery", "rtt", "bytes")) {
    files <- tempfile(fileext = c(".pdf", ".pdf"))
    for (file in files) {
      figure <- study_figure(name, metrics, samples, factors)
      save_figure(figure$plot, file, figure$width, figure$height)
    }
    expect_identical(unname(tools::md5sum(files[1])), unname(tools::md5sum(files[2])), info = name)
  }
  summary <- summarise_study(metrics, factors, samples)
  expect_equal(summary$sent, 40)
  expect_equal(summary$rtt_n, 38)
  packets <- dissect(captures[1])
  file <- tempfile(fileext = ".csv.gz")
  write_packets(packets, file)
  again <- capture_metrics(reduce_capture(read_packets(file), "10.0.0.2"))
  expect_equal(again, capture_metrics(reduce_capture(packets, "10.0.0.2")))
})
