"""Firmware of the user's own: its image is checked, its line complete, its log kept apart."""

from __future__ import annotations

import json
import random
import re
import struct
from pathlib import Path

import pytest

from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.design.device import Device
from hil.design.parameters import effective
from hil.design.trials import Trial
from hil.rig.boards import BOARDS, lx106_image, lx106_symbols, printed

NONCE = "0badcafe"
LX106 = BOARDS["lx106"]


def image(segments: list[tuple[int, int]], machine: int = 94, entry: int = 0x40200000) -> bytes:
    """An ELF file with empty segments of these addresses and sizes in memory."""
    ident = b"\x7fELF\1\1\1" + bytes(9)
    head = struct.pack(
        "<16sHHIIIIIHHH", ident, 2, machine, 1, entry, 52, 0, 0, 52, 32, len(segments)
    )
    table = (struct.pack("<8I", 1, 0, at, at, 0, size, 6, 4) for at, size in segments)
    return head.ljust(52, b"\0") + b"".join(table)


def with_symbols(symbols: list[tuple[str, int, int, int]]) -> bytes:
    """An ELF file with a symbol table: names, addresses, sizes, and kinds (2: a function)."""
    names = b"\0" + b"".join(name.encode() + b"\0" for name, *_ in symbols)
    table = bytes(16)
    for name, at, size, kind in symbols:
        table += struct.pack("<IIIBBH", names.index(name.encode()), at, size, kind, 0, 1)
    sections = [
        bytes(40),
        struct.pack("<10I", 0, 2, 0, 0, 52, len(table), 2, 0, 4, 16),
        struct.pack("<10I", 0, 3, 0, 0, 52 + len(table), len(names), 0, 0, 1, 0),
    ]
    ident = b"\x7fELF\1\1\1" + bytes(9)
    place = 52 + len(table) + len(names)
    head = struct.pack("<16sHHIIIIIHHHHHH", ident, 2, 94, 1, 0, 0, place, 0, 52, 0, 0, 40, 3, 0)
    return head + table + names + b"".join(sections)


WHOLE = [(0x40100000, 32 << 10), (0x40200000, 1 << 20), (0x3FFE8000, 80 << 10)]


def problem(tmp_path: Path, data: bytes) -> str:
    file = tmp_path / "firmware.elf"
    file.write_bytes(data)
    try:
        lx106_image.check(file)
    except InputError as error:
        return error.problem
    return ""


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (image(WHOLE), ""),
        (image([*WHOLE[:2], (0x3FFE8000, (80 << 10) + 1)]), "has 81921 bytes at 0x3ffe8000"),
        (image([(0x40000000, 4)]), "has 4 bytes at 0x40000000"),
        (image([(0x40200000, 64), (0x40200020, 64)]), "has segments that overlap"),
        (image(WHOLE, entry=0), "starts at 0x0"),
        (image(WHOLE, machine=62), "is a program for another processor"),
        (image(WHOLE)[:100], "is an ELF file that ends early"),
        (b"\x7fELF", "is an ELF file that ends early"),
        (b"#!/bin/sh\n", "is no ELF file"),
        (b"", "is no ELF file"),
    ],
)
def test_an_image_is_for_the_chip_and_within_its_memory(tmp_path, data, expected):
    assert problem(tmp_path, data).startswith(expected)
    assert bool(problem(tmp_path, data)) == bool(expected)


def test_no_bytes_make_the_check_fail_otherwise(tmp_path):
    pick = random.Random(1)
    for _ in range(2000):
        data = bytearray(image(WHOLE))
        for _ in range(pick.randrange(1, 8)):
            data[pick.randrange(len(data))] = pick.randrange(256)
        problem(tmp_path, bytes(data[: pick.randrange(len(data) + 1)]))


def test_an_address_has_the_name_of_its_function(tmp_path):
    file = tmp_path / "firmware.elf"
    symbols = [
        ("table", 0x40201000, 64, 1),
        ("main", 0x40201000, 16, 2),
        ("spin", 0x40201010, 8, 2),
    ]
    file.write_bytes(with_symbols(symbols))
    found = [lx106_symbols.function_at(file, 0x40201000 + at) for at in (0, 15, 16, 23, 24)]
    assert found == ["main", "main", "spin", "spin", ""]
    assert lx106_symbols.function_at(tmp_path / "none", 0) == ""
    pick, whole = random.Random(1), with_symbols(symbols)
    for _ in range(2000):
        data = bytearray(whole)
        for _ in range(pick.randrange(1, 8)):
            data[pick.randrange(len(data))] = pick.randrange(256)
        file.write_bytes(data[: pick.randrange(len(data) + 1)])
        lx106_symbols.function_at(file, 0x40201010)


