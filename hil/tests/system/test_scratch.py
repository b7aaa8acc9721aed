"""Do scratch folders vanish with the processes that made them, and only then?"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hil.system import scratch

_MAKER = """
import sys, time
from pathlib import Path
from hil.system import scratch
with scratch.folder(parent=Path(sys.argv[1])) as place:
    (place / "file").write_text("x")
    print(place, flush=True)
    time.sleep(60)
"""


def maker(parent: Path) -> tuple[subprocess.Popen[str], Path]:
    """A process that holds a folder."""
    child = subprocess.Popen(
        [sys.executable, "-c", _MAKER, parent], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout
    return child, Path(child.stdout.readline().strip())


def test_a_folder_is_gone_after_the_block(tmp_path: Path) -> None:
    with scratch.folder(parent=tmp_path) as place:
        (place / "file").touch()
    assert list(tmp_path.iterdir()) == []


def test_the_next_removes_what_a_killed_process_left_and_nothing_else(tmp_path: Path) -> None:
    dead, left = maker(tmp_path)
    living, held = maker(tmp_path)
    mine = tmp_path / f"{scratch.PREFIX}results"
    mine.mkdir()
    dead.kill()
    dead.communicate()
    assert left.exists()
    with scratch.folder(parent=tmp_path) as place:
        assert sorted(tmp_path.iterdir()) == sorted([held, mine, place])
    living.kill()
    living.communicate()


def test_a_folder_that_was_renamed_stays(tmp_path: Path) -> None:
    with scratch.folder(".building-", tmp_path) as place:
        place.rename(tmp_path / "built")
    with scratch.folder(".building-", tmp_path):
        assert (tmp_path / "built").exists()


@pytest.mark.parametrize(("usual", "used"), [("/tmp/a-b", "/tmp/a-b"), ("/tmp/a b", "/tmp")])
def test_names_that_not_every_program_takes_are_avoided(
    usual: str, used: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scratch.tempfile, "gettempdir", lambda: usual)
    assert scratch.plain_parent() == Path(used)
