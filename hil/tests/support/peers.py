"""Support for the tests of the peers: free ports, real programs, a broker, a device on loopback."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from hil.base.paths import ROOT
from hil.system import tools
from hil.tests.support.ports import free_port

DEVICE = ROOT / "build" / "firmware" / "host" / "thinwire-host"
LIMIT_S = 20


def need(program: str, optional: bool = False) -> str:
    """The path of a program; without it the test fails, or is skipped if it is optional."""
    found = tools.find(program)
    if found is None:
        (pytest.skip if optional else pytest.fail)(f"{program} is not installed")
    return found


async def output(*argv: str, text: bytes = b"") -> str:
    """What a program prints; fails the test if its exit status is not 0."""
    process = await asyncio.create_subprocess_exec(
        *argv,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await asyncio.wait_for(process.communicate(text), LIMIT_S)
    assert process.returncode == 0, f"{argv}: {said.decode()}"
    return said.decode()


async def accepts(port: int, limit_s: float = 5) -> None:
    """Wait until something accepts connections on a port of 127.0.0.1."""
    for _ in range(int(limit_s * 100)):
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            return
        await asyncio.sleep(0.01)
    raise TimeoutError(f"port {port}")


@contextlib.asynccontextmanager
async def running(*argv: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """A program that runs while the block does; its output can be read."""
    process = await asyncio.create_subprocess_exec(
        *argv,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


class _Late(asyncio.DatagramProtocol):
    """Hands on each datagram after a time: those of `to`'s clients to it, its own back to them."""

    def __init__(self, delay_s: float, send: Callable[[bytes, tuple[str, int]], None]) -> None:
        self._delay_s, self._send = delay_s, send

    def datagram_received(self, data: bytes, address: tuple[str, int]) -> None:
        asyncio.get_running_loop().call_later(self._delay_s, self._send, data, address)


@contextlib.asynccontextmanager
async def delayed(port: int, target: int, delay_s: float) -> AsyncIterator[None]:
    """A slow network before the UDP port `target`: who sends to `port` reaches it `delay_s` later,
    and its answers are as late. For one client."""
    loop, client = asyncio.get_running_loop(), ("127.0.0.1", 0)

    def forward(data: bytes, address: tuple[str, int]) -> None:
        nonlocal client
        client = address
        outside.sendto(data)

    inside, _ = await loop.create_datagram_endpoint(
        lambda: _Late(delay_s, forward), local_addr=("127.0.0.1", port)
    )
    outside, _ = await loop.create_datagram_endpoint(
        lambda: _Late(delay_s, lambda data, _: inside.sendto(data, client)),
        remote_addr=("127.0.0.1", target),
    )
    try:
        yield
    finally:
        inside.close()
        outside.close()


def client(name: str, port: int, words: str, *more: str) -> list[str]:
    """The command of a client for a broker of this host; `words` are split at blanks."""
    return [need(name), "-p", str(port), *words.split(), *more]


def device_command(namespace: str, words: dict[str, object]) -> list[str]:
    """The command that runs the firmware as a process in a namespace."""
    given = (f"{key}={value}" for key, value in words.items())
    return ["ip", "netns", "exec", namespace, str(DEVICE), *given]


@contextlib.asynccontextmanager
async def broker(folder: Path) -> AsyncIterator[int]:
    """A mosquitto on loopback; its port."""
    port, conf = free_port(), folder / "mosquitto.conf"
    conf.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\nuser root\n")
    async with running(need("mosquitto"), "-c", str(conf)):
        await accepts(port)
        yield port


async def device(**words: str | int) -> list[dict[str, Any]]:
    """Run the firmware as a process until its end; its log."""
    if not DEVICE.exists():
        pytest.fail(f"{DEVICE} is not built (cmake -S firmware/boards/host)")
    settings = {"nonce": "00c0ffee", "id": "b1", "ip": "127.0.0.1", "peer": "127.0.0.1", **words}
    said = await output(str(DEVICE), *(f"{key}={value}" for key, value in settings.items()))
    return [json.loads(line) for line in said.splitlines()]


def written(log: object, file: Path) -> list[dict[str, Any]]:
    """The lines of a server's log."""
    log.write()  # type: ignore[attr-defined]
    return lines(file)


def lines(file: Path) -> list[dict[str, Any]]:
    """The objects of a JSON-lines file."""
    return [json.loads(line) for line in file.read_text().splitlines()]
