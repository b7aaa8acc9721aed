"""Do the tables of protocols, parameters and keys agree with the code and the documentation?"""

from __future__ import annotations

import json
import re
import subprocess
from functools import cache

import pytest

from hil.base.paths import ROOT
from hil.base.registry import Registry
from hil.base.schema import load_yaml
from hil.design import protocols
from hil.design.parameters import table
from hil.machine import closure
from hil.peers import CLIENTS, SERVERS, Server
from hil.peers.client import LoadClient
from hil.peers.cloud.server import AUTH
from hil.peers.mqtt.mosquitto import SERVER_TIME
from hil.rig.boards import BOARDS, Board, emulators
from hil.rig.links import air
from hil.system.processes import RANDOMNESS
from hil.testbeds.base import Testbed
from hil.testbeds.runner import TESTBEDS
from hil.tests.support.peers import DEVICE

_ROW = re.compile(r"^\| `(\w+)` \| ([^|]*) \| ([^|]*) \|", re.M)


@cache
def listing() -> str:
    """The keys as the firmware lists them."""
    return subprocess.run([DEVICE, "--keys"], capture_output=True, text=True, check=True).stdout


def keys() -> dict[str, tuple[str, str]]:
    """Key of the firmware -> its values and its default."""
    return {name: (values, default.strip()) for name, values, default in _ROW.findall(listing())}


def test_the_documented_keys_are_those_of_the_firmware() -> None:
    assert listing() in (ROOT / "docs" / "firmware.md").read_text(encoding="utf-8")


def test_the_table_of_protocols_has_its_form() -> None:
    load_yaml(protocols.TABLE, "protocols")


def test_the_firmware_has_the_engines_of_the_table() -> None:
    text = (ROOT / "firmware" / "core" / "app" / "registry.h").read_text(encoding="utf-8")
    assert set(re.findall(r"\bE\((\w+), \w+\)", text)) == set(protocols.protocols())


def test_every_server_of_the_table_can_be_started() -> None:
    assert set(SERVERS) == set(protocols.servers())


@pytest.mark.parametrize(
    ("registry", "kind"),
    [(SERVERS, Server), (CLIENTS, LoadClient), (BOARDS, Board), (TESTBEDS, Testbed)],
)
def test_every_entry_of_a_registry_is_a_class_of_its_kind(registry: Registry, kind: type) -> None:
    for name in registry:
        assert issubclass(registry[name], kind), name


def test_the_image_has_the_libraries_that_programs_are_given() -> None:
    assert set(closure.LIBRARIES) == {AUTH, SERVER_TIME, emulators.CHIP_CLOCK, RANDOMNESS}


def test_a_load_is_promised_where_there_are_clients() -> None:
    promised = {(p.name, role) for p in protocols.protocols().values() for role in p.loads}
    assert promised == set(CLIENTS)


def test_every_mode_is_made_by_parameters_that_apply() -> None:
    for name, (protocol, mode) in protocols.modes().items():
        for key in mode.parameters:
            assert protocol.name in table()[key]["applies"]["protocol"], name


def test_every_parameter_says_what_counts_without_it() -> None:
    required = {"protocol", "mode", "link"}
    for name, rule in table().items():
        assert ("default" in rule) + ("absent" in rule) == (name not in required), name


@pytest.mark.parametrize("name", [name for name, rule in table().items() if "board" in rule])
def test_the_firmware_takes_what_a_parameter_may_be(name: str) -> None:
    rule, values = table()[name], keys()[table()[name]["board"]][0]
    scale = 1000 if name.endswith("_s") and rule["board"].endswith("_ms") else 1
    if bounds := re.fullmatch(r"(-?\d+) to (\d+)(?:, up to \d+ of them)?", values):
        one = rule.get("items", rule)
        allowed = one.get("enum") or [one["minimum"], one["maximum"]]
        ours, theirs = [scale * min(allowed), scale * max(allowed)], list(map(int, bounds.groups()))
        assert theirs[0] <= ours[0] and ours[1] <= theirs[1]
        assert ("narrower" in rule) == ("enum" in rule or ours != theirs)
    elif rule.get("type") == "boolean":
        assert values == "0 or 1"
    elif name != "protocol":
        assert set(rule.get("items", rule)["enum"]) <= set(values.split(", "))


@pytest.mark.parametrize(
    "name", [name for name, rule in table().items() if {"board", "default"} <= set(rule)]
)
def test_the_firmware_has_the_same_default(name: str) -> None:
    rule = table()[name]
    wanted = rule["default"] or "none" if isinstance(rule["default"], list) else rule["default"]
    wanted = int(wanted) if isinstance(wanted, bool) else wanted
    assert keys()[rule["board"]][1] == str(wanted)


def test_the_cell_takes_what_a_parameter_may_be() -> None:
    cell = json.loads((ROOT / "sim" / "air" / "air.schema.json").read_text(encoding="utf-8"))
    rules = cell["$defs"] | cell["properties"]["cell"]["properties"]
    for name, key in {**air.STATION, **air.CELL}.items():
        ours, theirs = table()[name], rules[key]
        if "enum" in theirs:
            assert set(ours["enum"]) <= set(theirs["enum"]), name
        else:
            assert theirs["minimum"] <= ours["minimum"] <= ours["maximum"] <= theirs["maximum"], (
                name
            )
