"""The conditions of the study `smoke`, on which the trials of all self-checks are based."""

from __future__ import annotations

from hil.design.studies import load_study

SMOKE = load_study("smoke").document["constants"]
# Without random delays, so that the machines and emulators can be compared.
STEADY = {key: SMOKE[key] for key in ("payload_bytes", "interval_ms", "link", "delay_ms")}
