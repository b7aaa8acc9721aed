"""Does every error of bad input name a remedy?"""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

from hil.base.paths import ROOT

# The position of the remedy among the arguments, by the name of the called function.
REMEDY_AT = {"InputError": 3, "ToolMissing": 2}

# The same for R: every call of input_error() and silence_error() in the layers' files.
R_CALLS = """
calls <- function(x) {
  if (!is.call(x)) return(NULL)
  own <- as.character(x[[1L]])[1L] %in% c("input_error", "silence_error")
  c(if (own) list(x), unlist(lapply(as.list(x), calls), recursive = FALSE))
}
files <- list.files("workflow", "[.]R$", recursive = TRUE, full.names = TRUE)
files <- files[!grepl("/tests/", files)]
found <- unlist(lapply(files, function(f) unlist(lapply(parse(f), calls), recursive = FALSE)),
                recursive = FALSE)
as_named <- function(x) {
  match.call(function(source, problem, remedy, key, class, ...) NULL, x)$remedy
}
remedies <- lapply(found, as_named)
empty <- vapply(remedies, function(r) is.null(r) || (is.character(r) && !nzchar(trimws(r))), NA)
cat(length(found), sum(empty))
"""


def _calls(path: Path) -> list[ast.Call]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in REMEDY_AT
    ]


def _remedy(call: ast.Call) -> ast.expr | None:
    at = REMEDY_AT[call.func.id]
    named = [word.value for word in call.keywords if word.arg == "remedy"]
    return named[0] if named else call.args[at] if len(call.args) > at else None


def test_no_error_in_python_has_an_empty_remedy():
    found = 0
    for path in sorted((ROOT / "hil").rglob("*.py")):
        if "tests" in path.parts:
            continue
        for call in _calls(path):
            if any(isinstance(word, ast.Starred) for word in call.args):
                continue
            found += 1
            remedy = _remedy(call)
            assert remedy is not None, (path, call.lineno)
            if isinstance(remedy, ast.Constant):
                assert str(remedy.value).strip(), (path, call.lineno)
    assert found > 100


def test_no_error_in_r_has_an_empty_remedy():
    done = subprocess.run(
        ["Rscript", "-e", R_CALLS], cwd=ROOT, capture_output=True, text=True, check=True
    )
    found, empty = map(int, done.stdout.split())
    assert found > 50
    assert empty == 0
