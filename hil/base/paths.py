"""Where the project is: the folder that holds hil/, in a clone and in the machine's image."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
