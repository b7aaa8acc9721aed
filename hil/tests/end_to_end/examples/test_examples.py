"""Do the examples in Go, Java, JavaScript and Rust hold what they expect, and repeat?

`make test-examples` runs it. It fails where a compiler or npm is missing.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hil.commands import example
from hil.tests.lab.test_debug_machine import commands, session
from hil.tests.lab.test_tries_machine import check_example, tried


@pytest.mark.parametrize(
    ("language", "tool"),
    [("go", "go"), ("java", "javac"), ("javascript", "npm"), ("rust", "cargo")],
)
def test_an_example_holds_and_repeats(
    tmp_path: Path, language: str, tool: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shutil.which(tool), f"{tool} is not installed; install it to build this example"
    check_example(tmp_path, language, capsys)


def test_gdb_reads_a_program_in_go(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Expressions are those of the program's language once it is halted."""
    example.create(tmp_path / "client", "go")
    (trial,) = tried(tmp_path / "client", capfd, "--seed", "1")["trials"]
    texts = ("break main.main", "continue", "backtrace")
    said = session(capfd, Path(trial["bundle"]), *commands(*texts))
    assert "main.main () at " in said and "in runtime.main ()" in said
    assert "the same bytes" in said
