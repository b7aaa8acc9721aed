"""Which methods of firmware/arduino have the signature that the ESP8266's Arduino core gives them?

    signatures.py ARDUINO RELEASE > signatures-RELEASE.txt

ARDUINO is a checkout of esp8266/Arduino at the tag RELEASE (2.4.1 or 3.1.2). Clang lists the public
methods of our classes; the LX106's compiler then takes the address of each from the core's headers,
by its full type. A line is one that compiles. The build does the same with our headers
(thinwire_signatures), so that a method that is changed or lost does not compile.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
INCLUDE = HERE.parent / "include"
CLASSES = (
    "Client", "ESP8266WiFiClass", "EspClass", "HardwareSerial", "IPAddress", "Print", "Stream",
    "String", "UDP", "WiFiClient", "WiFiServer", "WiFiUDP",
)  # fmt: skip
SHIMS = {
    "sys/pgmspace.h": "#pragma once\n#include <string.h>\n#define PROGMEM\n"
    "#define PGM_P const char *\n#define PGM_VOID_P const void *\n#define PSTR(text) (text)\n"
    "#define pgm_read_byte(at) (*(const unsigned char *)(at))\n#define strlen_P strlen\n"
    "#define memcpy_P memcpy\n#define strcpy_P strcpy\n",
    "bits/gthr-default.h": "#include <bits/gthr-single.h>\n",
    "features.h": "#define __GLIBC_PREREQ(major, minor) 0\n",
}


def number(release: str) -> int:
    """2.4.1 is 20401 to the preprocessor."""
    major, minor, revision = map(int, release.split("."))
    return major * 10000 + minor * 100 + revision


def pointer(method: dict[str, Any], owner: str) -> str:
    """The type of a pointer to a method."""
    kind = method["type"]["qualType"].replace(" __attribute__((noreturn))", "")
    head, tail = re.fullmatch(r"(.*?)\s*(\(.*\).*)", kind).groups()  # type: ignore[union-attr]
    star = "(*)" if method.get("storageClass") == "static" else f"({owner}::*)"
    return f"{head} {star}{tail}"


def walk(node: dict[str, Any], found: set[tuple[str, str, str]]) -> None:
    """Collect class, method and type of the public methods below an AST node."""
    for inner in node.get("inner", ()):
        if inner.get("kind") == "CXXRecordDecl" and inner.get("name") in CLASSES:
            access = "private"
            for member in inner.get("inner", ()):
                if member.get("isImplicit"):
                    continue
                if member["kind"] == "AccessSpecDecl":
                    access = member["access"]
                elif member["kind"] == "CXXMethodDecl" and access == "public":
                    owner = inner["name"]
                    found.add((owner, member["name"], pointer(member, owner)))
        elif inner.get("kind") in ("LinkageSpecDecl", "NamespaceDecl"):
            walk(inner, found)


def ours(release: str) -> list[tuple[str, str, str]]:
    """The public methods of our classes, sorted."""
    command = [
        "clang++", "-fsyntax-only", "-w", "-std=gnu++17", "-DESP8266", f"-I{INCLUDE}",
        f"-DTHINWIRE_ARDUINO_CORE={number(release)}", "-x", "c++", "-Xclang", "-ast-dump=json", "-",
    ]  # fmt: skip
    source = "#include <ESP8266WiFi.h>\n"
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=True)
    found: set[tuple[str, str, str]] = set()
    walk(json.loads(done.stdout), found)
    return sorted(found)


def compiling(arduino: Path, methods: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """Those of `methods` that the core's headers have with the same type."""
    specs = next(Path("/usr/lib").glob("**/xtensa-lx106-elf/picolibc.specs"))
    said = subprocess.run(
        ["g++", "-x", "c++", "-E", "-v", "/dev/null"], capture_output=True, text=True, check=True
    ).stderr
    folders = [line.strip() for line in said.splitlines() if line.startswith(" ") and "c++" in line]
    sdk = arduino / "tools" / "sdk"
    core = [
        sdk / "include", arduino / "cores/esp8266", sdk / "lwip2/include",
        arduino / "variants/nodemcu", arduino / "libraries/ESP8266WiFi/src",
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as scratch:
        for name, text in SHIMS.items():
            (Path(scratch) / name).parent.mkdir(exist_ok=True)
            (Path(scratch) / name).write_text(text, encoding="ascii")
        system = [scratch, *map(str, core), *[f for f in folders if "backward" not in f]]
        command = [
            "xtensa-lx106-elf-g++", f"--specs={specs}", "-fsyntax-only", "-w", "-std=gnu++17",
            "-fmax-errors=0", "-fpermissive", "-fno-exceptions", "-fno-rtti", "-U__STRICT_ANSI__",
            *(f"-D{word}" for word in (
                "_GNU_SOURCE", "__ets__", "ICACHE_FLASH", "LWIP_OPEN_SRC", "F_CPU=80000000L",
                "ARDUINO=10805", "ARDUINO_ARCH_ESP8266", "ESP8266", "NONOSDK22x_190703=1",
                "TCP_MSS=1460", "LWIP_FEATURES=1", "LWIP_IPV6=0", "MMU_IRAM_SIZE=0x8000",
                "MMU_ICACHE_SIZE=0x8000", "XCHAL_INSTRAM0_VADDR=0x40000000",
                "XCHAL_INSTRAM1_VADDR=0x40100000", "XCHAL_INSTROM0_VADDR=0x40200000")),
            *(word for folder in system for word in ("-isystem", folder)),
            "-x", "c++", "-",
        ]  # fmt: skip
        lines = ["#include <ESP8266WiFi.h>", "#include <WiFiUdp.h>"]
        lines += [
            f"auto m{i} = static_cast<{t}>(&{c}::{m});" for i, (c, m, t) in enumerate(methods)
        ]
        done = subprocess.run(
            command, input="\n".join(lines) + "\n", capture_output=True, text=True, check=False
        )
    bad = {int(line) - 3 for line in re.findall(r"^<stdin>:(\d+):\d+: error", done.stderr, re.M)}
    if "fatal error" in done.stderr or -1 in bad:
        raise SystemExit(f"signatures.py: {arduino}: {done.stderr[:2000]}")
    return [method for i, method in enumerate(methods) if i not in bad]


def digest(arduino: Path) -> str:
    """SHA-256 over the headers that declare the classes."""
    folders = ("cores/esp8266", "libraries/ESP8266WiFi/src")
    paths = sorted(path for folder in folders for path in (arduino / folder).glob("*.h"))
    text = b"".join(path.name.encode() + b"\0" + path.read_bytes() for path in paths)
    return hashlib.sha256(text).hexdigest()


def main() -> int:
    """Print the list."""
    arduino, release = Path(sys.argv[1]), sys.argv[2]
    methods = ours(release)
    same = compiling(arduino, methods)
    print(f"# esp8266/Arduino {release}; SHA-256 of its headers: {digest(arduino)}")
    print(f"# {len(same)} of our {len(methods)} public methods have the core's signature.")
    for owner, name, kind in same:
        print(f"{owner}::{name} {kind}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
