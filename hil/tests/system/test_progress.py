"""The display of progress: share, estimate, place and frequency; and colours."""

from __future__ import annotations

import io
import json
import os
import sys
import threading
import time
from pathlib import Path

import pytest

from hil import cli
from hil.commands import studies
from hil.design.studies import load_study
from hil.system import colours
from hil.system.progress import Bar, in_words, of_program


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


class Clock:
    """A clock that the test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def shown(stream: io.StringIO, steps: list[tuple[float, float]], total: float = 100) -> str:
    """What a bar writes that is shown (when, how much is done)."""
    clock = Clock()
    bar = Bar(total, stream, clock)
    for clock.now, done in steps:
        bar.show(done, "matrix")
    return stream.getvalue()


def test_short_work_shows_nothing() -> None:
    assert shown(io.StringIO(), [(0, 0), (1, 40), (2.9, 90)]) == ""


def test_a_file_gets_a_line_now_and_then() -> None:
    steps = [(0, 0), (4, 10), (5, 20), (33, 30), (34, 50)]
    lines = shown(io.StringIO(), steps).splitlines()
    assert lines == ["10%, 36 s left  matrix", "50%, 34 s left  matrix"]


def test_the_words_of_a_program_go_on_without_its_progress(
    capfd: pytest.CaptureFixture[str],
) -> None:
    says = """
import os, sys
print(f"progress 0.{os.environ['THINWIRE_PROGRESS']}000 one", "progress of a word", sep="\\n",
      file=sys.stderr)
sys.exit(3)
"""
    assert of_program([sys.executable, "-c", says], os.environ) == 3
    assert capfd.readouterr().err == "progress of a word\n"


def test_the_estimate_counts_from_what_was_done_before() -> None:
    """Half was there at the start; a tenth took 10 s, so the rest takes 40 s."""
    assert shown(io.StringIO(), [(0, 50), (10, 60)]) == "60%, 40 s left  matrix\n"


def test_there_is_no_estimate_before_anything_is_done() -> None:
    assert shown(io.StringIO(), [(0, 0), (10, 0)]) == "0%  matrix\n"


def test_a_terminal_gets_one_line_that_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    stream, clock = Terminal(), Clock()
    with Bar(100, stream, clock) as bar:
        bar.show(0)
        for clock.now, done in ((4, 25), (4.1, 26), (8, 50)):
            bar.show(done, "x" * 80)
    first, second, gone, _ = stream.getvalue().split("\r")[1:]
    assert first.startswith("[#####...............] 25%, 12 s left  xxx")
    assert second.startswith("[##########..........] 50%, 8 s left  xxx")
    assert {len(first), len(second), len(gone)} == {59} and not gone.strip()
    assert "\n" not in stream.getvalue()


@pytest.mark.parametrize(
    ("stream", "environment", "painted"),
    [
        (Terminal(), {"TERM": "xterm"}, True),
        (Terminal(), {"TERM": "xterm", "NO_COLOR": ""}, True),
        (Terminal(), {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (Terminal(), {"TERM": "dumb"}, False),
        (io.StringIO(), {"TERM": "xterm"}, False),
    ],
)
def test_colours_are_for_terminals_that_want_them(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, environment: dict[str, str], painted: bool
) -> None:
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    text = colours.word("failed", 8, stream)
    assert text == ("\x1b[31mfailed\x1b[0m  " if painted else "failed  ")
    assert colours.word("-", 8, stream) == "-       "


def put(data: Path, trial: str, outcome: str) -> None:
    """A bundle of the study smoke, as far as a watcher looks."""
    folder = data / "smoke" / trial
    folder.mkdir(parents=True)
    (folder / "part").write_text(json.dumps({"outcome": outcome}))
    (folder / "part").rename(folder / "lab.json")


def test_a_watcher_tells_each_trial_and_ends_with_the_last(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(studies, "_LOOK_S", 0.01)
    first, second = (trial.id for trial in load_study("smoke").trials("quick"))
    put(tmp_path, first, "ok")

    def later() -> None:
        time.sleep(0.1)
        put(tmp_path, second, "failed")

    thread = threading.Thread(target=later)
    thread.start()
    assert cli.main(["studies", "smoke", "--watch", "--data", str(tmp_path)]) == 1
    thread.join()
    assert capsys.readouterr().out == f"ok       smoke/{first}\nfailed   smoke/{second}\n"


def test_studies_name_each_outcome_for_machines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = (trial.id for trial in load_study("smoke").trials("quick"))
    put(tmp_path, first, "ok")
    words = ["studies", "smoke", "--json", "--trials", "--data", str(tmp_path)]
    assert cli.main(words) == 0
    (study,) = json.loads(capsys.readouterr().out)
    assert study["outcomes"] == {first: "ok", second: "-"} and study["trials"] == "1 of 2"


@pytest.mark.parametrize("words", [["--watch"], ["smoke", "--watch", "--json"]])
def test_what_cannot_be_watched_is_refused(words: list[str]) -> None:
    assert cli.main(["studies", *words]) == 2


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("thinwire stu", {"studies"}),
        ("thinwire studies smo", {"smoke"}),
        ("thinwire trial run smoke --trial coap", {"coap-con_duration3_r1"}),
        ("thinwire new p", {"protocol"}),
        ("thinwire claims --ki", {"--kind"}),
        ("thinwire studies --testbed vi", {"virtual"}),
        ("thinwire analyze --explain messages_rep", {"messages_repeated"}),
        ("thinwire nbiot check quick/st", {"quick/study"}),
        ("thinwire trial verify pyproject.t", {"pyproject.toml"}),
        ("thinwire analyze --keys pyproject.t", {"pyproject.toml"}),
        ("thinwire ask --payload pyproject.t", set()),
        ("thinwire new study pyproject.t", set()),
    ],
)
def test_a_shell_completes(line: str, expected: set[str], tmp_path: Path) -> None:
    """As argcomplete's shell code asks: the answer comes on descriptor 8."""
    answer = tmp_path / "answer"
    child = os.fork()
    if child == 0:
        os.dup2(os.open(answer, os.O_WRONLY | os.O_CREAT), 8)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 9)
        os.environ |= {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_IFS": "\n", "COMP_LINE": line}
        os.environ["COMP_POINT"] = str(len(line))
        cli.complete()
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert {word.strip() for word in answer.read_text().splitlines()} == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_code_names_the_command(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["completion", shell]) == 0
    out = capsys.readouterr().out
    assert "thinwire" in out and "-o default" not in out  # bash would add files to each answer


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "0 s"), (59.6, "1 min 0 s"), (187, "3 min 7 s"), (3720, "1 h 2 min")],
)
def test_a_time_in_words(seconds: float, words: str) -> None:
    assert in_words(seconds) == words
