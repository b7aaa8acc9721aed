"""Does `thinwire try` report what R measured, and which seed decides? (The laboratory's part is in
hil/tests/lab/test_tries_machine.py.)"""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from xml.etree import ElementTree

import pytest

from hil import cli
from hil.base.errors import InputError
from hil.bundle import store
from hil.commands import example, try_report, try_results
from hil.design import tryfile
from hil.testbeds.runner import Done
from hil.tests.support.bundles import DOCUMENT, LAB, RAW

TEXT = """\
device: {engine: coap-con}
parameters: {payload_bytes: 30, interval_ms: 100}
duration_s: 1
seeds: [2, 5]
expect:
  delivered: ">= 30 %"
  captured_frames: 3
  captured_bytes: <= 1 kB
  memory_free_min: ">= 8 kB"
"""


def bundle(folder: Path, seed: int, outcome: str = "ok") -> Done:
    """Store the small bundle of support/bundles.py; seed 5 has a message less in its capture."""
    document = DOCUMENT | {"repetition": seed, "trial": f"r{seed}"}
    raw = dict(RAW)
    if seed == 5:
        raw["wire.pcap"] = raw["wire.pcap"][: 24 + 2 * (16 + 14 + 20 + 8 + 5 + 24)]
    raw["board.jsonl"] += b'{"t":1,"nonce":"0","ev":"up","ip":"10.77.1.1"}\n'
    files = store.contents(document, raw, LAB | {"outcome": outcome, "reason": "why"}, folder)
    store.store(files, folder / f"r{seed}")
    return Done(folder / f"r{seed}", outcome, "" if outcome == "ok" else "why")


def results(tmp_path: Path, outcome: str = "ok") -> try_results.Results:
    (tmp_path / tryfile.FILE).write_text(TEXT, encoding="utf-8")
    bundles = [bundle(tmp_path, 2), bundle(tmp_path, 5, outcome)]
    return try_results.measure(tryfile.read(tmp_path), bundles)


def test_the_table_names_value_seed_and_the_command_that_repeats_it(tmp_path: Path) -> None:
    text = "\n".join(try_report.lines(results(tmp_path)))
    table = [re.sub(r" +", " ", line).strip() for line in text.splitlines()]
    assert "delivered: >= 30 % 33.33 % (seed 2) pass" in table
    assert "captured_frames: 3 2 frames (seed 5) FAIL" in table
    assert any(
        re.fullmatch(r"captured_bytes: <= 1 kB \d+ bytes \(seed 2\) pass", one) for one in table
    )
    assert any(
        line.startswith("memory_free_min: >= 8 kB not measured: the device's log") for line in table
    )
    assert f"repeat thinwire try {tmp_path} --seed 5" in table
    assert f"capture {tmp_path}/r5/wire.pcapng.gz" in table
    assert f"time line thinwire view {tmp_path}/r5" in table


def test_a_failed_trial_fails_and_measures_nothing(tmp_path: Path) -> None:
    found = results(tmp_path, "failed")
    assert not found.good
    assert {one.worst.seed for one in found.verdicts} <= {2, 5}
    assert all(one.worst.reason for one in found.verdicts)
    assert "seed 5  failed: why" in try_report.lines(found)


def test_the_document_has_every_trial_and_value(tmp_path: Path) -> None:
    found = json.loads(json.dumps(try_report.document(results(tmp_path))))
    assert found["pass"] is False
    assert [one["seed"] for one in found["trials"]] == [2, 5]
    by_name = {one["name"]: one for one in found["expectations"]}
    assert by_name["captured_frames"]["worst"] == {
        "seed": 5,
        "value": 2,
        "unit": "frames",
        "pass": False,
        "reason": "",
    }
    assert [each["value"] for each in by_name["captured_frames"]["each"]] == [3, 2]
    assert by_name["delivered"]["metric"] == "delivered_of_sent_pct"


def test_junit_counts_trials_and_expectations(tmp_path: Path) -> None:
    file = tmp_path / "junit.xml"
    found = results(tmp_path)
    try_report.write_junit(found, file)
    (suite,) = ElementTree.parse(file).getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("6", "2")
    failed = [case.get("name") for case in suite if case.find("failure") is not None]
    assert failed == ["captured_frames: 3", "memory_free_min: >= 8 kB"]
    with pytest.raises(InputError, match="cannot be written"):
        try_report.write_junit(found, tmp_path / "none" / "junit.xml")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["{}"], "thinwire new try"),
        (["{}", "--seed", "0"], "thinwire new try"),
        (["{}/none"], "cannot be read"),
    ],
)
def test_a_folder_without_the_file_is_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert cli.main(["try", *(word.format(tmp_path) for word in words)]) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1


def test_a_build_that_fails_is_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / tryfile.FILE).write_text(TEXT + "build: echo no compiler; exit 7\n")
    assert cli.main(["try", str(tmp_path)]) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert "build: ends with status 7; correct it" in said


def test_a_build_without_its_compiler_says_install_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / tryfile.FILE).write_text(TEXT + "build: no-such-compiler client.c\n")
    assert cli.main(["try", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "build: ends with status 127; install the program, or build by hand" in said


@pytest.mark.parametrize("language", example.languages())
def test_a_new_folder_has_the_sources_of_its_example_alone(
    tmp_path: Path, language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "my client"
    assert cli.main(["new", "try", str(target), "--language", language]) == 0
    assert f"thinwire try '{target}'" in capsys.readouterr().out
    found = tryfile.read(target)
    assert len((target / tryfile.FILE).read_text().splitlines()) <= 20
    assert {one.metric for one in found.expectations} >= {"delivered_of_sent_pct", "malformed"}
    size = sum(path.stat().st_size for path in target.rglob("*") if path.is_file())
    assert size < 50_000
    assert cli.main(["new", "try", str(target), "--language", language]) == 2


def test_a_client_that_is_there_gets_the_file_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "my client"
    target.mkdir()
    (target / "client.py").write_text("mine")
    assert cli.main(["try", str(target)]) == 2
    command = shlex.split(capsys.readouterr().err.rpartition("write one: ")[2])
    assert cli.main(command[1:]) == 0
    assert {path.name for path in target.iterdir()} == {"client.py", tryfile.FILE}
    assert (target / "client.py").read_text() == "mine"
    assert "name your client in its device" in capsys.readouterr().out
    assert tryfile.read(target).kind == "script"


def test_each_language_of_the_page_has_an_example() -> None:
    assert {"c", "go", "java", "javascript", "python", "rust"} <= set(example.languages())
