"""Does `thinwire lab shell` give a prompt with busybox's programs, and only on a terminal?"""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hil import cli

pytestmark = pytest.mark.lab
START = "import sys; from hil import cli; sys.exit(cli.main())"


def test_a_prompt_has_the_programs_of_busybox() -> None:
    """On a pseudo-terminal: what a user types, and all that the machine prints."""
    ours, its = pty.openpty()
    command = [sys.executable, "-c", START, "lab", "shell"]
    with subprocess.Popen(command, stdin=its, stdout=its, stderr=its) as process:
        os.close(its)
        said, typed, end = b"", False, time.monotonic() + 120
        try:
            while time.monotonic() < end:
                said += os.read(ours, 4096)
                if b"lab:/# " in said and not typed:
                    os.write(ours, b"echo 6 7 | awk '{print $1 * $2}'\nexit\n")
                    typed = True
        except OSError:  # the other end is closed
            pass
        finally:
            process.kill()
    os.close(ours)
    assert b"\r\n42\r\n" in said, said[-2000:]
    assert b"No such file" not in said


def test_without_a_terminal_it_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Path(os.devnull).open(encoding="utf-8") as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        assert cli.main(["lab", "shell", "--machine", "uml"]) == 2
    assert capsys.readouterr().err.endswith(
        "standard input: is no terminal, which a prompt needs; "
        "run 'thinwire lab shell' in a terminal\n"
    )
