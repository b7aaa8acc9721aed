"""Does a recorder log what its broker delivers only after the trial has ended?"""

from __future__ import annotations

import contextlib
import multiprocessing
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hil.peers import recording
from hil.peers.amqp import codec as amqp
from hil.peers.amqp.recorder import Recorder as AmqpRecorder
from hil.peers.log import Log
from hil.peers.mqtt.recorder import Recorder as MqttRecorder
from hil.tests.peers.test_amqp import message
from hil.tests.support import peers

BODY = b"b1 1 1000 ...."
SUBACK = b"\x90\3\0\1\0"
PINGRESP = b"\xd0\0"
PUBLISH = b"\x30" + bytes([3 + len(BODY)]) + b"\0\1t" + BODY
STEPS = [name for _, name in amqp.opening("tw")] + [amqp.CONSUME_OK]
DECLARE_OK = amqp.method(1, amqp.DECLARE_OK, amqp.short("tw") + bytes(8))


def mqtt_recorder(log: Log) -> recording.Recorder:
    return MqttRecorder(log, qos=0)


def amqp_recorder(log: Log) -> recording.Recorder:
    return AmqpRecorder(log, "tw", durable=False)


@contextlib.contextmanager
def recorded(
    make: Callable[[Log], recording.Recorder], folder: Path
) -> Iterator[tuple[socket.socket, multiprocessing.process.BaseProcess]]:
    """The broker's side of a recorder's connection, and its process, which has ended afterwards.
    It logs into `folder`/log, and `folder`/ready says that it records."""
    log = Log("test", folder / "log")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        process = multiprocessing.get_context("fork").Process(
            target=recording.collect, args=(make(log), log, port, folder / "ready")
        )
        process.start()
        broker, _ = server.accept()
        broker.settimeout(10)
        with broker:
            yield broker, process
        process.join(10)


@pytest.mark.parametrize(
    ("make", "opening", "rest"),
    [
        # Since a message came, the recorder asks a second time.
        (mqtt_recorder, [b"\x20\2\0\0" + SUBACK], [PUBLISH + PINGRESP, PINGRESP]),
        (
            amqp_recorder,
            [amqp.method(1, name, b"") for name in STEPS],
            [message(BODY) + DECLARE_OK],
        ),
    ],
    ids=["mqtt", "amqp"],
)
def test_a_message_that_follows_its_acknowledgement_is_logged(
    tmp_path: Path,
    make: Callable[[Log], recording.Recorder],
    opening: list[bytes],
    rest: list[bytes],
) -> None:
    """The broker of this test delivers its only message when it is asked for what it keeps."""
    with recorded(make, tmp_path) as (broker, process):
        for answer in opening:
            assert broker.recv(4096)
            broker.sendall(answer)
        deadline = time.monotonic() + 10
        while not (tmp_path / "ready").exists():
            assert process.is_alive() and time.monotonic() < deadline
            time.sleep(0.01)
        process.terminate()
        for answer in rest:
            assert broker.recv(4096)
            broker.sendall(answer)
        assert not broker.recv(4096)
    assert process.exitcode == 0
    assert [line["seq"] for line in peers.lines(tmp_path / "log")] == [1]


def test_a_broker_that_has_ended_is_not_asked(tmp_path: Path) -> None:
    with recorded(mqtt_recorder, tmp_path) as (broker, process):
        assert broker.recv(4096)
        broker.sendall(b"\x20\2\0\0" + SUBACK + PUBLISH)
    assert process.exitcode == 0
    assert [line["seq"] for line in peers.lines(tmp_path / "log")] == [1]
