"""Without R and tshark, does a command say what to install, and what does a bundle say then?"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from hil import cli
from hil.base.errors import ToolMissing
from hil.base.paths import ROOT
from hil.bundle import store as bundle
from hil.commands import analysis
from hil.design.parameters import effective
from hil.design.trials import nonce
from hil.system import tools
from hil.tests.support.bundles import DOCUMENT, LAB, RAW

OF_R = {"base", "compiler", "parallel", "stats", "tools", "utils"}


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No program is found."""
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setattr(tools, "_SYSTEM", "")


def test_nothing_is_lacking_where_the_project_is_set_up() -> None:
    assert analysis.lacking() == []
    assert analysis.rscript().endswith("/Rscript")


@pytest.mark.usefixtures("bare")
def test_what_is_lacking_is_named_with_its_packages() -> None:
    with pytest.raises(ToolMissing) as error:
        analysis.rscript()
    assert str(error.value) == (
        "Rscript and tshark: not found, needed for the analysis; apt-get install r-base-core "
        "r-cran-data.table r-cran-jsonlite r-cran-yaml tshark"
    )


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize("words", [["analyze"], ["view", "--no-open"]])
def test_each_command_of_the_analysis_says_so(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capture = tmp_path / "one.pcap"
    capture.write_bytes(RAW["wire.pcap"])
    assert cli.main([*words, str(capture)]) == 2
    assert "thinwire: error: Rscript and tshark: not found" in capsys.readouterr().err


def test_the_packages_are_those_that_bundles_and_captures_need() -> None:
    """Of the packages that R's two lower layers name, R itself has some."""
    used = set()
    for layer in ("capture", "study"):
        folder = ROOT / "workflow" / "R" / layer
        for file in [folder / "NAMESPACE", *folder.glob("R/*.R")]:
            text = file.read_text(encoding="utf-8")
            used |= set(re.findall(r"\b([a-z.A-Z]+)::", text))
            used |= set(re.findall(r"importFrom\(([\w.]+)", text))
    used = {name for name in used if not name.startswith("thinwire.")}
    named = {package for packages in analysis.PACKAGES.values() for package in packages}
    assert {f"r-cran-{name}".lower() for name in used - OF_R} <= named
    listed = (ROOT / "setup" / "apt.txt").read_text(encoding="utf-8").split()
    assert named <= set(listed)


@pytest.mark.usefixtures("bare")
def test_the_counts_of_a_bundle_need_no_program(tmp_path: Path) -> None:
    bundle.store(bundle.contents(DOCUMENT, RAW, LAB, tmp_path), tmp_path / "one")
    head, row = analysis.count_lines([tmp_path / "one"])
    assert head.split()[:2] == ["trial", "outcome"]
    assert row.split() == ["coap_r1", "ok", "3", "1", "1", "3"]


def test_a_foreign_program_logs_neither_sent_nor_acknowledged(tmp_path: Path) -> None:
    given = {"protocol": "mqtt", "foreign": True, "link": "netem", "duration_s": 1}
    parameters = effective(given, "test")
    document = DOCUMENT | {"parameters": parameters}
    mark = nonce(document)
    received = {"t": 1, "nonce": mark, "ev": "received", "start": "7b7d", "bytes": 2, "topic": "t"}
    raw = {
        "wire.pcap": RAW["wire.pcap"],
        "board.jsonl": json.dumps({"t": 0, "nonce": mark, "ev": "boot"}).encode() + b"\n",
        "server.jsonl": json.dumps(received).encode() + b"\n",
    }
    lab = LAB | {"nonce": mark}
    bundle.store(bundle.contents(document, raw, lab, tmp_path), tmp_path / "one")
    _, row = analysis.count_lines([tmp_path / "one"])
    assert row.split() == ["coap_r1", "ok", "-", "-", "1", "3"]
