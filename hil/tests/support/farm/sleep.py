"""What a board without silicon keeps over deep sleep: RTC memory and a sector of its flash, written
and read by the firmware's own code (firmware/boards/esp8266/src/kept_run.c)."""

from __future__ import annotations

import ctypes
import json
import os

from hil.base.paths import ROOT
from hil.system import preloads
from hil.tests.support.farm.rom import Flash

SECTOR = 0x3FB000  # _EEPROM_start of eagle.flash.4m2m.ld
_RUN_BYTES, _HEAD_BYTES, _SECTOR_BYTES = 96, 12, 4096


class _Run(ctypes.Structure):
    _fields_ = (
        ("until", ctypes.c_uint64),
        ("channel", ctypes.c_uint8),
        ("bssid", ctypes.c_uint8 * 6),
        ("state", ctypes.c_uint8 * 64),
    )


class Kept:
    """`line`: what the host sent. RTC memory is arbitrary after a loss of power."""

    def __init__(self, flash: Flash) -> None:
        source = ROOT / "firmware/boards/esp8266/src/kept_run.c"
        self._code = ctypes.CDLL(str(preloads.library(source)))
        self._flash, self._size = flash, 0
        self.rtc = bytearray()
        self.lose_power()

    def lose_power(self) -> None:
        self.rtc[:] = os.urandom(_RUN_BYTES)

    def keep(self, line: bytes) -> None:
        head = ctypes.create_string_buffer(_HEAD_BYTES)
        self._code.kept_line_seal(head, line, ctypes.c_size_t(len(line)))
        self._size = len(line)
        self._flash.data[SECTOR : SECTOR + _SECTOR_BYTES] = (head.raw + line).ljust(
            _SECTOR_BYTES, b"\xff"
        )

    def _line(self) -> int | None:
        """The checksum of the line in flash."""
        at = SECTOR + _HEAD_BYTES
        head, line = bytes(self._flash.data[SECTOR:at]), bytes(self._flash.data[at:][: self._size])
        found = ctypes.c_uint32()
        size = ctypes.c_size_t(self._size)
        self._code.kept_line_unseal.restype = ctypes.c_bool
        intact = self._code.kept_line_unseal(head, line, size, ctypes.byref(found))
        return found.value if intact else None

    def sleep(self, entry: bytes) -> None:
        """At its log's line `sleeping`."""
        said = json.loads(entry)
        memory = ctypes.create_string_buffer(_RUN_BYTES)
        run = _Run(until=said["t"] + said["us"], channel=6)
        line = ctypes.c_uint32(self._line() or 0)
        self._code.kept_run_seal(memory, line, ctypes.byref(run))
        self.rtc[:] = memory.raw

    def wakes(self) -> bool:
        """Whether a reset from deep sleep goes on with the run."""
        line, found = self._line(), _Run()
        self._code.kept_run_unseal.restype = ctypes.c_bool
        return line is not None and self._code.kept_run_unseal(
            bytes(self.rtc), ctypes.c_uint32(line), ctypes.byref(found)
        )

    def forget(self) -> None:
        """At a start that is no wake-up, and at the end of the trial."""
        self._flash.data[SECTOR : SECTOR + _SECTOR_BYTES] = b"\xff" * _SECTOR_BYTES
