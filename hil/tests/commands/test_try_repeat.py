"""Does `thinwire try` compare runs of one trial only, and print the first difference?"""

from __future__ import annotations

import json
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from hil import cli
from hil.base.errors import InputError
from hil.bundle import diff, store
from hil.commands import try_report, try_results
from hil.commands.try_repeat import Difference, Repeats
from hil.design import tryfile
from hil.design.trials import Trial
from hil.machine import hostreads
from hil.tests.commands.test_tries import TEXT
from hil.tests.commands.test_tries import bundle as tried_bundle
from hil.tests.support.bundles import DOCUMENT, LAB, RAW

UNLIKE = Path(__file__).parents[1] / "support" / "programs" / "unlike.c"
TRIAL = Trial("try", {}, 1, {})


def bundle(
    folder: Path, printed: str = "", document: dict[str, object] | None = None, image: str = "1"
) -> Path:
    """Store a bundle in which the device printed a text."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    raw = RAW | {"board.out.txt": printed.encode()}
    lab = LAB | {"versions": {"machine": "uml", "image": image, "processor": "masked"}}
    files = store.contents(DOCUMENT | (document or {}), raw, lab, folder.parent)
    store.store(files, folder)
    return folder


def test_the_first_line_that_differs_is_found(tmp_path: Path) -> None:
    one, two = bundle(tmp_path / "1", "a\nb\n"), bundle(tmp_path / "2", "a\nc\nd\n")
    assert diff.texts(one, two) == ["board.out.txt, line 2:\n  A: b\n  B: c"]
    assert diff.files(one, two) == ["board.out.txt"]


def test_a_text_that_ends_earlier_differs(tmp_path: Path) -> None:
    one, two = bundle(tmp_path / "1", "a\n"), bundle(tmp_path / "2", "a\nb\n")
    assert diff.texts(one, two) == ["board.out.txt, line 2:\n  A: has ended\n  B: b"]


def test_trial_compare_sees_what_was_printed(capsys, tmp_path: Path) -> None:
    one, two = bundle(tmp_path / "1", "a\n"), bundle(tmp_path / "2", "b\n")
    assert cli.main(["trial", "compare", str(one), str(two)]) == 1
    assert "board.out.txt, line 1:" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "count"),
    [({}, 1), ({"document": {"repetition": 9}}, 0), ({"image": "2"}, 0)],
    ids=["the-same", "another-trial", "another-image"],
)
def test_only_runs_under_the_same_conditions_are_compared(
    tmp_path: Path, change: dict[str, object], count: int
) -> None:
    """Another program, parameter, image or host may give other bytes."""
    out, aside = tmp_path / "out", tmp_path / "aside"
    folder = out / TRIAL.study / TRIAL.id
    bundle(folder, "a\n", **change)
    repeats = Repeats(out, aside, {})
    repeats.keep_earlier(TRIAL)
    shutil.rmtree(folder)
    repeats.compare_earlier(TRIAL, bundle(folder, "b\n"))
    assert len(repeats.found) == count
    for difference in repeats.found:
        assert difference.where == "board.out.txt, line 1:\n  A: b\n  B: a"
        assert (difference.folders[1] / "board.out.txt").read_text() == "a\n"


def package(folder: Path, source: Path, *options: str) -> Path:
    """A package with a program in the user's folder, and with it as one of the host's."""
    subprocess.run(["cc", *options, "-o", folder / "client", source], check=True)
    with tarfile.open(folder / "device.tar", "w") as archive:
        archive.add(folder / "client", "device/client")
        archive.add(folder / "client", "usr/bin/client")
    return folder / "device.tar"


def test_a_program_that_asks_the_processor_for_random_numbers_is_named(tmp_path: Path) -> None:
    made = package(tmp_path, UNLIKE, "-O0", "-mrdrnd")
    (line,) = [one for one in hostreads.instructions(made, counter=False) if "RDRAND" in one]
    assert line.startswith("/device/client may execute RDRAND, in ")
    assert "number" in line or "_rdrand64_step" in line


def test_the_counter_of_cycles_counts_where_programs_can_read_it(tmp_path: Path) -> None:
    (tmp_path / "clock.c").write_text("int main(void) { return (int)__builtin_ia32_rdtsc(); }\n")
    made = package(tmp_path, tmp_path / "clock.c", "-O1")
    assert hostreads.instructions(made, counter=False) == []
    assert hostreads.instructions(made, counter=True) == [
        "/device/client may execute RDTSC, in main"
    ]


def test_a_trial_that_does_not_repeat_fails_and_says_where(tmp_path: Path) -> None:
    (tmp_path / tryfile.FILE).write_text(TEXT, encoding="utf-8")
    bundles = [tried_bundle(tmp_path, seed) for seed in (2, 5)]
    found = Difference(
        5, "run 2", (tmp_path / "a", tmp_path / "b"), "at 1 s, wire:\n  A: x", ("why",)
    )
    results = try_results.measure(tryfile.read(tmp_path), bundles, 2, [found])
    assert not results.good
    text = try_report.lines(results)
    assert text[text.index("  differs    run 2, at 1 s, wire:") :] == [
        "  differs    run 2, at 1 s, wire:",
        "  A: x",
        "  cause      why",
        f"  compare    thinwire trial compare {tmp_path}/a {tmp_path}/b",
    ]
    assert json.loads(json.dumps(try_report.document(results)))["differences"][0]["seed"] == 5
    try_report.write_junit(results, tmp_path / "junit.xml")
    assert 'name="seed 5 repeats"' in (tmp_path / "junit.xml").read_text()


def test_no_run_is_no_number_of_runs(capsys, tmp_path: Path) -> None:
    (tmp_path / tryfile.FILE).write_text(TEXT, encoding="utf-8")
    assert cli.main(["try", str(tmp_path), "--repeat", "0"]) == InputError.status
    assert "--repeat: 0: is no number of runs" in capsys.readouterr().err
