"""Images of the ESP8266: room for the heap, constants in flash, a library's manifest, the table."""

from __future__ import annotations

import configparser
import json
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from hil.base.paths import ROOT
from hil.design.facts import Facts
from hil.testbeds import runner

BOARDS = ROOT / "firmware" / "boards"
BOARD = BOARDS / "esp8266"
TOOLS = "xtensa-lx106-elf-"
espcoap = runpy.run_path(str(BOARD / "espcoap.py"))
with_constants = runpy.run_path(str(BOARD / "constants.py"))["with_constants"]
HEAP_END = 0x3FFFC000
FLASH = 0x40200000

# In form that of the Arduino core: constants marked for flash, then the others in data RAM.
CORE = """
MEMORY {
  dram : ORIGIN = 0x3FFE8000, LENGTH = 80K
  iram : ORIGIN = 0x40100000, LENGTH = 32K
  irom : ORIGIN = 0x40201010, LENGTH = 1M
}
SECTIONS {
  .data : { *(.data .data.*) } >dram
  .irom0.text : {
    *(.irom0.literal .irom.literal .irom0.text .irom.text)
    _irom0_text_end = ABSOLUTE(.);
  } >irom
  .text1 : { *(.text .text.*) } >iram
  .rodata : { *(.rodata .rodata.*) } >dram
  .bss : { *(.bss .bss.*) . = ALIGN(8); _heap_start = ABSOLUTE(.); } >dram
}
"""


def run(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [TOOLS + str(words[0]), *map(str, words[1:])], capture_output=True, text=True, check=False
    )


