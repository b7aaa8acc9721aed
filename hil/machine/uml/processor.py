"""The processor that foreign programs see in the machine `uml`: masked, or this host's.

Processes inside run on the host's processor. A program may ask it for its features (CPUID), and a
just-in-time compiler makes its code by them. Where the host can refuse that instruction, the kernel
of the machine answers in its place (setup/uml/lab_cpu.c), the same on any host.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from hil.machine.uml.kernel import Kernel

MASKED = "masked"
_SYMBOL = "lab_masks_cpu"  # of kernels that answer
_REFUSES = "cpuid_fault"  # the host's processor can refuse CPUID (Linux, cpufeatures.h)
_KEYS = ("vendor_id", "cpu family", "model", "stepping", "flags")


def seen(kernel: Kernel, host: Path = Path("/proc/cpuinfo")) -> str:
    """Return `masked`, or else a digest of the host's processor, 16 hex digits: two runs on hosts
    with different digests may differ."""
    facts: dict[str, str] = {}
    for line in host.read_text(encoding="utf-8", errors="replace").splitlines():
        key, _, value = line.partition(":")
        facts.setdefault(key.strip(), value.strip())
    if _SYMBOL in kernel.symbols and _REFUSES in facts.get("flags", "").split():
        return MASKED
    text = "\n".join(facts.get(key, "") for key in _KEYS)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
