"""A board without silicon: python -m hil.tests.support.farm.board PORT MAC FOLDER CELL

At the loopback's PORT is its line by RFC 2217 (line.py), with esptool's own server; with PORT 0 it
is a device only, before which somebody else starts one. Behind it the boot loader (rom.py) and,
once an image is in its flash and it was configured, the LX106 emulator with that image, in the
network of the cell (a namespace with the TAP board0). FOLDER/fault names what goes wrong with it,
FOLDER/power is 0 while its plug (plug.py) is off; FOLDER/network has the words of the access point
in its reach, FOLDER/drift_ppm what its clock is too fast by, where these are not the farm's own.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import sys
import time
from pathlib import Path

from hil.rig.boards.lx106 import Lx106
from hil.rig.links.base import BoardPort
from hil.tests.support.farm.line import Line
from hil.tests.support.farm.prints import POSTMORTEM, ROM_GREETING, WAKE_GREETING, drifted
from hil.tests.support.farm.radio import Radio
from hil.tests.support.farm.rom import BootLoader, Flash
from hil.tests.support.farm.sleep import Kept
from hil.tests.support.farm.starve import starve

CONSOLE_BAUD, ROM_BAUD = 921_600, 74_880
RISE_S = 0.003
SSID, PASSWORD = "tw-farm", "correct-horse"
NETWORK = f"{SSID} psk={PASSWORD}"
POWER_CURES = ("hung", "looping")  # faults that are over once the chip had no power
STRANGERS = ("another board", "mute stranger")
FLASH_CURES = ("crashing image",)  # ... once another image was written
DRIFT_PPM = 2000  # a bad crystal: the board's clock is that much faster


class FakeBoard:
    def __init__(self, mac: str, folder: Path, cell: str) -> None:
        self.mac, self.folder, self.cell = mac, folder, cell
        self.drift_ppm = float(self.said("drift_ppm", f"{DRIFT_PPM}"))
        self.flash = Flash()
        if (first := folder / "image").exists():  # written at the workbench
            self.flash.write(0, first.read_bytes())
        self.kept = Kept(self.flash)
        self.line = Line(folder, self.hear, self.moved)
        self.loader: BootLoader | None = None
        self.running: asyncio.Task | None = None
        self.board: Lx106 | None = None
        self.in_reset = self.wants_loader = False
        self.released: asyncio.TimerHandle | None = None
        self.powered = True
        self.config: asyncio.Queue[bytes] = asyncio.Queue()
        self.typed = b""

    def said(self, name: str, usual: str) -> str:
        """The text of a file of its folder."""
        file = self.folder / name
        return file.read_text().strip() if file.exists() else usual

    @property
    def fault(self) -> str:
        return self.said("fault", "")

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
                self.kept.lose_power()
                self.line.pull()
                continue
            if self.fault in POWER_CURES:
                (self.folder / "fault").write_text("")
            self.in_reset = self.wants_loader = False
            self.start("power_on")

    # -- the line ---------------------------------------------------------------------------------

    def say(self, data: bytes, baud: int = CONSOLE_BAUD) -> None:
        """Send to the host what the chip prints at `baud`."""
        damaged = self.fault == "noise" or (self.board and self.fault in ("bytes lost", "garbage"))
        if damaged and self.fault == "bytes lost":
            data = bytes(b for b in data if b in b"\n" or random.random() > 0.05)
        elif damaged:
            data = bytes(b ^ (b not in b"\n" and random.random() < 0.05) * 0x80 for b in data)
        self.line.send(data, baud)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.fault in ("unplugged", "unplugged once") or not self.powered:
            writer.close()
            if self.fault == "unplugged once":
                (self.folder / "fault").unlink()
            return
        await self.line.connect(reader, writer)

    def hear(self, data: bytes) -> None:
        if self.loader is not None:
            # the ROM measures the host's rate
            baud = self.loader.baud = self.loader.baud or self.line.baud
            for answer in self.loader.take(data):
                self.say(answer, baud)
                baud = self.loader.baud
            return
        if self.line.baud != CONSOLE_BAUD:
            return
        self.typed += data
        *lines, self.typed = self.typed.split(b"\n")
        for line in lines:
            self.config.put_nowait(line)

    # -- reset and boot ---------------------------------------------------------------------------

    def moved(self, dtr: bool, rts: bool) -> None:
        """RTS without DTR holds the chip in reset, DTR without RTS pulls GPIO0 down, by the two
        transistors of a NodeMCU. The chip looks at GPIO0 when its reset has risen, which a
        capacitor delays."""
        self.wants_loader = dtr and not rts
        if rts and not dtr:
            self.off()
            self.in_reset = True
        elif self.in_reset:
            self.in_reset = False
            self.released = asyncio.get_running_loop().call_later(RISE_S, self.start)

    def off(self) -> None:
        self.loader = None
        if self.released is not None:
            self.released.cancel()
            self.released = None
        if self.running is not None:
            self.running.cancel()
            self.running = None
        if self.board is not None:
            self.board.power_off()
            self.board = None

    def start(self, cause: str = "external") -> None:
        self.typed = b""  # a reset empties the chip's buffer
        written, self.flash.rewritten = self.flash.rewritten, False
        if written:
            print("written", flush=True)
            if self.fault in FLASH_CURES:
                (self.folder / "fault").write_text("")
        self.flash.worn = self.fault == "worn flash"
        if self.fault == "dead" or self.fault.startswith("hung"):
            return
        if self.wants_loader:
            self.loader = BootLoader(self.chip(), self.flash)
            return
        if self.fault != "mute stranger":
            self.running = asyncio.get_running_loop().create_task(self.run(cause))

    def chip(self) -> str:
        return "5c:cf:7f:00:99:99" if self.fault in STRANGERS else self.mac

    async def run(self, cause: str) -> None:
        """The firmware: it announces itself, takes its line, and is the emulator from then on."""
        self.say(ROM_GREETING % (1 if cause == "power_on" else 2), ROM_BAUD)
        while self.fault in ("boot loop", "looping") or not self.flash.written:
            await asyncio.sleep(0.1)
            self.say(ROM_GREETING % 4, ROM_BAUD)
        while self.fault == "crashing image":
            await asyncio.sleep(0.1)
            self.say(POSTMORTEM)
            self.say(ROM_GREETING % 2, ROM_BAUD)
        self.kept.forget()
        self.say(b"\r\n")
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
        let_in = network == self.said("network", NETWORK) and self.fault != "no Wi-Fi"
        if self.fault == "refused":
            words += " nonsense=1"
        if self.fault == "crash":
            words += " fault=null_store:1500"
        elf = self.folder / "flash.elf"
        elf.write_bytes(image)
        elsewhere = self.fault == "wrong network" or not let_in
        netdev = "hubport,hubid=0" if elsewhere else "tap,ifname=board0,script=no,downscript=no"
        self.board = board = Lx106(self.folder, "qemu")  # has a network that leads nowhere
        board.log.unlink(missing_ok=True)
        board.power_on(elf, words, BoardPort(netdev, self.cell))
        if " deep_sleep=1" in line:
            self.kept.keep(line.encode())
        begun, seen = time.monotonic(), 0
        while True:
            await asyncio.sleep(0.01)
            text = board.log.read_bytes() if board.log.exists() else b""
            end = text.rfind(b"\n") + 1
            for entry in text[seen:end].splitlines():
                if not self.print(entry, radio, let_in):
                    return
            seen = max(seen, end)
            if time.monotonic() - begun > 1.5:
                if self.fault == "brown-out":
                    self.off_and_on("power_on")
                    return
                if self.fault == "pulled out":
                    self.line.pull()
                if self.fault == "capture starved":
                    starve(self.cell)
                    (self.folder / "fault").unlink()

    def print(self, entry: bytes, radio: Radio, let_in: bool) -> bool:
        """Print a line of the emulator's log, as a chip prints it; False where the run is over."""
        event = json.loads(entry)["ev"]
        if event == "crash":  # which a chip does not log
            self.say(POSTMORTEM)
            self.off_and_on("exception")
            return False
        if b'"reason":"deep_sleep"' in entry and not self.woken():
            return False
        if not let_in and event != "boot":
            return True
        further = {"boot": radio.joining, "up": radio.line}.get(event, lambda _: b"")(entry)
        for each in filter(None, (entry, further)):
            self.say(drifted(each, self.drift_ppm) + b"\n")
        return event != "sleeping" or self.asleep(entry)

    def asleep(self, entry: bytes) -> bool:
        """Keep the run. The emulator sleeps, and is reset, as the chip is; False: not here."""
        self.kept.sleep(entry)
        if self.fault == "no wire" and self.board is not None:
            self.board.power_off()  # nothing is heard of it until the host resets it
            self.board = None
            return False
        if self.fault == "record damaged":
            self.kept.rtc[40] ^= 1
        if self.fault == "power lost asleep":
            self.kept.lose_power()
            self.off_and_on("power_on")
            return False
        return True

    def woken(self) -> bool:
        """A reset from deep sleep: the firmware goes on, or starts without its trial."""
        if not self.kept.wakes():
            self.off_and_on("deep_sleep")
            return False
        self.say(WAKE_GREETING, ROM_BAUD)
        self.say(b"\r\n")
        return True

    def off_and_on(self, cause: str) -> None:
        if self.board is not None:
            self.board.power_off()
            self.board = None
        self.running = asyncio.get_running_loop().create_task(self.run(cause))


async def main() -> None:
    port, mac, folder, cell = sys.argv[1:]
    board = FakeBoard(mac, Path(folder), cell)
    await board.line.open()
    if port == "0":
        print("ready", flush=True)
        await board.follow_plug()
    await board.line.serve()
    server = await asyncio.start_server(board.serve, "127.0.0.1", int(port))
    print("ready", flush=True)
    async with server:
        await asyncio.gather(server.serve_forever(), board.follow_plug())


if __name__ == "__main__":
    asyncio.run(main())
