"""What this host permits to a program without rights of its own.

Trials need none of it. Docker's default seccomp profile forbids both to processes without
CAP_SYS_ADMIN; Ubuntu 24.04's AppArmor forbids rights in a new user namespace.
"""

from __future__ import annotations

import subprocess

# Words before a command; unshare(1), setarch(8).
USER_NAMESPACE = ("unshare", "--user", "--map-root-user")
FIXED_ADDRESSES = ("setarch", "-R")


def refusal(words: tuple[str, ...]) -> str:
    """Why a command with `words` before it does not start here; empty if it does."""
    try:
        run = subprocess.run(
            [*words, "true"],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except OSError as error:
        return str(error)
    if run.returncode == 0:
        return ""
    said = run.stderr.strip().splitlines()
    return said[-1] if said else f"{words[0]} ends with status {run.returncode}"
