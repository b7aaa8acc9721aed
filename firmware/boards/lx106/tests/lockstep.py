"""Compare the project's emulator of the LX106 (sim/lx106) with QEMU, instruction by instruction.

    python -B lockstep.py INSTRUCTIONS NAME...      runs of `RUNS`, or all, with their counts

QEMU logs the state of its processor before each instruction; our board executes the same
instruction and must reach the same state (sim/lx106/lockstep). Standard library only; needs
THINWIRE_ELF, for TLS beside it thinwire-secure.elf, and THINWIRE_LOCKSTEP, the program.
"""

from __future__ import annotations

import json
import os
import re
import select
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import instructions
from board import NONCE, configuration
from far_end import Answer, Datagrams, Stream

KEYS = Path(__file__).resolve().parents[4] / "data/tls/ec"
PATIENCE_S = 3600.0


class Cable:
    """The peer's end of the wire, with the interface of a board that `far_end` uses."""

    def __init__(self, own: Path, wire: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(own))
        self._wire = str(wire)

    def send(self, frame: bytes) -> None:
        """Send a frame; it is lost if the other end does not exist yet or is full."""
        try:
            self._socket.sendto(frame, socket.MSG_DONTWAIT, self._wire)
        except OSError:
            time.sleep(0.001)

    def receive(self, timeout_s: float) -> bytes | None:
        """The next frame, or None."""
        readable, _, _ = select.select([self._socket], [], [], timeout_s)
        return self._socket.recv(2048) if readable else None

    def close(self) -> None:
        self._socket.close()


Far = Callable[[Any], Stream | Datagrams]


def mqtt(heard: bytes) -> bytes:
    """Return a broker's answer: CONNACK, or PUBACK to a message whose topic has four bytes."""
    if b"MQTT" in heard:
        return bytes.fromhex("20020000")
    found = re.finditer(rb"\x32.{3}(.{4})(..)", heard, re.DOTALL)
    return b"".join(b"\x40\x02" + match[2] for match in found)


def coap(heard: bytes) -> bytes:
    """Answer a confirmable message with 2.04 and its token."""
    length = heard[0] & 15
    return bytes((0x60 | length, 0x44)) + heard[2 : 4 + length] if heard[0] >> 4 == 4 else b""


class Tls:
    """A server that completes handshakes and then ignores the client."""

    def __init__(self) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain(KEYS / "server.pem", KEYS / "server.key")
        self._in, self._out = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._session = context.wrap_bio(self._in, self._out, server_side=True)

    def __call__(self, heard: bytes) -> bytes:
        self._in.write(heard)
        with suppress(ssl.SSLWantReadError):
            self._session.do_handshake()
        return self._out.read()


def to(kind: type[Stream] | type[Datagrams], answer: Callable[[], Answer]) -> Far:
    """Return a far end that answers with this function."""
    return lambda cable: kind(cable, 0, answer())


@dataclass(frozen=True)
class Run:
    """A firmware, its configuration words, and the far end; an instruction takes 2**shift ns."""

    words: str = ""
    far: Far | None = None
    image: str = "thinwire"
    shift: int = 4
    program: bytes = field(default=b"", repr=False)


def fault(name: str) -> Run:
    """A board that commits a fault one millisecond after boot, and restarts."""
    return Run(configuration(start_ms=60000) + f" fault={name}:1")


_FAST: dict[str, Any] = {"interval_ms": 5, "messages": 100000}
RUNS: dict[str, Run] = {
    "mqtt": Run(configuration(qos=1, **_FAST), to(Stream, lambda: mqtt)),
    "coap": Run(
        configuration(proto="coap", port=5683, confirmable=1, **_FAST),
        to(Datagrams, lambda: coap),
    ),
    "tls": Run(
        configuration(security="chain", port=8883, **_FAST), to(Stream, Tls), "thinwire-secure"
    ),
    **{name: fault(name) for name in ("null_store", "unaligned", "divide", "stack", "heap")},
    "assert": fault("assert"),
    "watchdog": Run(configuration(start_ms=60000) + " fault=watchdog:1", shift=10),
    "instructions": Run(program=instructions.elf(3000, 1)),
    "instructions2": Run(program=instructions.elf(3000, 2)),
}


def qemu(run: Run, firmware: str, words: str, here: Path) -> list[str]:
    """QEMU that logs the state before each instruction, attached to a wire in the folder `here`."""
    network = (
        f"dgram,id=cable,local.type=unix,local.path={here / 'qemu'},"
        f"remote.type=unix,remote.path={here / 'wire'}"
    )
    return [
        "qemu-system-xtensa",
        *("-M", "lx60-nommu", "-cpu", "lx106", "-m", "4", "-nodefaults", "-display", "none"),
        *("-icount", f"shift={run.shift},sleep=on", "-semihosting"),
        *("-kernel", firmware, "-append", words),
        *("-netdev", network, "-net", "nic,netdev=cable,model=open_eth"),
        *("-singlestep", "-d", "cpu,nochain", "-D", "/dev/stderr"),
    ]


def follow(run: Run, count: int) -> dict[str, Any]:
    """Run both for this number of instructions; return counts, and the first difference (an empty
    text if none).
    """
    with tempfile.TemporaryDirectory(prefix="thinwire-lockstep-") as folder:
        here = Path(folder)
        firmware = str(Path(os.environ["THINWIRE_ELF"]).with_name(f"{run.image}.elf"))
        if run.program:
            firmware = str(here / "program.elf")
            Path(firmware).write_bytes(run.program)
        words = f"nonce={NONCE} {run.words}"
        sockets = [str(here / name) for name in ("qemu", "wire", "peer", "own")]
        beside = [os.environ["THINWIRE_LOCKSTEP"], str(count), str(2**run.shift * 1000), firmware]
        cable = Cable(here / "peer", here / "own")
        with (here / "qemu.log").open("wb") as log:
            emulator = subprocess.Popen(
                qemu(run, firmware, words, here), stdout=log, stderr=subprocess.PIPE
            )
            follower = subprocess.Popen(
                [*beside, words, *sockets, str(here / "own.log")],
                stdin=emulator.stderr,
                stdout=subprocess.PIPE,
                text=True,
            )
            try:
                far = run.far(cable) if run.far else None
                limit = time.monotonic() + PATIENCE_S
                while follower.poll() is None and time.monotonic() < limit:
                    if far:
                        far.listen()
                    time.sleep(0.001)
                result = dict(json.loads(follower.communicate(timeout=1)[0]))
            finally:
                for process in (emulator, follower):
                    process.send_signal(signal.SIGKILL)
                    process.wait()
                emulator.stderr.close()  # type: ignore[union-attr]
                cable.close()
        own, theirs = ((here / name).read_bytes() for name in ("own.log", "qemu.log"))
        if not result["difference"] and not theirs.startswith(own):
            result["difference"] = "the log is another one"
        result["log_lines"] = own.count(b"\n")
    return result


def main() -> int:
    """Run all, print a line for each; return 1 if there is a difference."""
    count, *names = sys.argv[1:]
    worst = 0
    for name in names or RUNS:
        began = time.monotonic()
        result = follow(RUNS[name], int(count))
        print(f"{name}: {json.dumps(result)} ({time.monotonic() - began:.0f} s)", flush=True)
        worst |= bool(result["difference"])
    return worst


if __name__ == "__main__":
    sys.exit(main())
