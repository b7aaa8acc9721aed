"""Does the end of a process show whether its log is complete?"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hil.base.errors import TrialError
from hil.peers.recording import Termination
from hil.system import processes
from hil.system.footprint import footprint

_PR_SET_CHILD_SUBREAPER = 36

pytestmark = [
    pytest.mark.root,
    pytest.mark.skipif(os.geteuid() != 0, reason="needs root and network namespaces"),
]


def writer(namespace: str, folder: Path, write: Callable[[], None]) -> processes.Child:
    """A process that calls `write` at SIGTERM."""
    ready = folder / "ready"

    def body() -> None:
        end = Termination()
        ready.touch()
        if end.wait(60):
            write()

    child = processes.fork("the writer", body, namespace, folder / "output")
    child.wait_for(ready.exists)
    return child


def test_a_signal_before_the_wait_is_not_lost(namespace: str, tmp_path: Path) -> None:
    """A handler's exception cannot guarantee this: the signal comes between two system calls."""
    note = tmp_path / "note"

    def body() -> None:
        end = Termination()
        os.kill(os.getpid(), signal.SIGTERM)
        if end.wait(20):
            note.touch()

    assert processes.fork("a listener", body, namespace, tmp_path / "output").wait_to_end() == 0
    assert note.exists()


def test_a_started_child_is_in_its_namespace(namespace: str, tmp_path: Path) -> None:
    """Otherwise a process that waits for its port might find one of the host's instead."""
    child = processes.fork("a sleeper", lambda: time.sleep(60), namespace, tmp_path / "output")
    try:
        own = Path(f"/proc/{child.pid}/ns/net").stat().st_ino
        assert own == Path("/run/netns", namespace).stat().st_ino
    finally:
        child.stop(signal.SIGKILL)


def fail() -> None:
    raise OSError("no space left")


def test_a_log_has_the_time_it_needs(namespace: str, tmp_path: Path) -> None:
    log = tmp_path / "log"

    def write() -> None:
        time.sleep(0.3)
        log.touch()

    writer(namespace, tmp_path, write).finish(timeout_s=20)
    assert log.exists()


@pytest.mark.parametrize(
    ("write", "timeout_s", "words"),
    [
        (lambda: time.sleep(60), 0.2, "the writer had not written its log after 0.2 s"),
        (fail, 20, "the writer ended with status 1"),
    ],
)
def test_a_log_that_is_not_complete_is_an_error(
    namespace: str, tmp_path: Path, write: Callable[[], None], timeout_s: float, words: str
) -> None:
    child = writer(namespace, tmp_path, write)
    with pytest.raises(TrialError, match=words):
        child.finish(timeout_s=timeout_s)


def test_what_a_child_leaves_behind_is_waited_for(tmp_path: Path) -> None:
    """As the machine's first process: RabbitMQ leaves six at each restart."""
    note = tmp_path / "note"

    def leave() -> None:
        if os.fork() == 0:
            time.sleep(0.1)
            os._exit(0)

    def first() -> None:
        assert ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
        ended, alive = (
            processes.fork(name, body, "", tmp_path / name)
            for name, body in (("ended", leave), ("alive", lambda: time.sleep(60)))
        )
        for _ in range(2000):  # until what was left behind has ended, at most 20 s
            time.sleep(0.01)
            processes.reap()
            left = footprint(os.getpid(), lambda _: 0)["processes"]
            if left == 2:
                break
        note.write_text(f"{left} {ended.alive()} {ended.status} {alive.alive()}")

    processes.fork("first", first, "", tmp_path / "first").wait_to_end()
    assert note.read_text() == "2 False 0 True"


def test_more_files_are_allowed_and_never_fewer() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
    try:
        for count, allowed in ((300, 300), (100, 300)):
            processes.allow_files(count)
            assert resource.getrlimit(resource.RLIMIT_NOFILE) == (allowed, before[1])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
