# Are quantiles exact up to a million values, and within the stated error beyond?

parts_of <- function(x, width) split(x, (seq_along(x) - 1) %/% width)
gathered <- function(x, width) Reduce(add_values, parts_of(x, width), NULL)
shares <- c(0, 0.5, 0.95, 0.99, 1)

test_that("few values are kept, and parts give the quantiles of the whole", {
  x <- c(5, 1, 4, 2, 3, 1000)
  d <- gathered(x, 2)
  expect_equal(distribution_quantiles(d, shares), quantile(x, shares, names = FALSE))
  expect_equal(d$max, 1000)
  expect_equal(distribution_quantiles(d, 0.5), 3.5)
})

test_that("many values are binned: within 0.05 % of the exact quantile, at a fixed size", {
  old <- kept_values
  environment(add_values)$kept_values <- 1000
  on.exit(environment(add_values)$kept_values <- old)
  samples <- keep_random_state({
    set.seed(1)
    list(lognormal = stats::rlnorm(30000, 2, 3), bimodal = c(stats::runif(15000, 6, 12),
                                                             stats::runif(15000, 100, 118)),
         signed = stats::rnorm(30000), zeros = rep(c(0, 0, 0, 7), 5000))
  })
  for (name in names(samples)) {
    x <- samples[[name]]
    d <- gathered(x, 700)
    expect_equal(length(d$values), 0L)
    expect_equal(sum(d$bins), length(x))
    exact <- quantile(x, shares, names = FALSE)
    # between two ranks of opposite sign an error is one of the larger of them
    error <- abs(distribution_quantiles(d, shares) - exact) / pmax(abs(exact), 1e-3)
    expect_true(all(error <= bin_error * 1.0001), info = paste(name, toString(signif(error, 3))))
    expect_equal(d$max, max(x))
    expect_lt(length(d$bins), 40000)
  }
})

test_that("the rows beside a mean are its values' median, percentiles and maximum", {
  s <- add_moments(add_moments(NULL, c(1, 2), spread = TRUE), c(3, 14), spread = TRUE)
  rows <- spread_rows("x_mean_ms", "ms", s)
  m <- setNames(rows$value, rows$metric)
  expect_equal(m[c("x_mean_ms", "x_median_ms", "x_p95_ms", "x_p99_ms", "x_max_ms")],
               c(x_mean_ms = 5, x_median_ms = 2.5, x_p95_ms = 12.35, x_p99_ms = 13.67,
                 x_max_ms = 14))
  expect_true(all(rows$n == 4))
})
