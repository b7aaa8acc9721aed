"""Are the foreign peers pinned by digest, each case's peer known, and broken promises shown?"""

from __future__ import annotations

import csv
import json
import re
import sys
from pathlib import Path

import pytest

from hil.base.paths import ROOT

INTEROP = ROOT / "firmware/tests/interop"
sys.path.insert(0, str(INTEROP))

import foreign  # noqa: E402
import suite_tables  # noqa: E402
import trial  # noqa: E402
from counting import Count  # noqa: E402
from foreign_cases import FOREIGN_CASES  # noqa: E402


def test_every_package_of_npm_has_a_digest_and_no_address() -> None:
    lock = json.loads((INTEROP / "foreign/node/package-lock.json").read_text())
    packages = {name: entry for name, entry in lock["packages"].items() if name}
    assert packages
    for name, entry in packages.items():
        assert entry["integrity"].startswith("sha512-"), name
        assert "resolved" not in entry, name


def test_every_jar_and_module_has_a_digest() -> None:
    jars = (INTEROP / "foreign/java/jars.sha256").read_text().splitlines()
    assert all(re.fullmatch(r"[0-9a-f]{64}  \S+\.jar", line) for line in jars)
    pom = (INTEROP / "foreign/java/pom.xml").read_text()
    for name in re.findall(r"<artifactId>([a-z0-9-]+)</artifactId><version>", pom):
        assert any(f"  {name}-" in line for line in jars), name
    for module in ("go", "pion"):
        sums = (INTEROP / "foreign" / module / "go.sum").read_text()
        needs = (INTEROP / "foreign" / module / "go.mod").read_text()
        found = re.findall(r"^(?:\t|require )(\S+) (v\S+)", needs, re.M)
        assert found
        for name, version in found:
            assert f"{name} {version} h1:" in sums, name


@pytest.mark.parametrize("case", FOREIGN_CASES, ids=lambda case: case.name)
def test_every_case_has_a_program(case) -> None:
    kind, _, name = (case.peers[0] if case.peers else "").partition(" ")
    if kind == "foreign":
        assert foreign.SERVERS[name]
    elif case.broker:
        assert case.broker.split()[1] in foreign.BROKERS
    else:
        assert foreign.sender(case.sender, 10)


def run_of(folder: Path, lost: int, verdict: str, result: str) -> None:
    """The files of a run with one case, one capture and one case of Autobahn."""
    name = FOREIGN_CASES[0].name
    values = [name, 1000, 5, 0, 0, 1000, 0, 0, 1000 - lost, 0, lost, verdict]
    tables = {
        "host.csv": [trial.FIELDS, values],
        "host-tshark.csv": [
            ("file", "packets", "messages", "malformed", "errors", "warnings", "sequence"),
            ("mqtt-a.pcap", 10, 5, 0, 0, 0, 0),
            ("mqtt-b.pcap", 7, 5, 1, 0, 0, 0),
        ],
        "autobahn.csv": [
            ("agent", "case", "about", "behavior", "closing"),
            ("device", "7.5.1", "x", result, "OK"),
        ],
    }
    for file, rows in tables.items():
        with (folder / file).open("w", newline="") as out:
            csv.writer(out).writerows(rows)


def test_a_broken_promise_is_shown(tmp_path: Path) -> None:
    run_of(tmp_path, 3, "broken", "WRONG WORDS")
    assert "| **3 / 0** |" in suite_tables.cases(tmp_path)
    assert "| host | mqtt | 2 | 17 | 10 | 1 | 0 | 0 |" in suite_tables.tshark(tmp_path)
    assert suite_tables.autobahn(tmp_path).splitlines()[-1].endswith("|  |  |  |  | 1 |")
    text = suite_tables.summary(tmp_path)
    assert "1 broken, 0 without a promise; 1 packets" in text
    assert f"broken: {FOREIGN_CASES[0].name} at 5 %: lost 3" in text


def test_the_tables_go_where_the_docs_have_their_marks(tmp_path: Path) -> None:
    run_of(tmp_path, 0, "kept", "OK")
    page = tmp_path / "measured" / "peers.md"
    page.parent.mkdir()
    page.write_text((ROOT / "docs/measured/peers.md").read_text())
    for _ in range(2):  # once more replaces
        suite_tables.into_docs(tmp_path, tmp_path, "commit 0123456 of 2020-01-01, on a test")
    written = page.read_text()
    assert written.count("Measured: ") == written.count("Measured: commit 0123456 of ") == 1
    assert written.count(suite_tables.cases(tmp_path)) == 1
    assert written.count("| device | 7 Closing | 1 | 1 |") == 1


@pytest.mark.parametrize(("promised", "came"), [(2, 2), (0, 1)])
def test_a_run_outlasts_the_pause_of_a_devices_tcp(promised, came, monkeypatch) -> None:
    """The second message comes after 8 s, as where a segment was lost twice."""
    count, now = Count(), [0.0]
    count.add_sequence(1)

    def sleep(seconds: float) -> None:
        now[0] += seconds
        if now[0] == 8:
            count.add_sequence(2)

    monkeypatch.setattr(trial.time, "sleep", sleep)
    monkeypatch.setattr(trial.time, "monotonic", lambda: now[0])
    trial._await_rest(count, promised)
    assert len(count.seen) == came and now[0] < 15
