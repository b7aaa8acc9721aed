"""Does the device exchange messages under OSCORE with aiocoap, also after a restart?"""

from __future__ import annotations

import asyncio
import csv
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

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


class _Tap(asyncio.DatagramProtocol):
    """Passes datagrams between a device and the server at `port`, and keeps them in `seen`."""

    def __init__(self, port: int, seen: list[bytes]) -> None:
        self._server, self._seen = ("127.0.0.1", port), seen
        self._device: tuple[str, int] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, source: tuple[str, int]) -> None:
        if source != self._server:
            self._device = source
        self._seen.append(data)
        self._transport.sendto(data, self._device if source == self._server else self._server)


def _free_port() -> int:
    with socket.socket(type=socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def _exchange(
    runs: list[list[str]], echo: bytes | None, seen: list[bytes] | None
) -> tuple[list[bytes], list[str]]:
    log = _Log()
    port = _free_port()
    inner = aiocoap.resource.Site()
    inner.add_resource(["tw", "data"], server.Sink(log))  # type: ignore[arg-type]
    context = await aiocoap.Context.create_server_context(
        oscore.Site(inner, SETTINGS, echo),
        bind=("127.0.0.1", port),
        transports=["simplesocketserver"],
    )
    if seen is not None:
        loop = asyncio.get_running_loop()
        near = _free_port()
        tap, _ = await loop.create_datagram_endpoint(
            lambda: _Tap(port, seen), local_addr=("127.0.0.1", near)
        )
        port = near
    said = []
    for words in runs:
        child = await asyncio.create_subprocess_exec(
            *map(str, (DEVICE, "proto=oscore", "peer=127.0.0.1", f"port={port}", *words)),
            stdout=asyncio.subprocess.PIPE,
        )
        out, _ = await child.communicate()
        said.append(out.decode())
    if seen is not None:
        tap.close()
    await context.shutdown()
    return log.payloads, said


def exchange(
    *runs: list[str], echo: bytes | None = None, seen: list[bytes] | None = None
) -> tuple[list[bytes], list[str]]:
    """Run the device once for each list of words; what arrived, and its logs.

    `seen` gets all datagrams.
    """
    return asyncio.run(_exchange(list(runs), echo, seen))


def events(log: str, name: str) -> list[dict[str, Any]]:
    return [e for e in map(json.loads, log.splitlines()) if e["ev"] == name]


MEASURED = ROOT / "docs/measured/oscore-rederive.csv"
MODES = {
    "kept": [],
    "new, named in later requests": ["rederive=1"],
    "new, not named": ["rederive=1", "kid_context=0"],
}


def repeated(log: str) -> int:
    """How many messages the device has sent again, by its counters."""
    return max(line.get("retransmitted", 0) for line in map(json.loads, log.splitlines()))


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


def test_a_lost_context_is_replaced_and_kept(tmp_path: Path) -> None:
    anew = ["rederive=1", "entropy=board", "messages=2", "interval_ms=20"]
    kept = [*anew, f"memory={tmp_path / 'memory'}"]
    payloads, said = exchange(anew, kept, kept, [*anew, "kid_context=0"])
    assert len(payloads) == 8
    assert [len(events(log, "acked")) for log in said] == [2] * 4
    # The first request of a context goes twice. The run that found a context has no such request.
    assert [repeated(log) for log in said] == [1, 1, 0, 1]


def test_a_server_without_the_context_gets_a_new_one(tmp_path: Path) -> None:
    kept = ["rederive=1", "entropy=board", "messages=1", f"memory={tmp_path / 'memory'}"]
    first, _ = exchange(kept)
    second, said = exchange(kept)
    assert len(first) == len(second) == 1
    assert repeated(said[0]) == 1


def sizes(*words: str) -> list[int]:
    """Return the bytes of requests and responses, without repetitions and empty messages."""
    seen: list[bytes] = []
    exchange(["entropy=board", "messages=2", "payload_bytes=100", *words], seen=seen)
    return [len(data) for data in dict.fromkeys(seen) if len(data) > 4]


def test_bytes_of_a_new_context() -> None:
    """The figures of docs/measured/oscore-rederive.csv, with 28 bytes of IPv4 and UDP each."""
    with MEASURED.open(encoding="utf-8") as file:
        rows = {row["context"]: row for row in csv.DictReader(file)}
    for name, words in MODES.items():
        found, row = sizes(*words), rows[name]
        *first, request, response = found
        assert len(first) == int(row["messages until the first is delivered"])
        assert sum(first) + 28 * len(first) == int(row["bytes until the first is delivered"])
        assert request + response + 56 == int(row["bytes of a later message"])


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
