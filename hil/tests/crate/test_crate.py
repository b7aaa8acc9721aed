"""Does a crate describe its contents, is it the same each time, and does a validator accept it?"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import rocrate
from requests import Response
from requests.adapters import BaseAdapter, HTTPAdapter
from rocrate.rocrate import ROCrate
from urllib3 import HTTPResponse

from hil import cli
from hil.bundle import store as bundle
from hil.crate.layout import METADATA, PROFILE
from hil.design.studies import load_study
from hil.tests.support.crates import STUDY, bundles, make

VALIDATOR = Path(sys.executable).parent / "rocrate-validator"
CONTEXT = "https://w3id.org/ro/crate/1.1/context"
ORCID = "0000-0002-1825-0097"  # of ORCID's own example


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one crate twice: a folder and a zip file."""
    place = tmp_path_factory.mktemp("crate")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "1577836800")
        words = ("--author", f"Jane Roe={ORCID}", "--doi", "10.5281/zenodo.1234567")
        assert make(place, place / "crate", place / "crate.zip", words=words) == 0
    return place


def graph(folder: Path) -> dict[str, dict[str, Any]]:
    text = (folder / METADATA).read_text(encoding="utf-8")
    return {entity["@id"]: entity for entity in json.loads(text)["@graph"]}


class OneAnswer(BaseAdapter):
    """Answers every request with the same bytes."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.data = data

    def send(self, request: Any, *_: Any, **__: Any) -> Response:
        headers = {"Content-Type": "application/ld+json"}
        raw = HTTPResponse(io.BytesIO(self.data), headers, 200, preload_content=False)
        return HTTPAdapter().build_response(request, raw)

    def close(self) -> None:
        pass


def context() -> bytes:
    """RO-Crate's terms, so that the validator needs no network: those of 1.3, which the library
    includes, with the four that 1.1 has elsewhere.
    """
    path = Path(rocrate.__file__).parent / "data/ro-crate.jsonld"
    document = json.loads(path.read_text(encoding="utf-8"))
    bioschemas = "https://bioschemas.org/"
    document["@context"] |= {
        "ComputationalWorkflow": f"{bioschemas}ComputationalWorkflow",
        "FormalParameter": f"{bioschemas}FormalParameter",
        "input": f"{bioschemas}ComputationalWorkflow#input",
        "output": f"{bioschemas}ComputationalWorkflow#output",
    }
    return json.dumps(document).encode()


def validate(crate: Path, cache: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """The validator's findings about a crate, by the crate's own profile, without a network."""
    import requests_cache  # noqa: PLC0415 - the validator's

    with requests_cache.CachedSession(cache_name=str(cache), backend="sqlite") as session:
        session.mount("https://", OneAnswer(context()))
        assert session.get(CONTEXT).status_code == 200
    words = ["-y", "--disable-color", "validate", "--offline", "--cache-path", str(cache)]
    words += ["-l", "required", "-f", "json", "-v", "--no-paging"]
    return subprocess.run(
        [VALIDATOR, *words, *options, str(crate)],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif("THINWIRE_NIX" in os.environ, reason="nixpkgs has no roc-validator")
def test_the_validator_passes_it_and_not_one_that_lacks_a_licence(
    made: Path, tmp_path: Path
) -> None:
    done = validate(made / "crate", tmp_path / "cache")
    assert done.returncode == 0, done.stdout + done.stderr
    assert '"workflow-run-crate-0.5"' in done.stdout
    bad = tmp_path / "bad"
    bad.mkdir()
    with zipfile.ZipFile(made / "crate.zip") as file:
        file.extractall(bad)
    text = json.loads((bad / METADATA).read_text(encoding="utf-8"))
    for entity in text["@graph"]:
        if entity["@id"] == "./":
            del entity["license"]
    (bad / METADATA).write_text(json.dumps(text), encoding="utf-8")
    assert validate(bad, tmp_path / "cache", "--fail-fast").returncode == 1


def test_it_says_who_made_it_with_what_and_what_each_file_is(made: Path) -> None:
    entities = graph(made / "crate")
    root = entities["./"]
    assert {"@id": PROFILE} in root["conformsTo"]
    assert root["author"] == [{"@id": f"https://orcid.org/{ORCID}"}]
    assert entities[f"https://orcid.org/{ORCID}"]["name"] == "Jane Roe"
    assert root["identifier"] == "https://doi.org/10.5281/zenodo.1234567"
    assert root["license"] == {"@id": "https://spdx.org/licenses/Apache-2.0"}
    assert root["datePublished"] == "2020-01-01"
    assert entities["#software-kernel-6.18"]["softwareVersion"] == "6.18"
    action = entities[f"#run-{STUDY}"]
    assert action["instrument"] == {"@id": "workflow/Snakefile"}
    assert {"@id": f"data/raw/{STUDY}/"} in action["result"]
    files = {str(p.relative_to(made / "crate")) for p in (made / "crate").rglob("*") if p.is_file()}
    named = {name for name, entity in entities.items() if "File" in entity["@type"]}
    assert named == files - {METADATA}
    for name in named:
        path = made / "crate" / name
        assert entities[name]["sha256"] == bundle.file_digest(path)
        assert entities[name]["contentSize"] == str(path.stat().st_size)


def test_the_library_reads_it_back(made: Path) -> None:
    crate = ROCrate(made / "crate.zip")
    assert crate.mainEntity.id == "workflow/Snakefile"
    trials = {trial.id for trial in load_study(STUDY).trials("quick")}
    parts = {part.id.split("/")[-2] for part in crate.get(f"data/raw/{STUDY}/")["hasPart"]}
    assert parts == trials


def test_the_same_bundles_make_the_same_bytes(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1577836800")
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    before = os.umask(0o077)
    try:
        words = ("--author", f"Jane Roe={ORCID}", "--doi", "10.5281/zenodo.1234567")
        assert make(tmp_path, tmp_path / "again.zip", words=words) == 0
    finally:
        os.umask(before)
    assert (tmp_path / "again.zip").read_bytes() == (made / "crate.zip").read_bytes()


def test_it_holds_and_its_bundles_come_back_as_they_were(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("crate", "crate.zip"):
        assert cli.main(["crate", "verify", str(made / name), "--json"]) == 0
        summary = json.loads(capsys.readouterr().out)
        assert (summary["testbed"], summary["studies"]) == ("virtual", {STUDY: {"ok": 2}})
        into = tmp_path / name
        assert cli.main(["crate", "unpack", str(made / name), "--into", str(into)]) == 0
        capsys.readouterr()
        stored = sorted((into / "data/raw").rglob("*.*"))
        assert stored
        for path in stored:
            if path.is_file():
                assert path.read_bytes() == (made / path.relative_to(into)).read_bytes()


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--author", "Jane Roe=0000-0002-1825-0098"), "is no ORCID"),
        (("--author", "=0000-0002-1825-0097"), "has no name"),
        (("--doi", "zenodo.12"), "is no DOI"),
        (("--profile", "full"), "is missing (5 of 5 bundles"),
    ],
)
def test_what_cannot_be_packed_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], text: str
) -> None:
    assert make(tmp_path, tmp_path / "crate", words=words) == 2
    said = capsys.readouterr().err
    assert text in said and said.count("\n") == 1
    assert not (tmp_path / "crate").exists()


def test_a_bundle_that_does_not_hold_is_not_packed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = bundles(tmp_path)
    path = min(data.rglob("lab.json"))
    path.write_bytes(path.read_bytes() + b"\n")
    out = tmp_path / "crate.zip"
    assert cli.main(["crate", "make", STUDY, "--data", str(data), "--out", str(out)]) == 1
    assert "lab.json: has changed" in capsys.readouterr().err
    assert not out.exists()
