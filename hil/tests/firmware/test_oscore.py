"""Does the device exchange messages under OSCORE with aiocoap, also after a restart?"""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiocoap
import pytest

from hil.base.paths import ROOT
from hil.peers.coap import oscore, server
from hil.rig.boards.lx106 import Lx106
from hil.tests.support.bundles import DOCUMENT
from hil.tests.support.peers import DEVICE

SETTINGS = json.loads(oscore.SETTINGS.read_text(encoding="utf-8"))
CREDENTIALS = ROOT / "firmware/secure/oscore_credentials.py"


class _Log:
    def __init__(self) -> None:
        self.payloads: list[bytes] = []

    def received(self, payload: bytes, **_: object) -> None:
        self.payloads.append(payload)


async def _exchange(runs: list[list[str]], echo: bytes | None) -> tuple[list[bytes], list[str]]:
    log = _Log()
    with socket.socket(type=socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    inner = aiocoap.resource.Site()
    inner.add_resource(["tw", "data"], server.Sink(log))  # type: ignore[arg-type]
    context = await aiocoap.Context.create_server_context(
        oscore.Site(inner, SETTINGS, echo),
        bind=("127.0.0.1", port),
        transports=["simplesocketserver"],
    )
    said = []
    for words in runs:
        child = await asyncio.create_subprocess_exec(
            *map(str, (DEVICE, "proto=oscore", "peer=127.0.0.1", f"port={port}", *words)),
            stdout=asyncio.subprocess.PIPE,
        )
        out, _ = await child.communicate()
        said.append(out.decode())
    await context.shutdown()
    return log.payloads, said


def exchange(*runs: list[str], echo: bytes | None = None) -> tuple[list[bytes], list[str]]:
    """Run the device once for each list of words; what arrived, and its logs."""
    return asyncio.run(_exchange(list(runs), echo))


def events(log: str, name: str) -> list[dict[str, Any]]:
    return [e for e in map(json.loads, log.splitlines()) if e["ev"] == name]


def test_messages_are_acknowledged_in_blocks_too() -> None:
    words = ["messages=3", "interval_ms=20", "payload_bytes=300", "block_bytes=64"]
    payloads, said = exchange(words)
    assert [len(payload) for payload in payloads] == [300] * 3
    assert len(events(said[0], "acked")) == 3


def test_a_server_without_a_replay_window_asks_for_an_echo() -> None:
    payloads, said = exchange(["messages=2", "interval_ms=20"], echo=b"freshly")
    assert len(payloads) == len(events(said[0], "acked")) == 2


def test_the_number_survives_a_restart_with_memory_alone(tmp_path: Path) -> None:
    kept = ["messages=1", f"memory={tmp_path / 'memory'}"]
    payloads, said = exchange(kept, kept, ["messages=1"])
    assert len(payloads) == 2
    assert events(said[2], "failed")[0]["reason"] == "refused"  # its number was used


def test_two_devices_have_contexts_of_their_own() -> None:
    payloads, _ = exchange(["messages=1", "id=tw1"], ["messages=1", "id=tw2", "sender_id=2"])
    assert [payload[:3] for payload in payloads] == [b"tw1", b"tw2"]


def words(number: int) -> list[str]:
    given = DOCUMENT["parameters"] | {"protocol": "oscore", "devices": 12}
    return Lx106.config(DOCUMENT | {"parameters": given}, "00").splitlines()[number - 1].split(" ")


def test_each_device_of_a_trial_has_its_own_sender_id() -> None:
    assert not [word for word in words(1) if word.startswith("sender_id=")]
    assert "sender_id=2" in words(2)
    assert "sender_id=12" in words(12)


@pytest.fixture(params=[("algorithm", "AES-CCM-64-64-128"), ("recipient-id_hex", "736572766572")])
def wrong(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Path, str]]:
    key, value = request.param
    file = tmp_path / "settings.json"
    file.write_text(json.dumps(SETTINGS | {key: value}))
    yield file, key.partition("_")[0]


def test_settings_that_the_firmware_cannot_have_are_named(wrong: tuple[Path, str]) -> None:
    file, key = wrong
    command = [sys.executable, str(CREDENTIALS), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"thinwire: error: {file}: ")
    assert key in done.stderr
    assert done.stderr.count("\n") == 1
