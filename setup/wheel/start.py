"""Thinwire as a wheel: this folder is the project, as far as trials need it (docs/install.md)."""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> int:
    """Run the command line of this folder; return its exit status."""
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from hil import cli  # noqa: PLC0415 - found only now

    return cli.main()
