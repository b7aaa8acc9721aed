"""Is each client of the league complete, and is it put into each case as league.yaml states?"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from hil.base.documents import read_yaml
from hil.base.errors import InputError
from hil.design import expectations, tryfile
from hil.selfcheck import league, league_servers

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
    if tried.device is None:
        assert "firmware/lx106" in tried.build  # the firmware of this project
        return
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
    spans, variables = (CASES[case].get(key, {}) for key in ("interruptions", "environment"))
    assert one.parameters.get("restart_spans_s") == spans.get("server")
    assert one.parameters.get("outage_spans_s") == spans.get("link")
    changed = {"restart_spans_s", "outage_spans_s"}
    if tried.device is None:
        changed |= {key.lower() for key in variables}
        for key, value in variables.items():
            assert one.parameters[key.lower()] == value
    assert {key for key in one.parameters if one.parameters[key] != tried.parameters.get(key)} <= (
        changed
    )
    if tried.device is None or one.device is None:
        assert one.device is tried.device
        return
    given = {key: str(value) for key, value in variables.items()}
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
def test_the_missing_tool_of_a_build_is_named(build: str, tool: str) -> None:
    assert league.missing(build) == tool


def test_fields_are_whole_words_and_the_last_one_counts() -> None:
    text = "refused: a=b\nacknowledged=3 refused=1\nx acknowledged=4\nmemory_kib=12kB\n"
    assert league.fields(text) == {"acknowledged": "4", "refused": "1"}


@pytest.mark.parametrize("name", league.clients())
def test_a_client_on_the_processor_has_the_workload_of_the_others(name: str) -> None:
    tried = tryfile.read(league.FOLDER / "clients" / name)
    if tried.device is None:
        workload = {key.upper(): tried.parameters[key] for key in league.VARIABLES.values()}
    else:
        environment = tried.device.device.environment
        workload = {key: int(environment[key]) for key in league.VARIABLES}
    assert workload == {"MESSAGES": 40, "INTERVAL_MS": 500, "PAYLOAD_BYTES": 30}


@pytest.mark.parametrize("name", league_servers.names())
def test_a_server_pins_what_it_is_built_from_and_takes_a_client(name: str) -> None:
    server = league_servers.read(name)
    for tool, lock in LOCKS.items():
        if tool in server.build.split():
            assert (server.path.parent / lock).is_file()
    protocol = server.parameters["protocol"]
    clients = read_yaml(league.FOLDER / "league.yaml")["servers"]["clients"][protocol]
    assert len(clients) >= 2
    for client in clients:
        tried = tryfile.read(league.FOLDER / "clients" / client)
        one = league_servers.before(tried, server)
        assert one.parameters == tried.parameters | server.parameters
        assert one.trials()[0].server == (server.part.device if server.part else None)


def test_a_client_meets_its_usual_server_and_those_of_its_protocol() -> None:
    document = read_yaml(league.FOLDER / "league.yaml")
    found = [
        (name, server.name if server else "")
        for name, server in league.pairs(["paho-go", "aiocoap", "rumqttc"], document)
    ]
    mqtt = [("paho-go", name) for name in league_servers.names() if name != "libcoap"]
    coap = [("aiocoap", ""), ("aiocoap", "libcoap")]
    assert found == [("paho-go", ""), *mqtt, *coap, ("rumqttc", "")]


def test_a_server_whose_tool_is_missing_has_a_row_that_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = read_yaml(league.FOLDER / "league.yaml")
    server = dataclasses.replace(league_servers.read("mochi"), build="no-such-go build")
    monkeypatch.setattr(league.tries, "build", pytest.fail)
    found = [*league.rows(("libmosquitto", server), document, None, tmp_path, 0)]
    assert found == [["libmosquitto", "mochi", "mqtt", "not built: no no-such-go"]]
