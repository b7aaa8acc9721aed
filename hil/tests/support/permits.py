"""Skips tests of what this host does not permit, with the reason."""

from __future__ import annotations

import functools

import pytest

from hil.system import permits

_refusal = functools.cache(permits.refusal)  # the host does not change while tests run


def require(*words: str) -> None:
    """Skip the running test unless a command with `words` before it starts here."""
    if why := _refusal(words):
        pytest.skip(f"this host forbids '{' '.join(words[:2])}': {why}")
