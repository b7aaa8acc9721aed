"""Are config.yaml and data/recordings.yaml read correctly, or refused in one line with file and
remedy? Hypothesis alters good ones; Snakemake's own loader reads the configuration.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hil import recordings
from hil.base.documents import parse_yaml, read_yaml
from hil.base.errors import InputError, ThinwireError
from hil.base.paths import ROOT
from hil.crate.read import configured
from hil.design.settings import PATHS, check, make_plain
from hil.design.studies import load_study
from hil.rig.boards import zephyr
from hil.tests.bundle.test_hostile import altered

CONFIG = parse_yaml((ROOT / "config.yaml").read_text(encoding="utf-8")) | {"studies": ["smoke"]}
NOWHERE = "http://127.0.0.1:9"
INDEX = {
    "recordings": {
        "samples": {
            "title": "A sample",
            "source": "kuleuven2019",
            "base": NOWHERE,
            "device": "192.168.0.226",
            "captures": {
                name: {
                    "file": f"MQTT/{name}.pcapng",
                    "digest": f"git-blob:{number}2345678",
                    "topic": "/control",
                    "cell": "MQTT QoS 0, 1 client",
                }
                for number, name in enumerate(("one", "two"))
            },
        }
    }
}
# Parts of a good document, and spellings on which YAML's versions differ.
WORDS = [
    "yes",
    "off",
    "~",
    "010",
    "0x1f",
    "12:30",
    "2020-01-01",
    "1_000",
    "1e3",
    ".nan",
    "<<",
    "a\n",
]


@st.composite
def written(draw: st.DrawFn, document: Any) -> str:
    """The YAML of an altered document, with some values as plain words."""
    text = yaml.safe_dump(draw(altered(document)), allow_unicode=True)
    lines = text.splitlines(keepends=True)
    if lines and draw(st.booleans()):
        at = draw(st.integers(0, len(lines) - 1))
        key, colon, _ = lines[at].partition(": ")
        lines[at] = f"{key}{colon}{draw(st.sampled_from(WORDS)).strip()}\n"
        if draw(st.booleans()):
            lines.insert(at, draw(st.sampled_from([lines[at], f"{key}: &a 1\n", "\t\n"])))
    return "".join(lines)


def in_one_line(error: ThinwireError) -> None:
    """Check that the refusal is one line with file, problem and remedy."""
    assert isinstance(error, InputError)
    assert str(error).isprintable()
    assert all((error.source, error.problem, error.remedy))


@pytest.fixture(autouse=True)
def _nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Exclude relative folders and a mirror named by the shell."""
    monkeypatch.delenv("THINWIRE_MIRROR", raising=False)
    monkeypatch.chdir(tmp_path)


# Snakemake may have a Python of its own (under Nix it has): it reads the files as a workflow does.
READER = """
from multiprocessing.connection import Connection
import yaml
from snakemake.common.configfile import load_configfile
from snakemake_interface_common.exceptions import WorkflowError

with Connection(config["ask"]) as asked:
    while path := asked.recv():
        try:
            asked.send(load_configfile(path))
        except (WorkflowError, yaml.YAMLError, AssertionError):
            asked.send(None)
"""
Load = Callable[[Path], dict[str, Any] | None]


@pytest.fixture(scope="module")
def load_configfile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Load]:
    """Snakemake's loader of configurations; None for a file that it refuses."""
    folder = tmp_path_factory.mktemp("snakemake")
    (folder / "Snakefile").write_text(READER, encoding="utf-8")
    ours, theirs = Pipe()
    words = ["snakemake", "--dry-run", "--config", f"ask={theirs.fileno()}"]
    with (
        subprocess.Popen(
            words, cwd=folder, stderr=subprocess.DEVNULL, pass_fds=[theirs.fileno()]
        ) as snakemake,
        ours,
    ):
        theirs.close()  # so that an end of Snakemake is an end of file here

        def load(path: Path) -> dict[str, Any] | None:
            ours.send(str(path))
            found: dict[str, Any] | None = ours.recv()
            return found

        yield load
        ours.send("")
        assert snakemake.wait(60) == 0


def read_configuration(load: Load, path: Path) -> dict[str, Any] | None:
    """The workflow's configuration from a file; None if Snakemake itself refuses it."""
    config = load(path)
    if config is None:
        return None
    check(config, [path])
    for name in config["studies"]:
        load_study(name)
    configured(config)
    if config.get("zephyr"):
        zephyr.tree(config["zephyr"])
    recordings.reachable(config["recordings"], config["mirror"], path.with_name("recordings.yaml"))
    return config


@settings(max_examples=200, deadline=None)
@given(text=written(CONFIG))
@example(text=yaml.safe_dump(CONFIG | {"studies": ["x" * 300]}))  # no name of a file
@example(text=yaml.safe_dump(CONFIG | {"zephyr": "\U00018cd6"}, allow_unicode=True))  # hidden
def test_a_configuration_means_what_it_says_or_is_refused(load_configfile: Load, text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "config.yaml")
        path.write_text(text, encoding="utf-8")
        path.with_name("recordings.yaml").write_text(
            json.dumps({"recordings": {}}), encoding="utf-8"
        )
        try:
            config = read_configuration(load_configfile, path)
        except ThinwireError as error:
            in_one_line(error)
            return
        if config is not None:
            said = read_yaml(path)
            make_plain(said)
            said |= {key: repr(said[key]) for key in PATHS if isinstance(said.get(key), float)}
            assert config == said


@settings(max_examples=200, deadline=None)
@given(text=written(INDEX))
@example(text=yaml.safe_dump(INDEX).replace("MQTT/one", "x" * 300))
@example(text=yaml.safe_dump(INDEX).replace("one:", "x" * 300 + ":"))
def test_an_index_of_captures_means_what_it_says_or_is_refused(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "recordings.yaml")
        path.write_text(text, encoding="utf-8")
        try:
            found = recordings.load(path)
            said = read_yaml(path)["recordings"].values()
            assert list(found) == [name for study in said for name in study["captures"]]
            for name in recordings.reachable("yes", folder, path):
                recordings.fetch(name, folder, Path(folder, "out"), path)
        except ThinwireError as error:
            in_one_line(error)
