"""Are UFRN's loops run as ufrn.yaml states, and do rows name what is not at hand?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hil.base.documents import read_yaml
from hil.base.paths import ROOT
from hil.selfcheck import library_memory, ufrn

STUDY = read_yaml(ufrn.FOLDER / "ufrn.yaml")
LOOPS = {loop["image"]: loop for loop in STUDY["loops"]}


def test_each_payload_of_the_tables_is_a_trial_of_its_own() -> None:
    made = list(ufrn.trials(STUDY, LOOPS["websockets-2.1.0-core"], 0))
    sizes = [(one.facts.role, one.facts.payload_bytes) for one in made]
    assert sizes[:5] == [("echo", size) for size in (5, 25, 50, 100, 200)]
    assert sizes[5:] == [("publish", size) for size in (5, 25, 50, 100, 200, 400, 800, 1200, 1440)]
    assert len({one.id for one in made}) == len(made)
    for one in made:
        assert (one.facts.peer, one.facts.mss, one.facts.messages) == ("program", 1460, 1000)
        assert one.server is not None
        assert one.server.argv[0] == "./server.js"


def test_nagles_algorithm_is_as_the_library_leaves_it() -> None:
    for image, nagle in (("pubsubclient-2.6-core", True), ("websockets-2.1.0-core", False)):
        assert all(one.facts.nagle is nagle for one in ufrn.trials(STUDY, LOOPS[image], 7))


@pytest.mark.parametrize("server", ["mosca", "ws"])
def test_a_server_is_pinned_by_digests_and_names_no_host(server: str) -> None:
    folder = ufrn.FOLDER / server
    lock = json.loads((folder / "package-lock.json").read_text(encoding="utf-8"))
    parts = {name: part for name, part in lock["packages"].items() if name}
    assert all(part["integrity"].startswith("sha512-") for part in parts.values())
    assert not any("resolved" in part for part in parts.values())
    assert "npm ci" in (folder / "server.yaml").read_text(encoding="utf-8")


def test_what_is_not_at_hand_has_a_row_and_fails_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(library_memory, "built", lambda target: None)
    monkeypatch.setattr("sys.argv", ["ufrn", "--out", str(tmp_path), "--keep", str(tmp_path / "k")])
    assert ufrn.main() == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head == "image,server,trials,note"
    assert len(rows) == len(LOOPS)
    assert all(",0," in row and "its source is not at hand" in row for row in rows)
    assert not (tmp_path / "k").exists()  # what is kept stays as it is


def test_the_images_are_those_of_the_table() -> None:
    rows = read_yaml(ROOT / "firmware" / "libraries" / "sources.yaml")["sources"]
    for image in LOOPS:
        assert rows[image.removesuffix("-core")]["core"] == "2.4.1"
    assert "arduino-core-2.4.1" in rows
