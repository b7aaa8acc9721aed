"""Has each file of tests a name of its own? pytest imports them by it, and collects no second."""

from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_no_two_files_of_tests_have_one_name() -> None:
    files = [*ROOT.glob("hil/tests/**/test_*.py"), *ROOT.glob("workflow/tests/test_*.py")]
    names = Counter(file.name for file in files)
    assert files and [name for name, times in names.items() if times > 1] == []
