"""What a foreign device is: its placeholders, its parameters, and the boards that run it."""

from __future__ import annotations

from typing import Any

import pytest

from hil.base.errors import InputError
from hil.design import board_rules
from hil.design.device import Device
from hil.design.facts import Facts
from hil.design.parameters import effective
from hil.design.trials import Trial

PARAMETERS = {"foreign": True, "protocol": "mqtt", "link": "netem", "duration_s": 10}


def test_placeholders_are_replaced_and_other_braces_stay() -> None:
    device = Device("program", ("./c", "{server}:{port}", '{"a":{b}}'), {"TOPIC": "{topic}/1"})
    found = device.resolved({"server": "10.77.0.1", "port": 1883, "topic": "tw/data"})
    assert found.argv == ("./c", "10.77.0.1:1883", '{"a":{b}}')
    assert found.environment == {"TOPIC": "tw/data/1"}


def test_its_messages_are_its_own_business() -> None:
    found = effective(PARAMETERS, "test")
    assert not {"mode", "qos", "payload_bytes", "interval_ms", "keepalive_s"} & set(found)
    assert effective(found, "test") == found
    facts = Facts.of(found)
    assert (facts.sending_s, facts.port) == (10, 1883)


def test_its_server_may_be_foreign_at_any_port() -> None:
    given: dict[str, Any] = PARAMETERS | {"peer": "program"}
    assert Facts.of(effective(given, "test")).port == 1883
    facts = Facts.of(effective(given | {"server_port": 4000}, "test"))
    assert (facts.port, facts.server.name) == (4000, "program")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"qos": 1}, "qos: does not apply to a foreign device"),
        ({"mode": "mqtt-qos1"}, "does not apply to a foreign device"),
        ({"duration_s": 0}, "duration_s is missing; add it"),
        ({"server_port": 4000}, "server_port: does not apply to peer default"),
        ({"role": "subscribe", "clients": 1}, "interval_ms: is 0"),
        ({"role": "subscribe", "clients": 1, "interval_ms": 9}, "payload_bytes: is missing"),
    ],
)
def test_what_contradicts_it_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as caught:
        effective(PARAMETERS | changes, "test")
    assert said in str(caught.value)


def test_only_boards_for_foreign_devices_run_one() -> None:
    foreign = Facts.of(effective(PARAMETERS, "test"))
    ours = {"mode": "mqtt-qos1", "link": "netem", "duration_s": 10}
    own = Facts.of(effective(ours | {"payload_bytes": 30, "interval_ms": 100}, "test"))
    for board in ("program", "tap", "lx106"):
        board_rules.check(foreign, board, "test")
    for facts, board in ((foreign, "zephyr"), (own, "program"), (own, "tap")):
        with pytest.raises(InputError, match="foreign"):
            board_rules.check(facts, board, "test")


def test_the_document_of_a_trial_states_device_and_server() -> None:
    parameters = effective(PARAMETERS | {"peer": "program"}, "test")
    device, server = Device("program", ("./c",), {"B": "1", "A": "2"}), Device("program", ("./s",))
    trial = Trial("foreign", {}, 1, parameters, board="program", device=device, server=server)
    firmware = {"board": "program", "sha256": "0" * 64}
    document = trial.document(firmware, {}, server_sha256="1" * 64)
    assert Device.of(document["device"]) == device
    assert Device.of(document["server"]) == server
    assert document["server"]["sha256"] == "1" * 64