def test_functions_have_their_places_and_static_ones_their_file(tmp_path):
    file = tmp_path / "firmware.elf"
    symbols = [
        ("main", 0x40201010, 16, 0x12),
        ("clock.c", 0, 0, 4),
        ("now", 0x40201000, 16, 2),
        ("nun", 0x40201000, 16, 2),
        ("table", 0x40201020, 8, 1),
    ]
    file.write_bytes(with_symbols(symbols))
    assert lx106_symbols.functions(file) == [
        ("clock.c", "now", 0x40201000, 16),
        ("", "main", 0x40201010, 16),
    ]
    assert lx106_symbols.functions(tmp_path / "none") == []


def test_an_instruction_is_as_long_as_its_first_byte_says(tmp_path):
    file = tmp_path / "firmware.elf"
    begin, data = 0x40200000, image([(0x40200000, 16)])
    data = bytearray(data + bytes(range(16)))
    struct.pack_into("<8I", data, 52, 1, len(data) - 16, begin, begin, 16, 16, 5, 4)
    file.write_bytes(data)
    found = lx106_image.lengths(file, [*range(begin, begin + 16), begin + 99])
    assert found == [*([3] * 8), *([2] * 6), 3, 3, 0]


def test_the_regions_are_those_of_the_linker_script():
    text = (ROOT / "firmware/boards/lx106/link.ld").read_text(encoding="utf-8")
    found = re.findall(r"ORIGIN = (0x[0-9A-F]+), LENGTH = (\d+)([KM])", text)
    units = {"K": 10, "M": 20}
    regions = {(int(start, 16), int(size) << units[unit]) for start, size, unit in found}
    assert regions == set(lx106_image.REGIONS.values())


def line(*argv: str, environment: dict[str, str] | None = None) -> str:
    parameters = effective(
        {"foreign": True, "protocol": "coap", "link": "netem", "duration_s": 5}, "test"
    )
    device = Device("image", argv, environment or {})
    trial = Trial("foreign", {}, 1, parameters, board="lx106", device=device)
    document = trial.document({"board": "lx106", "sha256": "0" * 64}, {})
    return LX106.config(document, NONCE)


def test_the_line_has_the_words_of_the_board_and_then_the_arguments():
    words, _, arguments = line("client", "{server}:{port}", "{nonce}", "x=1").partition(
        "arguments="
    )
    keys = [word.partition("=")[0] for word in words.split()]
    expected = "nonce id mac ip mask seed peer port topic stat_ms"
    assert " ".join(keys) == expected
    assert arguments == f"10.77.0.1:5683 {NONCE} x=1"
    assert line("client").endswith(" arguments=")


@pytest.mark.parametrize(
    ("argv", "environment", "key"),
    [
        (("client", "two words"), {}, "device.argv.1"),
        (("client", "x", ""), {}, "device.argv.2"),
        (("client", "ä"), {}, "device.argv.1"),
        (("client", *"x" * 32), {}, "device.argv"),
        (("client",), {"HOME": "/"}, "device.environment.HOME"),
    ],
)
def test_what_cannot_be_passed_is_refused(argv, environment, key):
    with pytest.raises(InputError) as raised:
        line(*argv, environment=environment)
    assert raised.value.key == key


def test_an_image_takes_as_many_words_as_the_firmware_has_room_for():
    text = (ROOT / "firmware/boards/lx106/runtime/arguments.h").read_text(encoding="utf-8")
    assert "#define ARGUMENTS_MAX 32\n" in text
    assert line("client", *"x" * 31).endswith("x x")


def events(tmp_path: Path, *texts: str) -> list[dict[str, object]]:
    (tmp_path / "printed").write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    reader = printed.Reader(tmp_path / "printed", tmp_path / "log", NONCE, board=True)
    reader.take()
    log = tmp_path / "log"
    return [json.loads(text) for text in log.read_text().splitlines()] if log.exists() else []


def test_lines_of_the_board_keep_all_that_they_say(tmp_path):
    crash = f'{{"t":7,"nonce":"{NONCE}","ev":"crash","pc":"40201234","stack":["0"]}}'
    end = f'{{"t":9,"nonce":"{NONCE}","ev":"end","status":3}}'
    assert events(tmp_path, "text", crash, end) == [json.loads(crash), json.loads(end)]


@pytest.mark.parametrize(
    "text",
    [
        '{"t":9,"ev":"end","status":0}',  # no nonce: not the board's
        '{"t":9,"nonce":"other","ev":"end","status":0}',
        '{"t":-1,"nonce":"0badcafe","ev":"end"}',
        '{"t":9,"nonce":"0badcafe","ev":5}',
    ],
)
def test_other_lines_with_a_reserved_name_are_text(tmp_path, text):
    assert events(tmp_path, text) == []


def test_known_fields_have_their_types_in_every_line(tmp_path):
    text = f'{{"t":9,"nonce":"{NONCE}","ev":"stat","heap_used":"much","seq":1.5,"own":"kept"}}'
    assert events(tmp_path, text) == [{"t": 9, "nonce": NONCE, "ev": "stat", "own": "kept"}]
