"""A small crate for tests: valid bundles of the study `smoke` with three frames each."""

from __future__ import annotations

from pathlib import Path

from hil import cli
from hil.bundle import store as bundle
from hil.design.studies import load_study
from hil.design.trials import nonce
from hil.tests.support.bundles import LAB, RAW

STUDY = "smoke"


def bundles(root: Path, versions: dict[str, str] | None = None) -> Path:
    """The bundles of the study below `root`/data/raw."""
    for trial in load_study(STUDY).trials("quick"):
        document = trial.document({"board": "lx106", "sha256": "0" * 64}, versions or {})
        mark = nonce(document)
        line = f'{{"t": 1, "nonce": "{mark}", "ev": "boot"}}\n'.encode()
        raw = RAW | {"board.jsonl": line, "server.jsonl": b""}
        lab = LAB | {"nonce": mark, "versions": {"kernel": "6.18"}}
        files = bundle.contents(document, raw, lab, root)
        bundle.store(files, root / "data/raw" / STUDY / trial.id)
    return root / "data/raw"


def make(root: Path, *paths: Path, words: tuple[str, ...] = ()) -> int:
    """Make crates of those bundles; the exit status."""
    data = str(bundles(root))
    out = map(str, paths)
    return cli.main(["crate", "make", STUDY, "--data", data, *words, "--out", *out])
