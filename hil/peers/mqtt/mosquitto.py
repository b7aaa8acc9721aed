"""The MQTT broker mosquitto, and a subscriber that logs the messages that reached it.

The subscriber uses the loopback interface and QoS 0: none of its frames is on the measured link,
and within one host nothing is lost. If the broker is restarted in a trial, both are durable: the
broker saves its state when it stops, and the subscriber has a persistent session.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

from hil.design import addressing
from hil.design.facts import Facts
from hil.peers import base, terminator, tls
from hil.peers.mqtt import recorder
from hil.system import openssl, preloads, processes

_CONF = """\
listener {port} 0.0.0.0
allow_anonymous true
sys_interval 0
user root
log_dest stderr
log_type error
log_type warning
connection_messages false
set_tcp_nodelay {nodelay}
max_inflight_messages {in_flight}
max_queued_messages 0
"""
_TRANSIENT = "persistence false\n"
# The state is saved only when the broker stops, so that no write falls into a trial. Messages that
# arrive before the subscriber is back are queued for it, also at QoS 0.
_DURABLE = """\
persistence true
persistence_location {folder}/
autosave_interval 0
queue_qos0_messages true
"""
_SECURE = """\
listener {port} 0.0.0.0
"""
_SHARED_KEY = """\
psk_file {file}
psk_hint lab
"""
_CERTIFICATE = """\
cafile {root}
certfile {certificate}
keyfile {key}
require_certificate {asks}
"""
# For OpenSSL: a server accepts pre-shared keys and tickets without a key exchange (psk_ke, RFC
# 8446, section 4.2.9) only with this option, which mosquitto's configuration cannot set.
_KEY_ALONE = "Options = AllowNoDHEKEX"
_SLOW = """\
plugin {plugin}
plugin_opt_times {times}
"""
_IN_FLIGHT = 20  # mosquitto's own default
SERVER_TIME = Path(__file__).with_name("servertime.c")
Record = Callable[[str, int, Path, Path], None]


def _secure(facts: Facts) -> str:
    """Return the lines of the listener for a device that uses TLS."""
    text = _SECURE.format(port=facts.port)
    if facts.security == "psk":
        return text + _SHARED_KEY.format(file=tls.PSK_FILE)
    kind = facts.certificate
    asks = str(facts.own_certificate).lower()
    return text + _CERTIFICATE.format(
        root=tls.root("ec"),  # the root of device certificates, for any kind of server certificate
        certificate=tls.certificate(kind),
        key=tls.key(kind),
        asks=asks,
    )


class Broker(base.Server):
    """A broker on `port`, with the subscriber that writes `log`."""

    port: int
    durable = False
    nagle = False
    in_flight = _IN_FLIGHT
    secured: Facts | None = None

    def start(self) -> None:
        self.start_broker()
        self._start_subscriber(recorder.collect)

    def start_broker(self) -> None:
        conf = self.folder / f"{self.name}.conf"
        store = self.folder / f"{self.name}.store"
        store.mkdir(exist_ok=True)
        nodelay = str(not self.nagle).lower()
        text = _CONF.format(port=self.port, nodelay=nodelay, in_flight=self.in_flight)
        text += _DURABLE.format(folder=store) if self.durable else _TRANSIENT
        if self.secured:
            text += _secure(self.secured)
        if self.times_ns:
            times = self.folder / f"{self.name}.times"
            times.write_text("".join(f"{time}\n" for time in self.times_ns), encoding="ascii")
            text += _SLOW.format(plugin=preloads.library(SERVER_TIME), times=times)
        conf.write_text(text, encoding="utf-8")
        variables = {}
        if self.secured and not self.secured.psk_dhe:
            variables = openssl.variables(self.folder / f"{self.name}.openssl.cnf", _KEY_ALONE)
        broker = processes.spawn(
            ["mosquitto", "-c", str(conf)],
            self.namespace,
            self.folder / f"{self.name}.broker.out",
            variables=variables,
        )
        self.children.append(broker)
        base.wait_bound(broker, "tcp", self.port)

    def _start_subscriber(self, record: Record) -> None:
        ready = self.folder / f"{self.name}.ready"
        ready.unlink(missing_ok=True)
        listener = processes.fork(
            "the MQTT subscriber",
            functools.partial(record, self.name, self.port, self.log, ready),
            self.namespace,
            self.folder / f"{self.name}.subscriber.out",
        )
        self.children.append(listener)
        listener.wait_for(ready.exists)

    def use(self, facts: Facts) -> None:
        nagle = facts.broker_nagle
        in_flight = facts.broker_in_flight
        secured = facts if facts.secured else None
        if (nagle, in_flight, secured) == (self.nagle, self.in_flight, self.secured):
            return
        self.stop()
        self.children.clear()
        self.nagle, self.in_flight, self.secured = nagle, in_flight, secured
        self.start()

    def make_durable(self) -> None:
        self.stop()
        self.children.clear()
        self.durable = True
        self.start_broker()
        self._start_subscriber(recorder.follow)


class GatewayServer(Broker):
    """A gateway in front of its own broker. Subclasses start it in `start_front`.

    Only the gateway is restarted: broker and subscriber keep running and need not be durable. TLS
    of the device ends in front of the gateway, not at the broker.
    """

    front = 2
    device: Facts | None = None

    def use(self, facts: Facts) -> None:
        self.device = facts
        terminator.start(self, facts)

    def start(self) -> None:
        super().start()
        self.start_front()
        terminator.start(self, self.device)

    def make_durable(self) -> None:
        return


class Mosquitto(Broker):
    name, port = "mosquitto", addressing.port("mqtt")

    def start_front(self) -> None:
        self.start_broker()


class Mosquitto5(Mosquitto):
    """The same broker before a device that speaks MQTT 5. Loads and recorder speak 3.1.1."""

    name, port = "mosquitto5", addressing.port("mqtt5")
