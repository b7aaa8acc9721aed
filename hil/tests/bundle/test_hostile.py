"""Is every study and every bundle accepted, or refused in one line? Hypothesis alters good ones."""

from __future__ import annotations

import copy
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from hil.base.errors import ThinwireError
from hil.base.schema import parameter_names, schema
from hil.bundle import store as bundle
from hil.bundle import verify
from hil.design.studies import load_study
from hil.tests.design.test_studies import FIRMWARE, STUDY
from hil.tests.support.bundles import DOCUMENT, LAB, RAW

Place = tuple[str | int, ...]

# Typical wrong values written by people and programs.
ODD = st.one_of(
    st.sampled_from(
        [None, True, False, -1, 0, 1, 30.0, 2**31, 2**64, -(10**40), float("nan"), float("inf"),
         "", " ", "yes", ".nan", "1e999", "30", "../x", "a\0b", "\u202e", "x" * 5000, [], {}, [[]],
         [None], {"a": {}}, [1, 1], [float("nan")]]
    ),
    st.text(max_size=8),
    st.integers(),
    st.floats(),
    st.lists(st.integers() | st.text(max_size=4), max_size=3),
).map(copy.deepcopy)  # fmt: skip # what is drawn is altered, too
WORDS = st.sampled_from([*parameter_names(), *schema("study")["properties"], "", "x"])


def places(value: Any, at: Place = ()) -> Iterator[Place]:
    """The places of all values within a document."""
    yield at
    if isinstance(value, dict | list):
        for key, child in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(child, (*at, key))


@st.composite
def altered(draw: st.DrawFn, document: Any) -> Any:
    """A document of which one to three values are replaced, removed or joined by others."""
    changed = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 3))):
        *path, last = draw(st.sampled_from([at for at in places(changed) if at] or [(None,)]))
        parent = changed
        for step in path:
            parent = parent[step]
        if last is None:
            break
        action = draw(st.sampled_from(["replace", "remove", "add"]))
        if action == "replace":
            parent[last] = draw(ODD)
        elif action == "remove":
            del parent[last]
        elif isinstance(parent, dict):
            parent[draw(WORDS)] = draw(ODD)
        else:
            parent.append(draw(ODD))
    return changed


@settings(max_examples=150, deadline=None)
@given(altered(STUDY))
def test_a_study_expands_or_is_refused(study: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "sample.yaml")
        path.write_text(yaml.safe_dump(study), encoding="utf-8")
        try:
            found = load_study(path)
            for trial in [*found.trials("quick"), *found.trials("full")]:
                json.dumps(trial.document(FIRMWARE, {}), allow_nan=False)
        except ThinwireError as error:
            assert "\n" not in str(error)


def test_a_design_of_too_many_trials_is_refused(tmp_path: Path) -> None:
    study = copy.deepcopy(STUDY)
    levels = {"payload_bytes": list(range(10, 1000)), "interval_ms": list(range(1, 1000))}
    study["constants"] = {"link": "netem", "duration_s": 5}
    study["profiles"]["quick"]["blocks"] = [{"protocol": ["mqtt"], **levels}]
    path = tmp_path / "sample.yaml"
    path.write_text(yaml.safe_dump(study), encoding="utf-8")
    with pytest.raises(ThinwireError, match="1978020 trials"):
        load_study(path).trials("quick")


@pytest.fixture(autouse=True, scope="module")
def dissected_once() -> Iterator[None]:
    """Dissect each capture only once, since tshark needs a third of a second."""
    known: dict[bytes, Any] = {}
    dissect = verify.captured

    def captured(path: Path) -> dict[str, set[int]]:
        content = path.read_bytes()
        if content not in known:
            known[content] = dissect(path)
        return dict(known[content])

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(verify, "captured", captured)
        yield


def check(files: dict[str, bytes]) -> None:
    """Verify a bundle of these files whose hashes are right."""
    files = {name: data for name, data in files.items() if name != bundle.SUMS}
    files[bundle.SUMS] = bundle.sums(files)
    with tempfile.TemporaryDirectory() as folder:
        for name, data in files.items():
            Path(folder, name).write_bytes(data)
        try:
            verify.check(Path(folder))
        except ThinwireError as error:
            assert "\n" not in str(error)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return bundle.contents(DOCUMENT, RAW, LAB, tmp_path_factory.mktemp("raw"))


@settings(max_examples=100, deadline=None)
@given(trial=altered(DOCUMENT), lab=altered(LAB))
def test_a_bundle_of_odd_values_holds_or_is_refused(
    good: dict[str, bytes], trial: Any, lab: Any
) -> None:
    check(good | {"trial.json": json.dumps(trial).encode()})
    check(good | {"lab.json": json.dumps(lab).encode()})


@settings(max_examples=100, deadline=None)
@given(line=altered({"t": 1, "nonce": LAB["nonce"], "ev": "received", "seq": 2, "bytes": 30}))
def test_a_bundle_of_odd_lines_holds_or_is_refused(good: dict[str, bytes], line: Any) -> None:
    check(good | {"server.jsonl": json.dumps(line).encode() + b"\n"})


@settings(max_examples=150, deadline=None)
@given(name=st.sampled_from(bundle.FILES), at=st.integers(0, 400), piece=st.binary(max_size=24))
def test_a_bundle_of_odd_bytes_holds_or_is_refused(
    good: dict[str, bytes], name: str, at: int, piece: bytes
) -> None:
    data = good[name]
    if name.endswith(".gz"):
        data = verify.pcapng.gzip.decompress(data)
    data = data[:at] + piece + data[at + len(piece) :]
    check(good | {name: verify.pcapng.pack(data) if name.endswith(".gz") else data})
