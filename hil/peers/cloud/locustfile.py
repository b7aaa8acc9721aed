"""The load of AAMEC 2019 (section IV) for Locust: a user connects, sends messages, each after the
acknowledgement of the previous one, disconnects, and begins again.

    locust -f hil/peers/cloud/locustfile.py --headless -u 1 -t 10s --protocol mqtt \\
      --host mqtts://localhost:8883 --cafile cloud/ca.pem

MQTT uses Paho's client at QoS 1 with a thread for its network loop. HTTP uses Locust's client with
one connection and the token in each request. `--log FILE` records the start of each phase of a
session for the laboratory.
"""

from __future__ import annotations

import base64
import json
import random
import ssl
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import paho.mqtt.client as paho
from locust import HttpUser, User, constant, events, task
from paho.mqtt.enums import CallbackAPIVersion
from requests.adapters import HTTPAdapter

from hil.design.payload import payload
from hil.peers.cloud import names, tokens

PROTOCOLS = ("mqtt", "http")
_WAIT_S = 60.0
_LINGER_S = 1.0


@events.init_command_line_parser.add_listener
def _options(parser: Any) -> None:
    group = parser.add_argument_group("thinwire", "The session of AAMEC 2019")
    group.add_argument("--protocol", choices=PROTOCOLS, default="mqtt")
    group.add_argument("--cafile", help="root certificate of the cloud (PEM)")
    group.add_argument("--device", default=names.DEVICES[0], help="its key signs the token")
    group.add_argument("--fleet", action="store_true", help="make each user a different device")
    group.add_argument("--token", choices=names.ALGORITHMS, default=names.ALGORITHMS[0])
    group.add_argument("--session-messages", type=int, default=100, help="messages per connection")
    group.add_argument("--session-mix", default="", help="draw the length of each session: 1,10")
    group.add_argument("--messages", type=int, default=0, help="stop after so many; 0: never")
    group.add_argument("--fields", type=int, default=1, help="fields of a message")
    group.add_argument("--field-bytes", type=int, default=33, help="size of a field")
    group.add_argument("--pause", type=float, default=0.0, help="time between sessions, s")
    group.add_argument("--tls", choices=("1.2", "1.3"), default="1.3", help="highest version")
    group.add_argument("--resume", action="store_true", help="resume the previous TLS session")
    group.add_argument("--await-connack", action="store_true", help="wait for it before messages")
    group.add_argument("--address", default="", help="address of this host, for the log")
    group.add_argument("--log", help="file for the log")
    group.add_argument("--nonce", default="", help="nonce of each line of the log")


def document(name: str, number: int, fields: int, field_bytes: int) -> bytes:
    """Make message `number`: an object of `fields` properties, each of `field_bytes` bytes with its
    comma or bracket. The first property has the sender and the number."""
    parts = []
    for field in range(1, fields + 1):
        head, tail = f'"f{field:03}":"', '"'
        room = field_bytes - len(head) - len(tail) - 1
        text = payload(name, number, 0, room) if field == 1 else b"." * room
        parts.append(head + text.decode() + tail)
    return ("{" + ",".join(parts) + "}").encode()


class Resuming(ssl.SSLContext):
    """A client's context that offers the session of the last connection, and calls `on_handshake`
    after a handshake that is part of `wrap_socket`."""

    resume = False
    last: ssl.SSLSession | None = None
    on_handshake: Callable[[], None] = staticmethod(lambda: None)
    socket: ssl.SSLSocket | None = None

    def wrap_socket(self, *args: Any, **more: Any) -> ssl.SSLSocket:
        if self.resume and self.last is not None:
            more["session"] = self.last
        self.socket = super().wrap_socket(*args, **more)
        self.on_handshake()
        return self.socket

    def remember(self) -> bool:
        """Keep the session of the open connection; return whether it was a resumed one."""
        if self.socket is None:
            return False
        self.last = self.socket.session or self.last
        return bool(self.socket.session_reused)


