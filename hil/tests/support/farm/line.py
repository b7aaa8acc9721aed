"""The line of a board without silicon: a pseudo-terminal in the place of a USB adapter, and before
it esptool's own server for RFC 2217. DTR and RTS come through a preloaded library (modem_lines.c),
and the rates of the two ends count (uart.py)."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import struct
import termios
import tty
from collections.abc import Callable
from pathlib import Path

from hil.system import preloads, tools
from hil.tests.support.farm import uart
from hil.tests.support.ports import free_port

SERVER = "esp_rfc2217_server"
_TCGETS2, _TERMIOS2 = 0x802C542A, "4I20B2I"  # asm-generic/ioctls.h; c_ospeed is last
_START_S = 60.0


def preload(folder: Path) -> dict[str, str]:
    """Variables for a program that opens the device of a line in this folder."""
    library = preloads.library(Path(__file__).with_name("modem_lines.c"))
    # By its name in a folder: LD_PRELOAD splits at blanks, LD_LIBRARY_PATH does not (ld.so(8)).
    folders = [str(library.parent), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    return {
        "LD_PRELOAD": library.name,
        "LD_LIBRARY_PATH": ":".join(folders),
        "MODEM_LINES": str(folder / "lines"),
    }


class Line:
    """`hear` gets what the host sends, `move` DTR and RTS whenever they are set."""

    def __init__(
        self, folder: Path, hear: Callable[[bytes], None], move: Callable[[bool, bool], None]
    ) -> None:
        self._folder, self._hear, self._move = folder, hear, move
        self._end, self._device = os.openpty()
        tty.setraw(self._device)
        os.set_blocking(self._end, False)
        self._port = free_port()
        self._clients: set[asyncio.StreamWriter] = set()

    async def open(self) -> None:
        """Open the line: the device is FOLDER/tty, DTR and RTS come through FOLDER/lines."""
        lines, device = self._folder / "lines", self._folder / "tty"
        for each in (lines, device):
            each.unlink(missing_ok=True)
        self._lines = await asyncio.start_unix_server(self._follow, str(lines))
        device.symlink_to(os.ttyname(self._device))
        asyncio.get_running_loop().add_reader(self._end, self._read)

    async def serve(self) -> None:
        """Start esptool's server.

        Raises:
            RuntimeError: it does not serve.
        """
        output = self._folder / "server"
        tools.widen_path()
        words = ["setpriv", "--pdeathsig", "KILL", SERVER, "-p", str(self._port)]
        variables = preload(self._folder) | {"PYTHONUNBUFFERED": "1"}
        with output.open("wb") as file:
            self._server = await asyncio.create_subprocess_exec(
                *words, str(self._folder / "tty"), stdout=file, stderr=file,
                env={**os.environ, **variables},
            )  # fmt: skip
        deadline = asyncio.get_running_loop().time() + _START_S
        while b"Waiting for connection" not in output.read_bytes():
            if self._server.returncode is not None or deadline < asyncio.get_running_loop().time():
                raise RuntimeError(output.read_text(errors="replace"))
            await asyncio.sleep(0.05)

    async def _follow(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while state := await reader.read(1):
            self._move(bool(state[0] & termios.TIOCM_DTR), bool(state[0] & termios.TIOCM_RTS))
            writer.write(state)

    def _read(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._hear(os.read(self._end, 65536))

    @property
    def baud(self) -> int:
        """The rate that the host has set."""
        size = struct.calcsize(_TERMIOS2)
        return int(struct.unpack(_TERMIOS2, fcntl.ioctl(self._end, _TCGETS2, bytes(size)))[-1])

    def send(self, data: bytes, baud: int) -> None:
        """Send the chip's bytes at `baud`; they are lost if nobody reads, since a chip has no flow
        control.
        """
        with contextlib.suppress(BlockingIOError):
            os.write(self._end, uart.received(data, baud, self.baud))

    async def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Join a connection of a host with the server, until one of them ends it."""
        theirs, ours = await asyncio.open_connection("127.0.0.1", self._port)
        self._clients |= {writer, ours}
        await asyncio.gather(self._copy(reader, ours), self._copy(theirs, writer))
        self._clients -= {writer, ours}

    @staticmethod
    async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.close()

    def pull(self) -> None:
        """End all connections: the adapter has no power, or its cable is unplugged."""
        for client in self._clients:
            client.close()
