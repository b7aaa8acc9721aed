"""Is each client and server of the league complete, and does the study put it into each case?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hil.base.errors import InputError
from hil.design import league
from hil.design.device import PROGRAM, values
from hil.design.league import CLIENT, SERVER
from hil.design.studies import load_study
from hil.design.trials import Trial

LOCKS = {
    "pip": "requirements.txt",
    "npm": "package-lock.json",
    "cargo": "Cargo.lock",
    "go": "go.sum",
    "mvn": "jars.sha256",
}
LONGEST = 100  # lines of a client
WORKLOAD = {"messages": 40, "interval_ms": 500, "payload_bytes": 30}
# Programs that set-up installs: what needs no other is in the profile `quick`.
INSTALLED = {"cc", "cp", "cmake", "/usr/bin/coap-client-notls", "/usr/bin/sleep"}


def trials(profile: str = "full", testbed: str = "virtual") -> list[Trial]:
    return load_study("league").trials(profile, testbed)


@pytest.mark.parametrize("name", league.names(CLIENT))
def test_a_client_is_short_and_pins_what_it_is_built_from(name: str) -> None:
    member = league.client(name)
    if member.part is None:
        assert "firmware/lx106" in member.build  # the firmware of this project
        return
    below = member.path.parent
    (source,) = [*below.glob("client.[!_]*"), *below.glob("src/main.rs"), *below.glob("src/*.java")]
    assert len(source.read_text(encoding="utf-8").splitlines()) < LONGEST
    for tool, lock in LOCKS.items():
        if tool in member.build.split():
            assert (below / lock).is_file()


@pytest.mark.parametrize("name", league.names(SERVER))
def test_a_server_pins_what_it_is_built_from(name: str) -> None:
    member = league.server(name)
    for tool, lock in LOCKS.items():
        if tool in member.build.split():
            assert (member.path.parent / lock).is_file()


@pytest.mark.parametrize("name", league.names(CLIENT))
def test_clients_have_one_workload_and_programs_are_told_it(name: str) -> None:
    member = league.client(name)
    assert {key: member.parameters[key] for key in WORKLOAD} == WORKLOAD
    if member.part:
        given = {key.upper(): f"{{{key}}}" for key in (*WORKLOAD, "duration_s")}
        assert given.items() <= member.part.device.environment.items()


def test_every_client_goes_through_every_case_and_every_server_meets_clients() -> None:
    found = {(trial.facts.client, trial.facts.server_program) for trial in trials()}
    usual = [trial for trial in trials() if trial.facts.peer == "default"]
    for name in league.names(CLIENT):
        assert sum(trial.facts.client == name for trial in usual) == 5
    for name in league.names(SERVER):
        assert sum(server == name for _, server in found) >= 2


def test_a_trial_has_the_programs_the_board_and_the_case() -> None:
    (one,) = [
        trial
        for trial in trials()
        if trial.id == "restart_spans-10-15_client-paho-go_server_program-mochi_r1_program"
    ]
    assert (one.board, one.facts.peer, one.facts.server_port) == (PROGRAM, "program", 1883)
    assert one.facts.restart_spans_s == ((10, 15),)
    assert one.device == league.client("paho-go").part.device
    assert one.server == league.server("mochi").part.device


def test_a_case_reaches_the_variables_of_a_program() -> None:
    (one,) = [
        trial
        for trial in trials()
        if trial.facts.messages == 2000 and trial.facts.client == "mqttjs"
    ]
    document = one.document({"board": PROGRAM, "sha256": "0" * 64}, {})
    resolved = one.device.resolved(values(document)).environment
    given = {"MESSAGES": "2000", "INTERVAL_MS": "10", "PAYLOAD_BYTES": "100", "DURATION_S": "30"}
    assert given.items() <= resolved.items()


def test_firmware_of_the_league_runs_on_its_board_and_has_no_package() -> None:
    (one, *_) = [trial for trial in trials() if trial.facts.client == "lx106-libcoap"]
    assert (one.board, one.facts.library, one.device) == ("lx106", "libcoap", None)


def test_physical_boards_run_no_client() -> None:
    assert trials("full", "hardware") == []


def test_the_quick_profile_needs_what_set_up_installs() -> None:
    for trial in trials("quick"):
        build = league.client(trial.facts.client).build.split()
        assert {build[0], *(word for word in build if word.startswith("/"))} <= INSTALLED
        assert trial.facts.server_program is None


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


def test_what_cannot_be_built_is_absent_by_name_and_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(league.shutil, "which", lambda word: None if word == "go" else word)
    absent = league.absent(trials())
    assert ("paho-go", "", "go") in absent.values()
    assert ("libmosquitto", "mochi", "go") in absent.values()
    assert "client-lx106-mqtt_r1" not in absent
    assert {row.program for row in absent.values() if row.client == "go-coap"} == {"go"}


@pytest.mark.parametrize(
    ("line", "instead", "problem"),
    [
        ("port: 1883", "port: 0", "port: 0 is out of range"),
        ("port: 1883", "prot: 1883", "prot"),
        ("protocol: mqtt", "protocol: mqt", "unknown protocol 'mqt'; did you mean 'mqtt'"),
        ("program: ./server", "program: 7", "program: 7 is not of type string"),
    ],
)
def test_a_server_that_is_wrong_is_refused(
    tmp_path: Path, line: str, instead: str, problem: str
) -> None:
    text = league.server("mochi").path.read_text(encoding="utf-8")
    path = tmp_path / league.SERVER_FILE
    path.write_text(text.replace(line, instead), encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        league.read_server(path)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({CLIENT: "paho-gi"}, "'paho-gi' is no folder of league/clients"),
        ({SERVER: "moch"}, "'moch' is no folder of league/servers"),
        ({CLIENT: "aiocoap", SERVER: "mochi"}, "aiocoap speaks coap and mochi speaks mqtt"),
    ],
)
def test_an_impossible_client_or_server_is_refused(given: dict[str, str], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        league.members(given, "here")
