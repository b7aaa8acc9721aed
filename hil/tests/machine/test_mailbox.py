"""Does the mailbox give back what was put in, and refuse what does not fit?"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hil.base.errors import LabError
from hil.machine import mailbox


def test_what_goes_in_comes_out(tmp_path: Path) -> None:
    files = {"request.json": b"{}", "firmware.elf": bytes(range(256)) * 300}
    with mailbox.Mailbox.create(tmp_path / "mailbox") as box:
        assert box.state() == mailbox.EMPTY
        box.put(mailbox.REQUEST, files)
    with mailbox.Mailbox(tmp_path / "mailbox") as again:
        assert again.state() == mailbox.REQUEST
        assert again.take() == files


def test_archives_repeat() -> None:
    files = {"b": b"2", "a": b"1"}
    assert mailbox.pack(files) == mailbox.pack(dict(reversed(files.items())))


def test_results_that_do_not_fit_are_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mailbox, "SIZE", 1 << 16)
    monkeypatch.setattr(mailbox, "_RESERVED", 0x1000)
    with (
        mailbox.Mailbox.create(tmp_path / "mailbox") as box,
        pytest.raises(LabError, match="do not fit"),
    ):
        box.put(mailbox.RESULT, {"wire.pcap": b"\0" * (1 << 16)})


def test_an_empty_tray_holds_no_archive() -> None:
    with pytest.raises(LabError, match="no archive"):
        mailbox.unpack(b"\1" * 1024)


_FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from hil.base.errors import InputError
from hil.machine import mailbox
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
try:
    mailbox.Mailbox.create(Path(sys.argv[1]))
except InputError as error:
    print(error)
    sys.exit(error.status)
"""


def test_a_full_disk_is_noticed_before_the_trial(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", _FULL_DISK, tmp_path / "mailbox"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2, run.stderr
    assert "has no room for a trial" in run.stdout and "TMPDIR" in run.stdout
