"""Do the examples in Go, Java, JavaScript and Rust hold what they expect, and repeat?

`make test-examples` runs it. It fails where a compiler or npm is missing.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hil.tests.lab.test_tries_machine import check_example


@pytest.mark.parametrize(
    ("language", "tool"),
    [("go", "go"), ("java", "javac"), ("javascript", "npm"), ("rust", "cargo")],
)
def test_an_example_holds_and_repeats(
    tmp_path: Path, language: str, tool: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shutil.which(tool), f"{tool} is not installed; install it to build this example"
    check_example(tmp_path, language, capsys)
