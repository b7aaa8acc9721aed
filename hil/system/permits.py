"""What this host permits to a program without privileges.

Trials need neither of the two. Docker's default seccomp profile denies both to processes without
CAP_SYS_ADMIN; Ubuntu 24.04's AppArmor denies privileges in a new user namespace.
"""

from __future__ import annotations

import subprocess

# Prefixes of a command; unshare(1), setarch(8).
USER_NAMESPACE = ("unshare", "--user", "--map-root-user")
FIXED_ADDRESSES = ("setarch", "-R")


def refusal(words: tuple[str, ...]) -> str:
    """Return why a command with the prefix `words` does not start here, or an empty text."""
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
    lines = run.stderr.strip().splitlines()
    return lines[-1] if lines else f"{words[0]} ends with status {run.returncode}"