def _context(options: Any) -> Resuming:
    context = Resuming(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(options.cafile)
    if options.tls == "1.2":
        context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.resume = options.resume
    return context


class _Sessions(User):
    """Base of the users of both protocols: successive sessions, reported to Locust and logged."""

    abstract = True

    def on_start(self) -> None:
        self.options = self.environment.parsed_options
        self.tls = _context(self.options)
        self.sent = 0
        self.mix = [int(length) for length in self.options.session_mix.split(",") if length]
        self.lines: list[str] = []
        self.name = self.options.device
        if self.options.fleet:
            self.name += f"-{uuid.uuid4().hex[:12]}"
        self.host_name = urlsplit(self.host).hostname
        self.port = urlsplit(self.host).port
        self.note("boot")
        self.note("up", ip=self.options.address)
        self.prepare()

    def on_stop(self) -> None:
        self.write()

    def note(self, event: str, **more: Any) -> None:
        """Add a line to the log, with the time in s since 1970."""
        if self.options.log:
            stamp = f"{time.time_ns():019}"
            head = f'{{"t":{stamp[:-9]}.{stamp[-9:]},"nonce":"{self.options.nonce}",'
            text = json.dumps({"ev": event, **more}, separators=(",", ":"))[1:]
            self.lines.append(head + text + "\n")

    def write(self) -> None:
        if self.options.log and self.lines:
            with Path(self.options.log).open("a", encoding="utf-8") as file:
                file.write("".join(self.lines))
            self.lines.clear()

    def timed(self, name: str, since: float, size: int, error: Exception | None = None) -> None:
        """Report a request or a phase to Locust; `since`: its start by time.perf_counter()."""
        self.environment.events.request.fire(
            request_type=self.options.protocol,
            name=name,
            response_time=(time.perf_counter() - since) * 1000,
            response_length=size,
            exception=error,
            context={},
        )

    def message(self) -> bytes:
        self.sent += 1
        return document(self.name, self.sent, self.options.fields, self.options.field_bytes)

    def done(self) -> bool:
        return 0 < self.options.messages <= self.sent

    @task
    def session(self) -> None:
        """Run one session: connect, send messages, disconnect."""
        length = random.choice(self.mix) if self.mix else self.options.session_messages
        mixed = {"messages": length} if self.mix else {}
        begun, size = time.perf_counter(), 0
        self.note("phase", phase="connect")
        try:
            self.connect()
            self.timed("connect", begun, 0)
            for _ in range(length):
                text, since = self.message(), time.perf_counter()
                if self.connected():
                    self.note("phase", phase="message")
                self.note("sent", seq=self.sent)
                self.publish(text)
                self.note("acked", seq=self.sent, rtt_us=round((time.perf_counter() - since) * 1e6))
                self.timed("message", since, len(text))
                size += len(text)
            since = time.perf_counter()
            resumed = self.tls.remember()
            self.note("phase", phase="disconnect", resumed=resumed)
            self.disconnect()
            self.timed("disconnect", since, 0)
            self.timed("session", begun, size)
            self.note("session", us=round((time.perf_counter() - begun) * 1e6), **mixed)
        except Exception as error:  # of any request; Locust counts it
            self.timed("session", begun, size, error)
            self.note("failed", reason=str(error))
            self.disconnect()
        if self.done():
            time.sleep(_LINGER_S)  # the last frames of the connection
            self.note("end")
            self.write()
            self.environment.runner.quit()


class MqttDevice(_Sessions):
    """Paho at QoS 1."""

    def prepare(self) -> None:
        """Make the client with its credentials; connect and disconnect once (section IV)."""
        self.wait_time = constant(self.options.pause).__get__(self)
        self.topic = names.topic(self.name)
        self.client = paho.Client(CallbackAPIVersion.VERSION2, client_id=names.client_id(self.name))
        token = tokens.make(self.name, self.options.token, time.time())
        self.client.username_pw_set("unused", token)
        self.client.tls_set_context(self.tls)
        self.client.connect_async(self.host_name, self.port)
        if self.options.resume:
            self.connect(wait=True)
            self.tls.remember()
            self.disconnect()
            time.sleep(_LINGER_S)

    def connect(self, wait: bool = False) -> None:
        self.client.reconnect()
        self.client.loop_start()
        limit = time.monotonic() + _WAIT_S
        while (wait or self.options.await_connack) and not self.client.is_connected():
            if time.monotonic() > limit:
                raise TimeoutError("no CONNACK")
            time.sleep(0.001)

    def connected(self) -> bool:
        return True

    def publish(self, text: bytes) -> None:
        sent = self.client.publish(self.topic, text, qos=1)
        sent.wait_for_publish(_WAIT_S)
        if not sent.is_published():
            raise TimeoutError("no PUBACK")

    def disconnect(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


class HttpDevice(_Sessions, HttpUser):
    """Locust's HTTP client, on requests."""

    def prepare(self) -> None:
        self.wait_time = constant(self.options.pause).__get__(self)
        token = tokens.make(self.name, self.options.token, time.time())
        self.fields = {
            "authorization": f"Bearer {token}",
            "content-type": "application/json",
            "cache-control": "no-cache",
        }
        context = self.tls

        class Adapter(HTTPAdapter):
            def init_poolmanager(self, *args: Any, **more: Any) -> None:
                super().init_poolmanager(*args, ssl_context=context, **more)

        self.client.mount("https://", Adapter())
        self.client.verify = self.options.cafile
        if self.options.resume:
            with self.client.get("/", catch_response=True) as answer:
                answer.success()  # there is no such path; only the connection matters
            self.tls.remember()
            self.disconnect()
            time.sleep(_LINGER_S)
        context.on_handshake = self._opened

    def connect(self) -> None:
        """Do nothing: the first request connects. The handshake's end begins the next phase."""
        self.is_open = False

    def connected(self) -> bool:
        return self.is_open

    def _opened(self) -> None:
        self.is_open = True
        self.note("phase", phase="message")

    def publish(self, text: bytes) -> None:
        body = json.dumps({"binary_data": base64.b64encode(text).decode()})
        with self.client.post(
            names.path(self.name),
            data=body,
            headers=self.fields,
            name="publishEvent",
            catch_response=True,
        ) as answer:
            if answer.status_code != 200:
                raise ConnectionError(f"status {answer.status_code}")

    def disconnect(self) -> None:
        self.client.close()


@events.init.add_listener
def _choose(environment: Any, **_: Any) -> None:
    """Select the users of the chosen protocol."""
    chosen = {"mqtt": MqttDevice, "http": HttpDevice}
    options = environment.parsed_options
    if options is not None:
        environment.user_classes = [chosen[options.protocol]]
