"""The version of this program, and the commit of the clone that it runs from."""

from __future__ import annotations

import importlib.metadata
import subprocess

from hil.base.paths import ROOT
from hil.machine import shipped

_COMMIT = ("show", "--no-patch", "--abbrev=12", "--format=%h of %cs")


def version() -> str:
    """Return the version of the package; "unknown" if it is not installed."""
    try:
        return importlib.metadata.version("thinwire")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def _git(*words: str) -> str:
    """Return what git prints about the clone; empty without git, or outside a clone."""
    try:
        done = subprocess.run(
            ["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def commit() -> str:
    """Return the commit, its date and whether files differ from it, as " (commit 1a2b3c4d5e6f of
    2026-01-02, modified)"; empty where the program runs neither from a clone nor from a wheel of
    `make wheel`."""
    if shipped.IN_WHEEL:
        return shipped.COMMIT.read_text(encoding="utf-8")
    if not (ROOT / ".git").exists() or not (found := _git(*_COMMIT)):
        return ""
    changed = ", modified" if _git("status", "--porcelain", "--untracked-files=no") else ""
    return f" (commit {found}{changed})"
