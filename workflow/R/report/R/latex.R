# Text for LaTeX: escaped strings, numbers, macros and tables.

#' Escape text for LaTeX.
latex_text <- function(x) {
  x <- gsub("\\", "\\textbackslash ", x, fixed = TRUE)
  x <- gsub("([&%$#_{}])", "\\\\\\1", x)
  x <- gsub("^", "\\textasciicircum ", x, fixed = TRUE)
  x <- gsub("~", "\\textasciitilde ", x, fixed = TRUE)
  x <- gsub(">=", "$\\geq$", x, fixed = TRUE)
  x <- gsub("<=", "$\\leq$", x, fixed = TRUE)
  x <- gsub("(^| )([<>=])( |$)", "\\1$\\2$\\3", x)
  x
}

#' A number with a fixed count of decimals, thousands apart.
latex_number <- function(x, decimals = 0L) {
  out <- formatC(as.numeric(x), format = "f", digits = decimals, big.mark = "~",
                 preserve.width = "none")
  ifelse(is.na(x), "--", gsub("~", "\\\\,", out))
}

#' An interval, "[1.2, 3.4]"; empty where there is none.
latex_interval <- function(low, high, decimals = 0L) {
  ifelse(is.na(low), "", paste0("[", latex_number(low, decimals), ", ",
                                latex_number(high, decimals), "]"))
}

#' The result of several runs, for the text: from five runs on the mean with its 95 % interval
#' (Student), otherwise the range, always with the number of runs.
#'
#' @param values one of each run. @param decimals of all numbers. @param unit as LaTeX has it.
latex_measured <- function(values, decimals = 0L, unit = "") {
  values <- values[!is.na(values)]
  runs <- length(values)
  if (runs == 0L) return("--")
  with_runs <- function(text) sprintf("%s%s ($n=%d$)", text, unit, runs)
  if (runs < 5L) {
    return(with_runs(paste(unique(latex_number(range(values), decimals)), collapse = " to ")))
  }
  ends <- latex_number(student_interval(values), decimals)
  middle <- latex_number(mean(values), decimals)
  if (ends[1L] == ends[2L]) return(with_runs(middle))
  with_runs(sprintf("%s [%s, %s]", middle, ends[1L], ends[2L]))
}

#' The mean's 95 % interval (Student): its two ends.
student_interval <- function(values) {
  half <- stats::qt(0.975, length(values) - 1) * stats::sd(values) / sqrt(length(values))
  mean(values) + c(-half, half)
}

#' The mean of runs for a table that has their number in a column: with its 95 % interval (Student)
#' from three runs on, unless mean and ends are the same number as printed.
#'
#' @param values one of each run, none negative: nor is the interval's lower end.
#' @param decimals of all numbers.
latex_mean <- function(values, decimals = 0L) {
  values <- values[!is.na(values)]
  if (length(values) == 0L) return("--")
  middle <- latex_number(mean(values), decimals)
  if (length(values) < 3L) return(middle)
  ends <- pmax(0, student_interval(values))
  printed <- latex_number(ends, decimals)
  if (all(printed == middle)) return(middle)
  paste(middle, latex_interval(ends[1L], ends[2L], decimals))
}

#' Name of a macro from words: letters only, digits as words, and the sign of "QoS -1".
macro_name <- function(...) {
  signed <- gsub("(^| )-([0-9])", "\\1minus \\2", paste(...))
  words <- unlist(strsplit(signed, "[^A-Za-z0-9]+"))
  digits <- c("Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")
  words <- paste0(toupper(substr(words, 1L, 1L)), substring(words, 2L))
  name <- paste(words, collapse = "")
  for (d in 0:9) name <- gsub(d, digits[d + 1L], name, fixed = TRUE)
  paste0("tw", name)
}

#' Definition of a macro, `\twName`.
latex_macro <- function(name, text) sprintf("\\newcommand{\\%s}{%s}", name, text)

#' A booktabs table body.
#'
#' @param cells character matrix. @param columns LaTeX column specification.
#' @param header character vector, one entry per column. @param groups row numbers before which a
#'   thin rule separates groups.
latex_table <- function(cells, columns, header, groups = integer()) {
  rows <- apply(cells, 1L, function(r) paste0(paste(r, collapse = " & "), " \\\\"))
  for (g in rev(groups)) rows <- append(rows, "\\addlinespace", after = g - 1L)
  c(paste0("\\begin{tabular}{", columns, "}"), "\\toprule",
    paste0(paste(header, collapse = " & "), " \\\\"), "\\midrule", rows, "\\bottomrule",
    "\\end{tabular}")
}

#' A table over several pages, caption `\\<name>caption` and label `tab:<name>` included.
latex_long_table <- function(cells, columns, header, groups, name) {
  plain <- latex_table(cells, columns, header, groups)
  rules <- plain[2:4]
  rows <- plain[5:(length(plain) - 2L)]
  title <- sprintf("\\caption{\\%scaption}\\label{tab:%s}\\\\", name, name)
  c(paste0("\\begin{longtable}{", columns, "}"), title, rules, "\\endfirsthead", rules,
    "\\endhead", "\\bottomrule", "\\endfoot", rows, "\\end{longtable}")
}

#' Write lines for LaTeX.
#'
#' @param lines of LaTeX. @param file path; its folder is made.
write_latex <- function(lines, file) {
  dir.create(dirname(file), showWarnings = FALSE, recursive = TRUE)
  file_head <- "% Made by a script of workflow/scripts; do not edit."
  writeLines(c(file_head, lines), file, useBytes = TRUE)
}