def compiled(path: Path, source: str) -> Path:
    """The object file `path`, each constant and variable in a section of its own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    source_file = path.with_suffix("")
    source_file.write_text(source)
    options = ("-Os", "-fdata-sections", "-mtext-section-literals", "-c")
    done = run("gcc", *options, source_file, "-o", path)
    assert done.returncode == 0, done.stderr
    return path


def platformio() -> configparser.ConfigParser:
    found = configparser.ConfigParser(interpolation=None)
    found.read(BOARD / "platformio.ini")
    return found


def least_heap_flags() -> list[str]:
    flags = platformio()["secure"]["build_flags"].split()
    return [flag.removeprefix("-Wl,") for flag in flags if "__heap_least_bytes" in flag]


@pytest.mark.parametrize(
    ("flags", "least"), [([], 21 * 1024), (least_heap_flags(), 29 * 1024)], ids=["plain", "TLS"]
)
def test_an_image_with_too_small_a_heap_does_not_link(
    tmp_path: Path, flags: list[str], least: int
) -> None:
    assert "-Wl,--script=memory.ld" in platformio()["env"]["build_flags"].split()
    one = compiled(tmp_path / "one.c.o", "int one = 1;")
    for missing, fits in ((0, True), (1, False)):
        start = f"--defsym=_heap_start={HEAP_END - least + missing:#x}"
        words = ("-e", "0", *flags, start, f"--script={BOARD}/memory.ld", one)
        done = run("ld", *words, "-o", tmp_path / "image.elf")
        assert (done.returncode == 0) is fits, done.stderr
    assert "too little data RAM left for the heap" in done.stderr


def test_constants_of_tls_lie_in_flash_and_tables_of_ciphers_do_not(tmp_path: Path) -> None:
    table = "const int {0}[] = {{1, 2, 3}}; const int *of_{0}(void) {{ return {0}; }}"
    in_flash = {
        "oid": "src/mbedtls/library/oid.c.o",
        "roots": "esp8266/credentials.c.o",
        "reasons": "env/src/secure/reasons.c.o",
        "keys": "env/src/core/config.c.o",
    }
    in_ram = {
        "FSb": "src/mbedtls/library/aes.c.o",
        "last4": "src/mbedtls/library/gcm.c.o",
        "K": "src/mbedtls/library/sha256.c.o",
        "engines": "env/src/core/app/registry.c.o",
    }
    objects = [
        compiled(tmp_path / path, table.format(name)) for name, path in (in_flash | in_ram).items()
    ]
    script, image = tmp_path / "core.ld", tmp_path / "image.elf"
    script.write_text(with_constants(CORE, BOARD / "constants.ld"))
    done = run("ld", "-e", "0", "-T", script, *objects, "-o", image)
    assert done.returncode == 0, done.stderr
    address = {
        name: int(at, 16)
        for at, _, name in (line.split() for line in run("nm", image).stdout.splitlines())
    }
    assert {name for name in in_flash | in_ram if address[name] >= FLASH} == set(in_flash)
    assert address["_irom0_text_end"] > max(address[name] for name in in_flash)


def test_another_release_of_the_core_is_refused() -> None:
    with pytest.raises(ValueError, match=r"use the release that platformio\.ini pins"):
        with_constants("SECTIONS {}", BOARD / "constants.ld")


def test_esp_coap_is_built_without_its_server(tmp_path: Path) -> None:
    """... and without the core's -Werror=return-type, as the library's client needs."""
    assert platformio()["env:espcoap"]["extra_scripts"] == "pre:espcoap.py"
    with pytest.raises(FileNotFoundError, match="no ESP-CoAP in it; see lib_deps"):
        espcoap["describe"](tmp_path)
    library = tmp_path / "ESP-CoAP simple library"
    library.mkdir()
    (library / "coap_client.cpp").touch()
    espcoap["describe"](tmp_path)
    build = json.loads((library / "library.json").read_text())["build"]
    assert build == {"srcFilter": ["+<coap_client.cpp>"], "unflags": ["-Werror=return-type"]}


def test_a_table_says_what_an_image_takes_and_leaves(tmp_path: Path) -> None:
    source = "char zero[1000]; int set[25] = {1}; int f(void) { return zero[set[0]]; }"
    one, script = compiled(tmp_path / "one.c.o", source), tmp_path / "core.ld"
    script.write_text(CORE)
    image = tmp_path / "one.elf"
    assert run("ld", "-e", "0", "-T", script, one, "-o", image).returncode == 0
    report = [sys.executable, "-B", BOARDS / "lx106" / "size_report.py", "--memory", image]
    said = subprocess.run(report, capture_output=True, text=True, check=True).stdout.splitlines()
    head, row = (line.split(",") for line in said)
    found = dict(zip(head, row, strict=True))
    assert found["image"] == "one"
    assert int(found["ram_bytes"]) == 1104  # of 1100, to a multiple of 8
    assert int(found["free_bytes"]) == 80 * 1024 - 1104
    assert 0 < int(found["iram_bytes"]) < 64
    assert int(found["flash_bytes"]) >= 100 + int(found["iram_bytes"])


def test_each_image_that_trials_ask_for_is_an_environment() -> None:
    settings = configparser.ConfigParser()
    settings.read(BOARD / "platformio.ini")
    facts = [Facts("oscore", "air")] + [
        Facts(protocol, "air", security=security, tls_version=version)
        for protocol in ("mqtt", "mqtt5")
        for security, version in (("none", "1.2"), ("psk", "1.2"), ("psk", "1.3"))
    ]
    images = {runner.firmware("esp8266", one).stem for one in facts}
    assert len(images) == len(facts)
    assert {f"env:{image}" for image in images} <= set(settings.sections())


def test_the_environment_with_oscore_has_the_sources_of_the_other_boards() -> None:
    """Of mbedTLS, those of firmware/secure/oscore.cmake."""
    listed = re.search(
        r"MBEDTLS_OSCORE_SOURCES ([a-z0-9_ ]+)\)",
        (ROOT / "firmware/secure/oscore.cmake").read_text(),
    )
    settings = configparser.ConfigParser(interpolation=None)
    settings.read(BOARD / "platformio.ini")
    built = settings["env:nodemcuv2_oscore"]["build_src_filter"]
    assert listed
    assert re.findall(r"mbedtls/library/(\w+)\.c>", built) == listed[1].split()
