"""Do the pages of docs/measured match their programs and recorded tables?"""

from __future__ import annotations

import sys

import pytest

from hil.base.errors import InputError, LabError
from hil.selfcheck import measured

# Pages from recorded tables, which the same checkout reproduces at once.
REPRODUCIBLE = [name for name, entry in measured.pages().items() if "origin" in entry]


@pytest.mark.parametrize("name", REPRODUCIBLE)
def test_a_page_of_a_recorded_table_is_up_to_date(name: str) -> None:
    entry = measured.pages()[name]
    text = measured.page(name, entry, measured.output_of(name, entry), entry["origin"])
    assert (measured.FOLDER / f"{name}.md").read_text(encoding="utf-8") == text


def test_every_page_is_listed_and_written() -> None:
    written = {path.stem for path in measured.FOLDER.glob("*.md")} - {"README", "peers"}
    assert written == set(measured.pages())


@pytest.mark.parametrize(
    ("output", "body"),
    [
        ("a,b\n1,2\n", "| a | b |\n| --- | --- |\n| 1 | 2 |"),
        ("| a |\n|---|\n| 1 |\n", "| a |\n|---|\n| 1 |"),
        ("one run, alike\n2 runs\n", "```\none run, alike\n2 runs\n```"),
    ],
)
def test_output_becomes_a_table_or_a_code_block(output: str, body: str) -> None:
    entry = {"title": "T", "about": "What it means.\n", "command": "run"}
    text = measured.page("t", entry, output, "commit 0123456 of 2020-01-01, on a test")
    assert text.endswith(f"\n\nWhat it means.\n\n{body}\n")
    assert "- Measured: commit 0123456 of 2020-01-01, on a test\n" in text


def test_a_long_column_becomes_a_list() -> None:
    entry = {"title": "T", "about": "A", "command": "run", "listed": "what"}
    text = measured.page("t", entry, "a,what,b\n1,x; y,2\n3,,4\n", "here")
    table = "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |"
    assert text.endswith(f"\n\n{table}\n\nWhat:\n\n- 1: x; y\n")


def test_paragraphs_of_the_text_stay_apart() -> None:
    entry = {"title": "T", "about": "First.\nSecond one.\n", "command": "run"}
    assert "\n\nFirst.\n\nSecond one.\n\n" in measured.page("t", entry, "a", "here")


def test_a_failed_command_leaves_its_page_alone(tmp_path, monkeypatch, capsys) -> None:
    (tmp_path / "pages.yaml").write_text(
        "bad:\n  title: T\n  about: A\n  command: python -c 'raise SystemExit(4)'\n"
    )
    (tmp_path / "bad.md").write_text("former")
    entries = measured.pages(tmp_path)
    monkeypatch.setattr(measured, "FOLDER", tmp_path)
    monkeypatch.setattr(measured, "pages", lambda: entries)
    monkeypatch.setattr(sys, "argv", ["measured"])
    assert measured.main() == LabError.status
    assert (tmp_path / "bad.md").read_text() == "former"
    assert "bad: python -c 'raise SystemExit(4)': exit status 4" in capsys.readouterr().err


def test_a_page_without_its_table_is_an_error(tmp_path) -> None:
    with pytest.raises(InputError, match=r"none\.csv: cannot be read"):
        measured.output_of("x", {"recorded": "none.csv"}, tmp_path)
