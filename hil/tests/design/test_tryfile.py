"""Is a thinwire.yaml read as its author meant it, and is each mistake named with its line?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hil.base.errors import InputError
from hil.base.schema import schema
from hil.design import tryfile

SOUND = """\
device: {program: client, arguments: ["{server}:{port}", 50]}
server: mosquitto
link: {delay_ms: 2, loss_pct: 1}
duration_s: 30
expect: {delivered: 100 %}
"""


def read(folder: Path, text: str) -> tryfile.TryFile:
    (folder / tryfile.FILE).write_text(text, encoding="utf-8")
    return tryfile.read(folder)


def refused(folder: Path, text: str) -> str:
    with pytest.raises(InputError) as caught:
        read(folder, text)
    assert caught.value.status == 2
    return str(caught.value).removeprefix(f"{folder / tryfile.FILE}: ")


def test_a_program_is_a_foreign_trial_on_the_board_program(tmp_path: Path) -> None:
    (tmp_path / "client").touch()
    found = read(tmp_path, SOUND + "seeds: [3, 1]\n")
    one, two = found.trials()
    assert (one.repetition, two.repetition, one.board, one.study) == (3, 1, "program", "try")
    assert one.device is not None and one.device.argv == ("./client", "{server}:{port}", "50")
    assert one.seed != two.seed
    facts = one.facts
    assert (facts.foreign, facts.protocol, facts.peer) == (True, "mqtt", "default")
    assert (facts.delay_ms, facts.loss_pct, facts.duration_s) == (2, 1, 30)


def test_a_word_that_is_no_file_is_a_program_of_the_host(tmp_path: Path) -> None:
    part = read(tmp_path, SOUND.replace("client", "mosquitto_pub")).device
    assert part is not None and part.device.argv[0] == "mosquitto_pub" and part.files is None


@pytest.mark.parametrize(
    ("device", "board", "kind"),
    [
        ("script: client.py", "program", "program"),
        ("tap: zephyr.exe", "tap", "tap"),
        ("image: fw.elf", "lx106", "image"),
    ],
)
def test_each_kind_of_device_has_its_board(
    tmp_path: Path, device: str, board: str, kind: str
) -> None:
    text = SOUND.replace("program: client", device)
    found = read(tmp_path, text)
    assert found.board == board
    assert found.device is not None and found.device.device.kind == kind


def test_an_engine_of_ours_is_a_device(tmp_path: Path) -> None:
    text = "device: {engine: coap-con}\nduration_s: 9\nexpect: {delivered: 100 %}\n"
    found = read(tmp_path, text + "parameters: {payload_bytes: 40, interval_ms: 100}\n")
    assert found.board == "lx106" and found.device is None
    assert found.parameters["protocol"] == "coap" and found.parameters["confirmable"] is True


@pytest.mark.parametrize(
    ("server", "protocol", "peer"),
    [
        ("server: mosquitto", "mqtt", "default"),
        ("server: mqtt", "mqtt", "default"),
        ("server: libcoap", "coap", "libcoap"),
        ("server: paho", "mqttsn", "paho"),
        ("protocol: http", "http", "default"),
        ("server: cloud\nprotocol: http", "http", "cloud"),
    ],
)
def test_a_server_is_named_by_protocol_peer_or_product(
    tmp_path: Path, server: str, protocol: str, peer: str
) -> None:
    if peer == "cloud":
        assert "'cloud' speaks mqtt or http" in refused(
            tmp_path, SOUND.replace("mosquitto", "cloud")
        )
        return
    parameters = read(tmp_path, SOUND.replace("server: mosquitto", server)).parameters
    assert (parameters["protocol"], parameters["peer"]) == (protocol, peer)


def test_a_program_of_the_users_may_be_the_server(tmp_path: Path) -> None:
    server = "server: {program: ./broker, port: 1999, files: [data]}\nprotocol: mqtt"
    found = read(tmp_path, SOUND.replace("server: mosquitto", server))
    assert found.server is not None
    assert found.server.device.argv == ("./broker",) and found.server.files == (Path("data"),)
    assert (found.parameters["peer"], found.parameters["server_port"]) == ("program", 1999)


def test_a_cell_with_background_and_interruptions_are_parameters(tmp_path: Path) -> None:
    text = SOUND.replace("link: {delay_ms: 2, loss_pct: 1}", "cell: {wifi_standard: n}")
    text += "background: {profile: web, stations: 3, load_mbps: 2}\n"
    text += "interruptions: {server: [[10, 15]], link: [[20, 21.5]]}\n"
    found = read(tmp_path, text).trials()[0].facts
    assert (found.link, found.wifi_standard) == ("air", "n")
    assert (found.background_profile, found.background_stations) == ("web", 3)
    assert [(one.begin_s, one.end_s) for one in found.restarts] == [(10, 15)]
    assert [(one.begin_s, one.end_s) for one in found.outages] == [(20, 21.5)]


def test_a_limit_that_begins_with_a_bracket_needs_no_quotation_marks(tmp_path: Path) -> None:
    text = SOUND.replace("{delivered: 100 %}", "{memory_free_min: >= 8 kB, duplicates: > -1}")
    found = read(tmp_path, text).expectations
    assert [(one.operator, one.limit) for one in found] == [(">=", 8000), (">", -1)]
    block = SOUND.replace("{delivered: 100 %}", "\n  messages: >= 3 # few\n  sent: >2")
    assert [one.operator for one in read(tmp_path, block.replace(">2", "> 2")).expectations] == [
        ">=",
        ">",
    ]


def test_a_folder_without_the_file_names_the_command_that_makes_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="thinwire new try"):
        tryfile.read(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("device:", "devise:", "line 1: unknown key 'devise'; did you mean 'device'?"),
        ("program:", "progam:", "line 1: device: unknown key 'progam'; did you mean 'program'?"),
        ("program: client", "program: 7", "line 1: device.program: 7 is not of type string"),
        ("program: client", "image: a, tap: b", "line 1: device: has tap and image; give one of"),
        ("program: client", "image: a, environment: {}", "line 1: device.environment: does not ap"),
        ("program: client, ", "", "line 1: device: names nothing that could run"),
        ("program: client", "engine: mqtt-qos1", "line 1: device.arguments: does not apply"),
        ("mosquitto", "mosquito", "line 2: server: no server 'mosquito'; did you mean 'mosq"),
        ("mosquitto", "{port: 1}", "line 2: server: names no program"),
        ("mosquitto", "{program: b}", "line 2: server: has no protocol"),
        ("mosquitto", "mosquitto\nprotocol: coap", "line 2: server: no server 'mosquitto' sp"),
        ("mosquitto", "mosquitto\nprotocol: mqt", "line 3: protocol: unknown protocol 'mqt'; did"),
        ("server: mosquitto\n", "", "names neither server nor protocol"),
        ("delay_ms", "delay", "line 3: link: unknown key 'delay'; did you mean 'delay_ms'?"),
        ("loss_pct: 1", "loss_pct: 101", "line 3: link.loss_pct: 101 is out of range"),
        ("duration_s: 30", "cell: {}\nduration_s: 30", "line 4: cell: is given, and link, too"),
        ("duration_s: 30", "background: {profile: web}\nduration_s: 30", "line 4: background: ne"),
        ("duration_s: 30", "duration_s: 0", "line 4: duration_s: 0 is out of range"),
        ("duration_s: 30\n", "", "'duration_s' is missing; add it"),
        ("expect:", "seeds: 0\nexpect:", "line 5: seeds: 0 is out of range"),
        ("expect:", "seeds: [1, 1]\nexpect:", "line 5: seeds: [1, 1] has non-unique elements"),
        ("expect:", "interruptions: {link: [[9, 3]]}\nexpect:", "line 5: interruptions.link: [9"),
        ("expect:", "parameters: {qos: 1}\nexpect:", "line 5: parameters.qos: does not apply to"),
        ("expect:", "parameters: {qoss: 1}\nexpect:", "line 5: parameters.qoss: unknown parameter"),
        ("expect:", "parameters: {client: x}\nexpect:", "line 5: parameters.client: unknown param"),
        ("expect:", "parameters: {peer: paho}\nexpect:", "line 5: parameters.peer: is stated else"),
        (
            "delivered",
            "mesages",
            "line 5: expect.mesages: unknown metric; did you mean 'messages'?",
        ),
        ("100 %", "100 pct", "line 5: expect.delivered: unknown unit 'pct'; known are"),
        ("100 %", "about 100", "line 5: expect.delivered: 'about 100' is no expectation; write"),
        ("100 %", "[1]", "line 5: expect.delivered: [1] is not of type string or number"),
        ("{delivered: 100 %}", "{}", "line 5: expect: {} "),
        ("{delivered: 100 %}", "{a: 1", "is not valid YAML: line"),
    ],
)
def test_a_mistake_is_named_with_line_key_and_remedy(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    assert old in SOUND
    assert refused(tmp_path, SOUND.replace(old, new)).startswith(words)


def test_link_and_cell_offer_the_parameters_that_apply_to_them() -> None:
    of_chip = {"sleep_type", "phy_mode", "tx_power_dbm", "tx_rate_mbps"}
    table: dict[str, Any] = schema("parameters")["properties"]
    known = schema("try")["properties"]
    for section, link in (("link", "netem"), ("cell", "air")):
        wanted = {
            name
            for name, rule in table.items()
            if rule.get("applies", {}).get("link") == [link] and not name.startswith("background_")
        }
        assert set(known[section]["properties"]) == wanted - of_chip
    background = {f"background_{name}" for name in known["background"]["properties"]}
    assert background == {name for name in table if name.startswith("background_")}
    references = json.dumps(known).count("parameters.schema.json#/properties/")
    assert references >= 20
