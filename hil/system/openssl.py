"""Settings of OpenSSL for programs that have no words for them: its own configuration file."""

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
    """Write `file`, by which each TLS context of a program begins with `line`, a command of
    SSL_CONF_cmd(3); the environment variables by which the program finds it."""
    file.write_text(_EVERY_CONTEXT.format(line=line), encoding="ascii")
    return {"OPENSSL_CONF": str(file)}
