"""Does a command that the workflow's fork server runs do what it does by itself?"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hil.commands import forkserver

ROOT = Path(__file__).resolve().parents[2]
START = [sys.executable, "-IS", str(ROOT / "workflow" / "scripts" / "start.py")]
KEEPER = """
import os
from hil.commands import forkserver
forkserver.begin()
print(os.environ[forkserver.ADDRESS], flush=True)
input()
"""


@pytest.fixture
def keeper() -> Iterator[subprocess.Popen[str]]:
    """A process that has a fork server beside it, until its input is closed."""
    words, pipe = [sys.executable, "-c", KEEPER], subprocess.PIPE
    with subprocess.Popen(words, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        yield process
        process.kill()


@pytest.fixture
def address(keeper: subprocess.Popen[str]) -> str:
    """Where its fork server listens."""
    assert keeper.stdout is not None
    return keeper.stdout.readline().strip()


def surroundings(address: str) -> dict[str, str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return {**os.environ, "PATH": path, forkserver.ADDRESS: address}


def start(address: str, *words: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    line = [*START, *words]
    return subprocess.run(
        line, cwd=folder, env=surroundings(address), capture_output=True, text=True, check=False
    )


def test_status_output_and_folder_are_those_of_the_command(address: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done, alone = (
        start(where, "trial", "verify", "empty", "missing", folder=tmp_path)
        for where in (address, "nobody")
    )
    assert (done.returncode, done.stdout, done.stderr) == (2, alone.stdout, alone.stderr)
    assert "missing: is not a folder" in done.stderr


def test_a_wrong_word_ends_as_it_does_by_itself(address: str) -> None:
    done = start(address, "trial", "walk")
    assert done.returncode == 2
    assert "there is no 'walk'" in done.stderr


@pytest.mark.parametrize("text", [b"no JSON", b"5", b'{"freeze": {}}', b'{"words": []}'])
def test_what_is_no_request_leaves_the_server_running(address: str, text: bytes) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
        connection.connect(f"\0{address}")
        connection.send(text)
        assert connection.recv(1) == b""
    assert start(address, "trial", "--help").returncode == 0


def children(pid: int) -> list[int]:
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    except OSError:  # it has ended
        return []
    return [int(word) for word in text.split()]


def is_machine(pid: int) -> bool:
    return b"initrd=image.cpio" in Path(f"/proc/{pid}/cmdline").read_bytes()


def copies(machine: int) -> list[int]:
    return [child for child in children(machine) if is_machine(child)]


def wait_until(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + 20
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_caller_that_is_killed_ends_its_command(
    keeper: subprocess.Popen[str], address: str, tmp_path: Path
) -> None:
    (server,) = children(keeper.pid)
    words = [*START, "trial", "run", "soak", "--out", str(tmp_path)]
    with subprocess.Popen(words, cwd=ROOT, env=surroundings(address)) as caller:
        wait_until(lambda: children(server))
        time.sleep(0.5)
        assert caller.poll() is None
        caller.kill()
    # What is left is the machine of which the trial's was a copy.
    wait_until(lambda: all(is_machine(child) for child in children(server)))
    wait_until(lambda: not any(copies(child) for child in children(server)))


def test_it_ends_with_the_process_beside_it(keeper: subprocess.Popen[str], address: str) -> None:
    assert start(address, "trial", "--help").returncode == 0
    (server,) = children(keeper.pid)
    keeper.kill()
    wait_until(lambda: not Path(f"/proc/{server}").exists())
