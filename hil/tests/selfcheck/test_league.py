"""Is each client of the league complete, and is it put into each case as league.yaml states?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hil.base.documents import read_yaml
from hil.base.errors import InputError
from hil.design import expectations, tryfile
from hil.selfcheck import league

CASES = read_yaml(league.FOLDER / "league.yaml")["cases"]
LOCKS = {
    "pip": "requirements.txt",
    "npm": "package-lock.json",
    "cargo": "Cargo.lock",
    "go": "go.sum",
}
LONGEST = 100  # lines of a client


@pytest.mark.parametrize("name", league.clients())
def test_a_client_is_short_and_pins_what_it_is_built_from(name: str) -> None:
    tried = tryfile.read(league.FOLDER / "clients" / name)
    (source,) = [*tried.folder.glob("client.[!_]*"), *tried.folder.glob("src/main.rs")]
    assert len(source.read_text(encoding="utf-8").splitlines()) < LONGEST
    for tool, lock in LOCKS.items():
        if tool in tried.build.split():
            assert (tried.folder / lock).is_file()


@pytest.mark.parametrize("name", league.clients())
@pytest.mark.parametrize("case", CASES)
def test_a_case_changes_variables_and_interruptions_only(name: str, case: str) -> None:
    tried = tryfile.read(league.FOLDER / "clients" / name)
    one = league.in_case(tried, CASES[case])
    assert one.device and tried.device
    spans = CASES[case].get("interruptions", {})
    assert one.parameters.get("restart_spans_s") == spans.get("server")
    assert one.parameters.get("outage_spans_s") == spans.get("link")
    assert {**one.parameters, "restart_spans_s": 0, "outage_spans_s": 0} == {
        **tried.parameters,
        "restart_spans_s": 0,
        "outage_spans_s": 0,
    }
    given = {key: str(value) for key, value in CASES[case].get("environment", {}).items()}
    assert one.device.device.environment == tried.device.device.environment | given
    assert one.device.device.argv == tried.device.device.argv


def test_a_case_with_impossible_interruptions_is_refused() -> None:
    tried = tryfile.read(league.FOLDER / "clients" / "libmosquitto")
    with pytest.raises(InputError, match=r"league\.yaml"):
        league.in_case(tried, {"interruptions": {"server": [[15, 10]]}})


def test_the_metrics_exist() -> None:
    names = read_yaml(league.FOLDER / "league.yaml")["metrics"]
    assert expectations.parse(dict.fromkeys(names, ">= 0"), "league.yaml", names)


@pytest.mark.parametrize(
    ("build", "tool"),
    [
        ("CGO_ENABLED=0 no-such-go build", "no-such-go"),
        ("cp /usr/bin/no-such-client .", "/usr/bin/no-such-client"),
        ("sh -c true", ""),
        ("", ""),
    ],
)
def test_the_missing_tool_of_a_build_is_named(tmp_path: Path, build: str, tool: str) -> None:
    (tmp_path / tryfile.FILE).write_text(
        "device: {program: sh}\nserver: mosquitto\nduration_s: 5\nexpect: {delivered: 1}\n"
        + (f"build: {build}\n" if build else "")
    )
    assert league.missing(tryfile.read(tmp_path)) == tool


def test_fields_are_whole_words_and_the_last_one_counts() -> None:
    text = "refused: a=b\nacknowledged=3 refused=1\nx acknowledged=4\nmemory_kib=12kB\n"
    assert league.fields(text) == {"acknowledged": "4", "refused": "1"}
