"""Which finds of `thinwire hunt` are one, and what does their report say?"""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hil.commands import hunt_finds
from hil.commands.hunt_judge import Violation
from hil.commands.hunt_trials import Examined
from hil.design import expectations, schedules, tryfile
from hil.design.schedules import Schedule
from hil.design.shrinking import Case


def at(packet: str, kind: str = "loss", side: str | None = "device") -> dict[str, Any]:
    where = {"packet": packet, "number": 3} | ({"from": side} if side else {})
    return {"kind": kind, "at": where}


@pytest.mark.parametrize(
    ("faults", "explained"),
    [
        ([at("PUBREL")], True),
        ([at("PUBREL", side=None), at("PUBLISH")], True),
        ([at("DATA", side="server")], True),
        ([{"kind": "loss", "at_s": 3.5}], True),
        ([at("PUBLISH")], False),
        ([at("PUBREL", side="server")], False),
        ([at("PUBREL", kind="delay")], False),
    ],
)
def test_a_defect_at_another_packet_is_another_find(faults: Schedule, explained: bool) -> None:
    finds = [{"kind": "delivered_of_sent_pct", "faults": [at("PUBREL")], "again": 0}]
    (expectation,) = expectations.parse({"delivered": "100 %"}, "test", ["delivered"])
    violation = Violation(expectation, "90 %", 90.0)
    finder = hunt_finds.Finder.__new__(hunt_finds.Finder)  # it needs no laboratory for this
    assert finder.explained(violation, Examined(Case(faults, 60)), finds) == explained
    assert finds[0]["again"] == int(explained)


FILES = ("files: [data, target/extra]", "")


@pytest.mark.parametrize("files", FILES, ids=["listed", "whole"])
def test_a_find_has_no_caches_of_a_client_that_lists_its_files(files: str, tmp_path: Path) -> None:
    client = tmp_path / "client"
    for name in ("target/CACHEDIR.TAG", "target/deps/a", "target/release/run", "target/extra",
                 "data/one", "src/main.rs", ".git/config"):  # fmt: skip
        (client / name).parent.mkdir(parents=True, exist_ok=True)
        (client / name).touch()
    text = f"device: {{program: target/release/run, arguments: [x]}}\n{files}\n"
    (client / tryfile.FILE).write_text(
        text + "server: mosquitto\nlink: {delay_ms: 1}\nduration_s: 5\nexpect: {delivered: 100 %}\n"
    )
    target = tmp_path / "find"
    hunt_finds.copy_client(tryfile.read(client), target)
    copied = {str(path.relative_to(target)) for path in target.rglob("*") if path.is_file()}
    kept = {"data/one", "src/main.rs", "target/extra", "target/release/run", tryfile.FILE}
    assert copied == kept | (set() if files else {"target/CACHEDIR.TAG", "target/deps/a"})


@pytest.mark.parametrize(
    ("image", "digest", "said"),
    [
        ("a", "d", ""),
        ("a", "e", "two runs of the trial differ"),
        ("b", "e", "the laboratory has changed between two runs"),
    ],
)
def test_a_run_by_another_laboratory_is_told_from_one_that_differs(
    image: str, digest: str, said: str
) -> None:
    first = Examined(Case([], 60), "ok", digest="d", versions={"image": "a"})
    again: Future[Examined] = Future()
    again.set_result(Examined(Case([], 60), "ok", digest=digest, versions={"image": image}))
    finder = hunt_finds.Finder.__new__(hunt_finds.Finder)
    finder._laboratory = SimpleNamespace(begin=lambda *_, **__: again)  # type: ignore[assignment]
    finder._judges = {60: SimpleNamespace(violations=lambda _: [])}  # type: ignore[dict-item]
    (expectation,) = expectations.parse({"delivered": "100 %"}, "test", ["delivered"])
    found = finder.unsteady(Violation(expectation, "90 %", 90.0), first)
    assert found.startswith(said) and bool(found) == bool(said)


def test_each_default_expectation_cites_what_promises_it() -> None:
    stated = hunt_finds.specifications()
    for metric in schedules.settings()["counts"]:
        if metric != "device_resets":
            assert stated[metric], metric


def test_the_report_has_value_specification_faults_and_command() -> None:
    find = {
        "expected": "dup_violations: 0",
        "measured": "1 packets",
        "specification": "MQTT-3.3.1-1, -2",
        "faults": [{"kind": "loss", "at_s": 1}],
        "duration_s": 9,
        "try": "thinwire try x",
        "capture": "x.pcapng.gz",
        "view": "thinwire view x",
    }
    text = "\n".join(hunt_finds.report(find))
    assert "Broken: dup_violations: 0. Measured: 1 packets. Promised by MQTT-3.3.1-1, -2." in text
    assert "lasts 9 s and has one fault." in text
    assert "- {kind: loss, at_s: 1}" in text and "repeat     thinwire try x" in text
