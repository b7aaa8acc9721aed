# Does LaTeX's text say what was meant?

test_that("LaTeX text is escaped, numbers are grouped, macros have letters only", {
  expect_equal(latex_text("a_b & 5 % <= $x"), "a\\_b \\& 5 \\% $\\leq$ \\$x")
  expect_equal(latex_number(c(12345.6, NA), 1L), c("12\\,345.6", "--"))
  expect_equal(latex_interval(c(1, NA), c(2, NA)), c("[1, 2]", ""))
  expect_equal(macro_name("Ku", "mqtt_qos0"), "twKuMqttQosZero")
  expect_equal(latex_macro("twX", "1"), "\\newcommand{\\twX}{1}")
  cells <- matrix(c("a", "b", "1", "2"), 2)
  table <- latex_table(cells, "ll", c("x", "y"), groups = 2L)
  expect_equal(table[5:7], c("a & 1 \\\\", "\\addlinespace", "b & 2 \\\\"))
  long <- latex_long_table(cells, "ll", c("x", "y"), integer(), "name")
  expect_equal(sum(long == "\\midrule"), 2L)
  expect_true(any(grepl("\\label{tab:name}", long, fixed = TRUE)))
  file <- file.path(tempfile(), "x.tex")
  write_latex(long, file)
  expect_equal(readLines(file)[-1], long)
})
