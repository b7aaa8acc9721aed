"""Libraries of the published studies as firmware: chosen by a trial, pinned, refused elsewhere."""

from __future__ import annotations

import configparser
import re
from pathlib import Path

import pytest

from hil import foreign
from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.base.schema import schema
from hil.design import libraries
from hil.design.protocols import modes
from hil.design.studies import Study, load_study
from hil.testbeds import runner
from hil.testbeds.virtual import VirtualTestbed

FIRMWARE = ROOT / "firmware"


def study(board: str, **factors: list[str]) -> Study:
    block = {"link": ["netem"], "duration_s": [1], **factors}
    constants = {"payload_bytes": 30, "interval_ms": 100}
    profile = {"repetitions": 1, "blocks": [block]}
    document = {"study": "s", "board": board, "constants": constants, "profiles": {"q": profile}}
    return Study(Path("s.yaml"), document)


def test_a_trial_with_a_library_takes_its_image() -> None:
    named = {each.facts.library for each in load_study("libraries").trials("quick")}
    assert named == {None, *libraries.on("esp8266")}
    for each in load_study("libraries").trials("quick"):
        image = each.facts.library or "nodemcuv2"
        assert runner.firmware(each.board, each.facts).name == f"{image}.bin"
    (one,) = study("lx106", mode=["mqtt-qos1"], library=["lwipmqtt"]).trials("q")
    assert runner.firmware(one.board, one.facts).name == "thinwire-lwipmqtt.elf"


def test_a_library_has_its_board_and_its_modes() -> None:
    with pytest.raises(InputError, match="there is no pubsubclient for the board lx106; write"):
        study("lx106", mode=["mqtt-qos0"], library=["pubsubclient"]).trials("q")
    with pytest.raises(InputError, match="write 'board: lx106'"):
        study("esp8266", mode=["coap-con"], library=["libcoap"]).trials("q")
    with pytest.raises(InputError, match="pubsubclient does not support mqtt-qos1"):
        study("esp8266", mode=["mqtt-qos1"], library=["pubsubclient"]).trials("q")
    with pytest.raises(InputError, match="library: does not apply to protocol http"):
        study("esp8266", mode=["http-kept"], library=["pubsubclient"]).trials("q")


def test_a_library_has_its_roles() -> None:
    with pytest.raises(InputError, match="role: lwipmqtt does not subscribe here; set role to pub"):
        study("lx106", mode=["mqtt-qos0"], library=["lwipmqtt"], role=["subscribe"]).trials("q")
    one = study("lx106", mode=["mqtt-qos0"], library=["rtos-mqtt-3.2"], role=["subscribe"])
    assert len(one.trials("q")) == 1


def test_a_library_has_no_tls() -> None:
    with pytest.raises(InputError, match="security: pubsubclient has no TLS in this firmware"):
        study("esp8266", mode=["mqtt-qos0"], library=["pubsubclient"], security=["chain"]).trials(
            "q"
        )


def flags(config: configparser.ConfigParser, environment: str) -> str:
    """Its build flags, with those of the environment that it refers to."""
    own = config[f"env:{environment}"]["build_flags"]
    return re.sub(r"\$\{env:(\w+)\.build_flags\}", lambda found: flags(config, found[1]), own)


def test_our_engines_have_an_image_for_each_version_of_tls() -> None:
    """... which is an environment that speaks no other, on the sources of the layer."""
    config = configparser.ConfigParser(interpolation=None)
    config.read(FIRMWARE / "boards" / "esp8266" / "platformio.ini")
    assert "<secure/*.c> -<secure/no_tls.c>" in config["secure"]["build_src_filter"]
    trials = load_study("security").trials("quick", "hardware")
    images = {
        (each.parameters.get("tls_version", "1.2"), runner.firmware(each.board, each.facts))
        for each in trials
        if each.parameters["security"] != "none"
    }
    assert {version for version, _ in images} == {"1.2", "1.3"}
    assert len({path for _, path in images}) == len(images)
    for version, path in images:
        number = version.replace(".", "")
        assert f"-DTW_TLS_LEAST={number} -DTW_TLS_MOST={number}" in flags(config, path.stem)


def test_a_board_of_silicon_is_not_in_the_virtual_laboratory(tmp_path: Path) -> None:
    (one, *_) = study("esp8266", mode=["mqtt-qos0"], library=["pubsubclient"]).trials("q")
    with pytest.raises(InputError, match="--testbed: virtual: has no board esp8266"):
        runner.run(one, VirtualTestbed(), tmp_path)


def test_every_library_is_an_environment_with_a_pinned_commit() -> None:
    """... of the protocol that its modes are of, and the schema names the same."""
    config = configparser.ConfigParser(interpolation=None)
    config.read(FIRMWARE / "boards" / "esp8266" / "platformio.ini")
    environments = {
        name.removeprefix("env:"): dict(section)
        for name, section in config.items()
        if "lib_deps" in section
    }
    assert set(environments) == set(libraries.on("esp8266"))
    assert schema("parameters")["properties"]["library"]["enum"] == sorted(libraries.LIBRARIES)
    for name, given in environments.items():
        assert re.fullmatch(r"https://\S+\.git#[0-9a-f]{40}", given["lib_deps"])
        adapter = f"libraries/{name}.cpp"
        assert (FIRMWARE / adapter).exists() and adapter in given["build_src_filter"]
        protocol = re.search(r"-DTW_LIBRARY=(\w+)", given["build_flags"])
        assert protocol and "-DTW_RELEASE=" in given["build_flags"]
        assert {modes()[mode][0].name for mode in libraries.LIBRARIES[name].modes} == {protocol[1]}


@pytest.mark.parametrize("name", libraries.on("lx106"))
def test_every_library_of_the_emulated_board_has_an_adapter_and_an_image(name: str) -> None:
    """... and modes of the one protocol that its image speaks. Those for Arduino and for the RTOS
    SDK are rows of the table of sources."""
    (protocol,) = {modes()[mode][0].name for mode in libraries.LIBRARIES[name].modes}
    source = foreign.load().get(name)
    if source and not source.core:
        text = (FIRMWARE / "rtos/rtos.cmake").read_text(encoding="utf-8")
        release = source.release.rpartition(" ")[2]
        assert f"thinwire_rtos_image({name} {source.adapter} {protocol} {release}\n" in text
        assert (FIRMWARE / "libraries" / "rtos" / f"{source.adapter}.c").exists()
        return
    if source:
        assert (FIRMWARE / "libraries" / f"{source.adapter}.cpp").exists()
        assert {
            "arduinomqtt": "mqtt",
            "espcoap": "coap",
            "lwmqtt": "mqtt",
            "pubsubclient": "mqtt",
        }.get(source.adapter, "websocket") == protocol
        return
    text = (FIRMWARE / "boards/lx106/cmake/libraries.cmake").read_text(encoding="utf-8")
    assert f"add_library_image({name} {protocol} " in text
    assert (FIRMWARE / "libraries" / "lwip" / f"{name}.c").exists()


def test_every_library_for_arduino_is_one_of_the_emulated_board() -> None:
    rows = {name for name, source in foreign.load().items() if source.core}
    own = ("libcoap", "lwipmqtt", "rtos-mqtt-3.2")
    assert rows == {name for name in libraries.on("lx106") if name not in own}
