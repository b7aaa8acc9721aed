"""Does the AMQP consumer read the broker's frames, however TCP cuts them, and find the broker?"""

from __future__ import annotations

import shutil
import struct
from pathlib import Path

import pytest

from hil.base.errors import ToolMissing
from hil.machine import flavours
from hil.peers import SERVERS
from hil.peers.amqp import codec as amqp
from hil.peers.amqp import erlang
from hil.peers.amqp.recorder import Recorder
from hil.peers.log import Log
from hil.tests.support import peers


def frame(kind: int, payload: bytes) -> bytes:
    return struct.pack(">BHI", kind, 1, len(payload)) + payload + b"\xce"


def message(*bodies: bytes) -> bytes:
    """Basic.Deliver, content header and body frames, as a broker sends them (section 4.2.6)."""
    deliver = amqp.short("log") + struct.pack(">QB", 1, 0) + amqp.short("") + amqp.short("tw")
    head = struct.pack(">HHQH", 60, 0, sum(map(len, bodies)), 0)
    frames = [amqp.method(1, amqp.DELIVER, deliver), frame(amqp.CONTENT_HEADER, head)]
    return b"".join(frames + [frame(amqp.CONTENT_BODY, body) for body in bodies])


STREAM = message(b"b1 1 1000 ....") + message() + message(b"b1 2 ", b"2000 .\xce..")


@pytest.mark.parametrize("size", [1, 2, 7, 8, 50, 1000])
def test_messages_survive_any_cut(tmp_path: Path, size: int) -> None:
    log = Log("rabbitmq", tmp_path / "log")
    recorder = Recorder(log, "tw", durable=False)
    chunks = [(at, STREAM[at : at + size]) for at in range(0, len(STREAM), size)]
    assert not any(recorder.feed(data, at * 10**9) for at, data in chunks)
    found = peers.written(log, tmp_path / "log")
    assert [line["bytes"] for line in found] == [14, 0, 14]
    assert [line.get("seq") for line in found] == [1, None, None]  # the last one is foreign
    assert found[-1]["t"] == chunks[-1][0]  # the stamp of the chunk that completes it


def test_a_frame_without_its_end_is_malformed() -> None:
    with pytest.raises(amqp.Malformed, match="frame at byte 0 has no end"):
        list(amqp.frames(frame(amqp.METHOD, b"\0\x0a\0\x0a")[:-1] + b"\0"))


def test_rabbitmq_and_second_peers_have_images_of_their_own() -> None:
    own = [name for name in SERVERS if flavours.of(name).more]
    assert own == ["amqp", "cloud", "libcoap", "libcoaps", "paho"]


def test_servers_on_the_same_port_have_snapshots_of_their_own() -> None:
    names = {flavours.of(name).name for name in ("mqtt", "mqtt5", "coap", "oscore")}
    assert names == {"common", "mqtt5", "oscore"}


def test_a_missing_broker_is_named_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    with pytest.raises(ToolMissing, match="apt-get install rabbitmq-server"):
        erlang.find()


def test_the_image_gets_the_runtime_and_the_core_only() -> None:
    place = erlang.find()
    files = erlang.files(place)
    assert place.binaries / "beam.smp" in files
    plugins = {
        Path(*path.relative_to(place.home).parts[:2]).name
        for path in files
        if path.is_relative_to(place.home)
    }
    assert any(name.startswith("rabbit-") for name in plugins)
    assert not any(name.startswith("rabbitmq_management") for name in plugins)


def test_every_module_is_found_in_the_first_folder(tmp_path: Path) -> None:
    place = erlang.find()
    erlang.link_code(place, tmp_path)
    found = {path.name for path in (tmp_path / erlang.MODULES).iterdir() if path.exists()}
    wanted = {path.name for path in erlang.files(place) if path.match("*-*/ebin/*.beam")}
    assert wanted <= found and len(wanted) > 1000
    [core] = (tmp_path / erlang.PLUGINS).iterdir()
    assert (core / "priv" / "schema" / "rabbit.schema").is_file()
