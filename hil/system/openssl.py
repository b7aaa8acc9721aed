"""Settings of OpenSSL for programs without options for them, in its own configuration file."""

from __future__ import annotations

from pathlib import Path

_EVERY_CONTEXT = """\
openssl_conf = all
[all]
ssl_conf = ssl
[ssl]
system_default = every
[every]
{line}
"""


def variables(file: Path, line: str) -> dict[str, str]:
    """Write `file`, which applies `line` (a command of SSL_CONF_cmd(3)) to each TLS context of a
    program. Return the environment variables with which the program finds it."""
    file.write_text(_EVERY_CONTEXT.format(line=line), encoding="ascii")
    return {"OPENSSL_CONF": str(file)}
