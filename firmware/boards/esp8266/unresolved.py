"""unresolved.py ARDUINO OBJECT...: list the symbols that the sketch's objects leave undefined, and
where each is defined: the SDK's libraries, lwIP, the chip's ROM, the compiler's libraries, the C
library, or the Arduino core, whose sources are searched because it is not compiled. Exit status 1
if a symbol is defined nowhere.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

TOOLS = "xtensa-lx106-elf-"


def nm(file: Path, *options: str) -> set[str]:
    words = [f"{TOOLS}nm", "--format=just-symbols", *options, str(file)]
    return set(subprocess.run(words, capture_output=True, text=True, check=True).stdout.split())


def beside_the_compiler(name: str) -> set[str]:
    """Return the symbols of one of the compiler's own libraries."""
    words = [f"{TOOLS}gcc", f"-print-file-name={name}"]
    path = Path(subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip())
    if not path.is_absolute():
        (path,) = Path("/usr/lib").glob(f"**/xtensa-lx106-elf/lib/{name}")
    return nm(path, "--defined-only")


def in_sources(arduino: Path, symbols: set[str]) -> set[str]:
    """Return those of `symbols` that the core's sources define: C functions by name, C++ functions
    by class and name.
    """
    folders = ("cores/esp8266", "libraries/ESP8266WiFi/src")
    files = [file for folder in folders for file in (arduino / folder).rglob("*.[ch]*")]
    text = "\n".join(file.read_text(errors="replace") for file in files)
    named = subprocess.run(
        [f"{TOOLS}c++filt"], input="\n".join(sorted(symbols)), capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    found = set()
    for symbol, name in zip(sorted(symbols), named.stdout.splitlines(), strict=True):
        plain = name.removeprefix("vtable for ").partition("(")[0].removesuffix(" const")
        words = [re.escape(word) for word in plain.split("::")[-2:]]
        if re.search(rf"\b{'(Class)?::'.join(words)}\b", text) or re.search(
            rf"\b(class|struct|extern) .*\b{words[-1]}\b|^\S.*\b{words[-1]}\s*\(", text, re.M
        ):
            found.add(symbol)
    return found


def main() -> int:
    arduino, *objects = map(Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder, "sketch.o")
        words = [f"{TOOLS}ld", "-r", "-o", str(whole), *map(str, objects)]
        subprocess.run(words, check=True)
        left = nm(whole, "--undefined-only")
    sdk = arduino / "tools" / "sdk"
    rom = (sdk / "ld" / "eagle.rom.addr.v6.ld").read_text()
    libraries = (sdk / "lib" / "NONOSDK22x_190703").glob("*.a")
    owners = {
        "the SDK": set().union(*(nm(file, "--defined-only") for file in libraries)),
        "lwIP": nm(sdk / "lib" / "liblwip2-1460-feat.a", "--defined-only"),
        "the chip's ROM": set(re.findall(r"PROVIDE\s*\(\s*(\w+)", rom)),
        "the compiler": beside_the_compiler("libgcc.a"),
        "the C library": beside_the_compiler("libc.a"),
    }
    print(f"{len(objects)} objects leave {len(left)} symbols to others:")
    for owner, symbols in owners.items():
        print(f"  {owner}: {len(left & symbols)}")
        left -= symbols
    core = in_sources(arduino, left)
    print(f"  the Arduino core: {len(core)}")
    print(f"  nobody: {' '.join(sorted(left - core)) or 'none'}")
    return int(bool(left - core))


if __name__ == "__main__":
    sys.exit(main())
