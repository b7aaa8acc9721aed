"""Does the device work with Eclipse Paho's gateway too? Skipped where it is not installed."""

from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path

import pytest

from hil.base.errors import LabError
from hil.bundle import verify
from hil.design.parameters import effective
from hil.design.payload import sequence
from hil.design.trials import Trial
from hil.peers.mqttsn import paho_gateway
from hil.rig.rig import Rig
from hil.testbeds import runner
from hil.testbeds.base import Testbed
from hil.testbeds.live import LiveTestbed
from hil.testbeds.virtual import VirtualTestbed
from hil.tests.support import peers

COUNT = 20
TRIAL = {
    "protocol": "mqttsn",
    "peer": "paho",
    "payload_bytes": 100,
    "keepalive_s": 60,
    "messages": COUNT,
    "duration_s": 300,
}
NETEM = {"link": "netem", "delay_ms": 2, "jitter_ms": 0.5}
TESTBEDS = {
    "uml": lambda: VirtualTestbed("uml"),
    "qemu": lambda: VirtualTestbed("qemu"),
    "live": LiveTestbed,
}


def test_configuration_names_no_foreign_host() -> None:
    text = paho_gateway.configuration(1886, 1887, 1888)
    settings = dict(line.split("=") for line in text.splitlines())
    assert settings["BrokerName"] == "127.0.0.1"
    assert settings["MulticastIP"] == "224.0.0.1"
    assert settings["QoS-1"] == "NO"


@pytest.mark.parametrize("qos", [0, 1, 2])
@pytest.mark.parametrize("kind", ["normal", "short"])
def test_every_message_arrives_once(tmp_path: Path, qos: int, kind: str) -> None:
    topic = "ab" if kind == "short" else "tw/data"
    program = peers.need(paho_gateway.PROGRAM, optional=True)

    async def main() -> tuple[list[dict[str, object]], list[str]]:
        port, group = (peers.free_port(socket.SOCK_DGRAM) for _ in range(2))
        conf = tmp_path / "gateway.conf"
        async with peers.broker(tmp_path) as broker:
            conf.write_text(paho_gateway.configuration(port, group, broker))
            async with peers.running(program, "-f", str(conf)):
                command = peers.client("mosquitto_sub", broker, f"-t # -C {COUNT} -W 5")
                subscriber = await asyncio.create_subprocess_exec(
                    *command, stdout=asyncio.subprocess.PIPE
                )
                await asyncio.sleep(0.5)
                said = await peers.device(
                    proto="mqttsn",
                    port=port,
                    qos=qos,
                    topic=topic,
                    topic_type=kind,
                    messages=COUNT,
                    interval_ms=10,
                )
                arrived, _ = await asyncio.wait_for(subscriber.communicate(), 10)
        return said, arrived.decode().splitlines()

    said, arrived = asyncio.run(main())
    assert said[-1]["acked"] == (COUNT if qos else 0)
    numbers = [sequence(line.encode()) for line in arrived]
    assert numbers == [line["seq"] for line in said if line["ev"] == "sent"]


def run_trial(place: Testbed, folder: Path, qos: int, **more: object) -> verify.Summary:
    """A trial with the gateway; what its bundle holds."""
    parameters = effective(TRIAL | {"qos": qos, "interval_ms": 50} | more, "paho")
    trial = Trial("pahotest", {"qos": qos}, 1, parameters, place.name)
    return verify.check(runner.run(trial, place, folder).folder)


@pytest.mark.lab
@pytest.mark.parametrize("testbed", ["uml", "qemu", pytest.param("live", marks=pytest.mark.root)])
def test_a_trial_in_the_lab(tmp_path: Path, testbed: str) -> None:
    peers.need(paho_gateway.PROGRAM, optional=True)
    if testbed == "live" and os.geteuid() != 0:
        pytest.skip("needs root")
    # not every host's kernel has netem
    link = {"link": "air", "wifi_standard": "g"} if testbed == "live" else NETEM
    found = run_trial(TESTBEDS[testbed](), tmp_path, 1, **link)
    assert found.outcome in ("ok", "invalid" if testbed == "live" else "ok"), found.reason
    assert found.sent == found.acknowledged == found.received == COUNT


@pytest.mark.lab
@pytest.mark.parametrize("qos", [0, 1, 2])
def test_a_lossy_trial_in_the_lab(tmp_path: Path, qos: int) -> None:
    peers.need(paho_gateway.PROGRAM, optional=True)
    place = VirtualTestbed("uml")
    found = run_trial(place, tmp_path, qos, **NETEM, loss_pct=2, interval_ms=5000)
    assert found.outcome == "ok", found.reason
    assert found.sent == COUNT
    assert 0 < found.acknowledged <= found.received if qos else 0 < found.received <= COUNT


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root and network namespaces")
def test_a_gateway_that_ends_at_once_is_told_with_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / paho_gateway.PROGRAM
    program.write_text("#!/bin/sh\necho it does not like this day\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    rig = Rig(f"paho{os.getpid()}", tmp_path / "rig")
    try:
        with pytest.raises(LabError, match="ended with status 1: it does not like this day"):
            rig.prepare(["paho"])
        children = rig.servers["paho"].children
        assert any(child.alive() for child in children)
    finally:
        rig.close()
    assert not any(child.alive() for child in children)
