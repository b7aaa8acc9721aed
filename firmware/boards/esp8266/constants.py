"""A PlatformIO script that runs after PlatformIO's own: adds constants.ld to the section
.irom0.text of the linker script that the Arduino core generates.

A second script cannot add to that section: GNU ld would make another section of the same name, and
the core's elf2bin.py would find two.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

SCRIPT = "$BUILD_DIR/ld/local.eagle.app.v6.common.ld"
# The section's own pattern for constants (PROGMEM); the first match applies.
BEFORE = "*(.irom0.literal "


def with_constants(script: str, constants: Path) -> str:
    """The core's linker script with `constants` included where its constants in flash are.

    Raises:
        ValueError: it has no such place, or several.
    """
    if script.count(BEFORE) != 1:
        raise ValueError(f"no single '{BEFORE}' in it; use the release that platformio.ini pins")
    return script.replace(BEFORE, f'INCLUDE "{constants}"\n    {BEFORE}')


def insert(target: list[Any], source: list[Any], env: Any) -> int:
    """SCons action: return 0, or 1 when `target` is not the expected script."""
    script = Path(str(target[0]))
    constants = Path(env.subst("$PROJECT_DIR"), "constants.ld")
    try:
        script.write_text(with_constants(script.read_text(), constants))
    except ValueError as error:
        print(f"thinwire: error: {script}: {error}", file=sys.stderr)
        return 1
    return 0


if "Import" in globals():  # as a script of SCons
    Import("env")  # noqa: F821
    env.AddPostAction(SCRIPT, insert)  # noqa: F821
