"""The largest payload that the firmware sends in one piece."""

from __future__ import annotations

PIECE_BYTES = 1440  # TW_SEGMENT_MAX of firmware/core/engine.h
