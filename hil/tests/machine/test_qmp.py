"""Does the QMP client speak the protocol, and fail clearly, against a server of ours?"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator

import pytest

from hil.base.errors import LabError, TransientHostError
from hil.machine.qmp import Qmp

GREETING = {"QMP": {"version": {"qemu": {"major": 7, "minor": 2, "micro": 0}}, "capabilities": []}}
Script = Callable[[dict[str, object]], list[object]]


@pytest.fixture
def serve() -> Iterator[Callable[[Script], socket.socket]]:
    """A QEMU stand-in: for each command, the script says which lines to send."""
    threads = []
    ours, theirs = socket.socketpair()

    def start(script: Script) -> socket.socket:
        def talk() -> None:
            with theirs, theirs.makefile("rwb") as file:
                file.write(json.dumps(GREETING).encode() + b"\r\n")
                file.flush()
                for line in file:
                    for answer in script(json.loads(line)):
                        if answer is None:
                            return
                        raw = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                        file.write(raw + b"\r\n")
                    file.flush()

        thread = threading.Thread(target=talk, daemon=True)
        thread.start()
        threads.append(thread)
        return ours

    yield start
    ours.close()
    for thread in threads:
        thread.join(timeout=5)


def test_events_before_an_answer_are_skipped(serve: Callable[[Script], socket.socket]) -> None:
    def script(request: dict[str, object]) -> list[object]:
        if request["execute"] == "query-status":
            return [{"event": "STOP", "data": {}}, {"return": {"status": "paused"}}]
        return [{"return": {}}]

    with Qmp(serve(script), timeout_s=5) as qmp:
        assert qmp.status() == "paused"


def test_the_clock_is_in_seconds(serve: Callable[[Script], socket.socket]) -> None:
    leap_day = {"tm_year": 120, "tm_mon": 1, "tm_mday": 29, "tm_hour": 1, "tm_min": 2, "tm_sec": 3}

    def script(request: dict[str, object]) -> list[object]:
        return [{"return": leap_day}]

    with Qmp(serve(script), timeout_s=5) as qmp:
        assert qmp.clock_s() == 1582938123  # date -ud '2020-02-29 01:02:03' +%s


def test_arguments_use_dashes(serve: Callable[[Script], socket.socket]) -> None:
    seen = []

    def script(request: dict[str, object]) -> list[object]:
        seen.append(request)
        return [{"return": {}}]

    with Qmp(serve(script), timeout_s=5) as qmp:
        qmp.execute("migrate", uri="exec:true", some_flag=True)
    assert seen[1] == {"execute": "migrate", "arguments": {"uri": "exec:true", "some-flag": True}}


def test_a_refused_command_says_why(serve: Callable[[Script], socket.socket]) -> None:
    def script(request: dict[str, object]) -> list[object]:
        if request["execute"] == "qmp_capabilities":
            return [{"return": {}}]
        return [{"error": {"class": "GenericError", "desc": "migration is disabled"}}]

    with Qmp(serve(script), timeout_s=5) as qmp, pytest.raises(LabError, match="is disabled"):
        qmp.execute("migrate", uri="exec:true")


@pytest.mark.parametrize(("answer", "text"), [(None, "closed"), (b"{not json", "not JSON")])
def test_a_dying_qemu_is_an_error(
    serve: Callable[[Script], socket.socket], answer: object, text: str
) -> None:
    def script(request: dict[str, object]) -> list[object]:
        return [{"return": {}}] if request["execute"] == "qmp_capabilities" else [answer]

    with Qmp(serve(script), timeout_s=5) as qmp, pytest.raises(LabError, match=text):
        qmp.status()


def test_a_qemu_that_says_nothing_is_an_error() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, pytest.raises(TransientHostError, match="does not answer"):
        Qmp(ours, timeout_s=0.05)


def test_why_it_ended_is_known(serve: Callable[[Script], socket.socket]) -> None:
    def script(request: dict[str, object]) -> list[object]:
        if request["execute"] == "qmp_capabilities":
            return [{"return": {}}]
        data = {"guest": False, "reason": "host-signal"}
        return [{"return": {}}, {"event": "SHUTDOWN", "data": data}, None]

    with Qmp(serve(script), timeout_s=5) as qmp:
        qmp.execute("cont")
        assert qmp.shutdown == ""
        qmp.read_out()
        assert qmp.shutdown == "host-signal"


def test_waiting_for_a_state_has_a_limit(serve: Callable[[Script], socket.socket]) -> None:
    def script(request: dict[str, object]) -> list[object]:
        return [{"return": {"status": "inmigrate"}}]

    with Qmp(serve(script), timeout_s=5) as qmp, pytest.raises(LabError, match="stays in"):
        qmp.wait_until_not("inmigrate", timeout_s=0.05)
