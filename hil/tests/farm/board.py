"""A board without silicon: python -m hil.tests.farm.board PORT MAC FOLDER CELL

Speaks RFC 2217 at the loopback's PORT, as an exporter does for a USB adapter: a pseudo-terminal
carries no DTR and RTS, of which resets are made. Behind it the boot loader (rom.py) and, once an
image is in its flash and it was configured, the LX106 emulator with that image, in the network of
the cell (a namespace with the TAP board0). FOLDER/fault names what goes wrong with it, FOLDER/power
is 0 while its plug (plug.py) is off.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import sys
import time
from pathlib import Path

from serial import rfc2217

from hil.rig.boards.lx106 import Lx106
from hil.rig.links.base import BoardPort
from hil.tests.farm.radio import Radio
from hil.tests.farm.rom import BootLoader, Flash
from hil.tests.farm.starve import starve

CONSOLE_BAUD = 921_600
ROM_GREETING = b"\r\n ets Jan  8 2013,rst cause:%d, boot mode:(3,6)\r\n\r\n"
SSID, PASSWORD = "tw-farm", "correct horse"
POWER_CURES = ("hung", "looping")  # faults that are over once the chip had no power
DRIFT_PPM = 2000  # a bad crystal: the board's clock is that much faster


class Adapter:
    """The settings of the USB adapter, which PortManager sets; `moved` is called at each change."""

    bytesize, parity, stopbits, timeout = 8, "N", 1, 0
    cts = dsr = ri = cd = break_condition = xonxoff = rtscts = False

    def __init__(self, moved):
        self._lines = {"dtr": False, "rts": False}
        self._moved = moved
        self.baudrate = 115_200

    def reset_input_buffer(self):
        pass

    reset_output_buffer = reset_input_buffer

    @property
    def dtr(self):
        return self._lines["dtr"]

    @dtr.setter
    def dtr(self, value):
        self._lines["dtr"] = value
        self._moved()

    @property
    def rts(self):
        return self._lines["rts"]

    @rts.setter
    def rts(self, value):
        self._lines["rts"] = value
        self._moved()


class Client:
    """A connection to the line."""

    def __init__(self, writer):
        self._writer = writer

    def write(self, data):
        if not self._writer.is_closing():
            self._writer.write(bytes(data))


class FakeBoard:
    def __init__(self, mac: str, folder: Path, cell: str) -> None:
        self.mac, self.folder, self.cell = mac, folder, cell
        self.flash = Flash()
        if (first := folder / "image").exists():  # written at the workbench
            self.flash.write(0, first.read_bytes())
        self.adapter = Adapter(self.moved)
        self.manager: rfc2217.PortManager | None = None
        self.client: Client | None = None
        self.writer: asyncio.StreamWriter | None = None
        self.loader: BootLoader | None = None
        self.running: asyncio.Task | None = None
        self.board: Lx106 | None = None
        self.in_reset = self.wants_loader = False
        self.powered = True
        self.config: asyncio.Queue[bytes] = asyncio.Queue()
        self.typed = b""

    @property
    def fault(self) -> str:
        file = self.folder / "fault"
        return file.read_text().strip() if file.exists() else ""

    async def follow_plug(self) -> None:
        """Off and on with the plug; the USB adapter, too."""
        file = self.folder / "power"
        while True:
            await asyncio.sleep(0.02)
            powered = not file.exists() or file.read_bytes() != b"0"
            if powered == self.powered:
                continue
            self.powered = powered
            if not powered:
                self.off()
                if self.writer is not None:
                    self.writer.close()
                continue
            if self.fault in POWER_CURES:
                (self.folder / "fault").write_text("")
            self.in_reset = self.wants_loader = False
            self.start("power_on")

    # -- the line ---------------------------------------------------------------------------------

    def say(self, data: bytes, baud: int = CONSOLE_BAUD) -> None:
        """Send to the host what the chip prints at `baud`: noise to whoever listens at another."""
        if self.manager is None or self.client is None:
            return
        if baud != self.adapter.baudrate:
            data = bytes(b ^ 0xA5 for b in data if b not in b"\r\n")
        damaged = self.fault == "noise" or (self.board and self.fault in ("bytes lost", "garbage"))
        if damaged and self.fault == "bytes lost":
            data = bytes(b for b in data if b in b"\n" or random.random() > 0.05)
        elif damaged:
            data = bytes(b ^ (b not in b"\n" and random.random() < 0.05) * 0x80 for b in data)
        self.client.write(b"".join(self.manager.escape(data)))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.fault in ("unplugged", "unplugged once") or not self.powered:
            writer.close()
            if self.fault == "unplugged once":
                (self.folder / "fault").unlink()
            return
        if self.writer is not None:
            self.writer.close()
        self.writer, self.client = writer, Client(writer)
        self.manager = rfc2217.PortManager(self.adapter, self.client)
        try:
            while data := await reader.read(65536):
                self.hear(b"".join(self.manager.filter(data)))
                await writer.drain()
        except ConnectionError:
            pass
        if self.writer is writer:
            self.writer = self.manager = self.client = None
        writer.close()

    def hear(self, data: bytes) -> None:
        if self.loader is not None:
            for answer in self.loader.take(data):
                if self.manager is not None and self.client is not None:
                    self.client.write(b"".join(self.manager.escape(answer)))
            return
        self.typed += data
        *lines, self.typed = self.typed.split(b"\n")
        for line in lines:
            self.config.put_nowait(line)

    # -- reset and boot ---------------------------------------------------------------------------

    def moved(self) -> None:
        """RTS alone holds the chip in reset; DTR before RTS is gone asks for the boot loader. On a
        network the lines move one by one: esptool's server for RFC 2217 reads them like this, too.
        """
        dtr, rts = self.adapter.dtr, self.adapter.rts
        if rts and not dtr and not self.in_reset:
            self.off()
            self.in_reset, self.wants_loader = True, False
        if self.in_reset:
            self.wants_loader |= dtr
            if not rts:
                self.in_reset = False
                self.start()

    def off(self) -> None:
        self.loader = None
        if self.running is not None:
            self.running.cancel()
            self.running = None
        if self.board is not None:
            self.board.power_off()
            self.board = None

    def start(self, cause: str = "external") -> None:
        self.typed = b""  # a reset empties the chip's buffer
        self.flash.worn = self.fault == "worn flash"
        if self.fault == "dead" or self.fault.startswith("hung"):
            return
        if self.wants_loader:
            self.loader = BootLoader(self.chip(), self.flash)
            return
        self.running = asyncio.get_running_loop().create_task(self.run(cause))

    def chip(self) -> str:
        return "5c:cf:7f:00:99:99" if self.fault == "another board" else self.mac

    async def run(self, cause: str) -> None:
        """The firmware: it announces itself, takes its line, and is the emulator from then on."""
        self.say(ROM_GREETING % (1 if cause == "power_on" else 2), 74_880)
        if self.fault in ("boot loop", "looping") or not self.flash.written:
            while True:
                self.say(ROM_GREETING % 4)
                await asyncio.sleep(0.1)
        started = time.monotonic()
        image = bytes(self.flash.data[: self.flash.written])
        ready = {"nonce": "", "ev": "ready", "build": "esp8266", "chip": self.chip()}
        ready["reset"] = cause
        ready["image"] = hashlib.md5(image, usedforsecurity=False).hexdigest()
        if self.fault in ("wrong firmware", "worn flash"):
            ready["image"] = "0" * 32
        while self.config.qsize():
            self.config.get_nowait()
        line = b""
        while not line:
            now = time.monotonic() - started
            self.say(json.dumps({"t": round(now * 1e6), **ready}).encode() + b"\n")
            try:
                line = await asyncio.wait_for(self.config.get(), 1.0)
            except TimeoutError:
                continue
        await self.emulate(line.decode(), image)

    async def emulate(self, line: str, image: bytes) -> None:
        """The emulator with the flash's image. Without the right password it never comes up."""
        if self.fault == "deaf":
            return
        words, _, network = line.partition(" ssid=")
        radio = Radio(words, sleepy=self.fault == "sleepy")
        words = radio.words
        let_in = network == f"{SSID} psk={PASSWORD}" and self.fault != "no Wi-Fi"
        if self.fault == "refused":
            words += " nonsense=1"
        if self.fault == "crash":
            words += " fault=null_store:1500"
        elf = self.folder / "flash.elf"
        elf.write_bytes(image)
        elsewhere = self.fault == "wrong network" or not let_in
        netdev = "hubport,hubid=0" if elsewhere else "tap,ifname=board0,script=no,downscript=no"
        self.board = board = Lx106(self.folder)
        board.emulator = "qemu"  # which knows a network that leads nowhere
        board.log.unlink(missing_ok=True)
        board.power_on(elf, words, BoardPort(netdev, self.cell))
        begun, seen = time.monotonic(), 0
        while True:
            await asyncio.sleep(0.01)
            text = board.log.read_bytes() if board.log.exists() else b""
            end = text.rfind(b"\n") + 1
            for entry in text[seen:end].splitlines():
                if let_in or b'"ev":"boot"' in entry:
                    self.say(self.drifted(entry) + b"\n")
                if let_in and b'"ev":"up"' in entry:
                    self.say(self.drifted(radio.line(entry)) + b"\n")
            seen = max(seen, end)
            if time.monotonic() - begun > 1.5:
                if self.fault == "brown-out":
                    self.off_and_on()
                    return
                if self.fault == "pulled out" and self.writer is not None:
                    self.writer.close()
                if self.fault == "capture starved":
                    starve(self.cell)
                    (self.folder / "fault").unlink()

    def off_and_on(self) -> None:
        if self.board is not None:
            self.board.power_off()
            self.board = None
        self.running = asyncio.get_running_loop().create_task(self.run("power_on"))

    @staticmethod
    def drifted(entry: bytes) -> bytes:
        """A line with the time of a clock that is DRIFT_PPM too fast."""
        head, comma, rest = entry.partition(b",")
        name, colon, stamp = head.partition(b":")
        if name != b'{"t"' or not stamp.isdigit():
            return entry
        return name + colon + b"%d" % round(int(stamp) * (1 + DRIFT_PPM / 1e6)) + comma + rest


async def main() -> None:
    port, mac, folder, cell = sys.argv[1:]
    board = FakeBoard(mac, Path(folder), cell)
    server = await asyncio.start_server(board.serve, "127.0.0.1", int(port))
    print("ready", flush=True)
    async with server:
        await asyncio.gather(server.serve_forever(), board.follow_plug())


if __name__ == "__main__":
    asyncio.run(main())
