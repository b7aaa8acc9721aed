"""The AMQP broker RabbitMQ, and a consumer of ours that logs what reached the device's queue.

The broker is started as its own script would start it, less the shell: the Erlang runtime with the
broker's modules on its path. The consumer sits on loopback: no frame of it is on the measured link.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable
from pathlib import Path

from hil.design import addressing
from hil.design.protocols import DEFAULT_PEER, protocols
from hil.peers import base, tls
from hil.peers.amqp import erlang, recorder
from hil.system import processes

# Inside the machine, where its image put both.
_PLACES = Path("/etc/rabbitmq.json")
_QUEUE = "tw"  # the firmware's default (firmware/core/config.c)
_DISTRIBUTION_PORT = 25672
_START_S = 600.0
Consume = Callable[[Path, Path], None]
# Once a minute it would start a whole second Erlang machine, only to find that epmd is there.
_NO_EPMD_MONITOR = "sys:suspend(rabbit_epmd_monitor)."
CONF = """\
listeners.tcp.1 = 0.0.0.0:{port}
loopback_users = none
log.console = true
log.console.level = error
collect_statistics_interval = 3600000
vm_memory_high_watermark.absolute = 512MB
disk_free_limit.absolute = 1MB
listeners.ssl.1 = 0.0.0.0:{secure_port}
ssl_options.certfile = {certificate}
ssl_options.cacertfile = {certificate}
ssl_options.keyfile = {key}
ssl_options.verify = verify_none
ssl_options.fail_if_no_peer_cert = false
ssl_handshake_timeout = 30000
"""


def configuration(port: int, secure_port: int) -> str:
    """The text of rabbitmq.conf: what listens without and with TLS. Erlang takes what leads from
    the server's certificate to the root from among the authorities that it trusts. Its 5 s for a
    handshake are too few for a device that is emulated in the machine `qemu`, which takes 6 s."""
    certificate, key = tls.certificate("ec"), tls.key("ec")
    return CONF.format(port=port, secure_port=secure_port, certificate=certificate, key=key)


def _installation() -> erlang.Installation:
    if not _PLACES.exists():
        return erlang.find()
    places = json.loads(_PLACES.read_text(encoding="utf-8"))
    return erlang.Installation(Path(places["root"]), Path(places["home"]))


def environment(place: erlang.Installation, folder: Path) -> dict[str, str]:
    """Where the runtime and the broker find themselves and their files."""
    return {
        **os.environ,
        "ROOTDIR": str(place.root),
        "BINDIR": str(place.binaries),
        "EMU": "beam",
        "PROGNAME": "erl",
        "HOME": str(folder),
        "ERL_LIBS": str(place.home / "plugins"),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
        "RABBITMQ_HOME": str(place.home),
        "RABBITMQ_BASE": str(folder),
        "RABBITMQ_MNESIA_BASE": str(folder / "mnesia"),
        "RABBITMQ_LOG_BASE": str(folder / "log"),
        "RABBITMQ_LOGS": "-",
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "enabled_plugins"),
        "RABBITMQ_PLUGINS_DIR": str(place.home / "plugins"),
        "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq"),
        "RABBITMQ_CONF_ENV_FILE": str(folder / "none.conf"),
        "RABBITMQ_PID_FILE": str(folder / "pid"),
        "RABBITMQ_NODENAME": "thinwire@localhost",
        "RABBITMQ_DIST_PORT": str(_DISTRIBUTION_PORT),
    }


def command(place: erlang.Installation) -> list[str]:
    """One scheduler that does not spin: there is one processor, and idle time costs nothing."""
    return [
        str(place.binaries / "erlexec"), "-pa", "", "-noshell", "-noinput", "-s", "rabbit", "boot",
        "-eval", _NO_EPMD_MONITOR, "-boot", "start_sasl",
        "+W", "w", "+S", "1:1", "+SDio", "1", "+A", "1",
        "+sbwt", "none", "+sbwtdcpu", "none", "+sbwtdio", "none", "+c", "false",
        # No look at the host once a minute: there is no df, and nothing to learn.
        "-os_mon", "start_disksup", "false",
        "-syslog", "logger", "[]", "-syslog", "syslog_error_logger", "false",
        "-kernel", "prevent_overlapping_partitions", "false",
    ]  # fmt: skip


def _broker(place: erlang.Installation, folder: Path) -> None:
    os.chdir(folder)
    words = command(place)
    os.execve(words[0], words, environment(place, folder))


class RabbitMq(base.Server):
    """See the module."""

    name, front = "rabbitmq", 1

    def start(self) -> None:
        place, port = _installation(), addressing.port("amqp")
        secure_port = protocols()["amqp"].servers[DEFAULT_PEER].secure_port
        assert secure_port
        folder = self.folder / "rabbitmq"
        folder.mkdir()
        text = configuration(port, secure_port)
        (folder / "rabbitmq.conf").write_text(text, encoding="utf-8")
        (folder / "enabled_plugins").write_text("[].\n", encoding="utf-8")
        epmd = processes.spawn(
            [str(place.binaries / "epmd"), "-address", "127.0.0.1"],
            self.namespace,
            self.folder / "epmd.out",
        )
        self.children.append(epmd)
        self.start_front()
        self._start_consumer(functools.partial(recorder.collect, port, _QUEUE))

    def start_front(self) -> None:
        broker = processes.fork(
            "rabbitmq",
            functools.partial(_broker, _installation(), self.folder / "rabbitmq"),
            self.namespace,
            self.folder / "rabbitmq.out",
        )
        self.children.append(broker)
        base.wait_bound(broker, "tcp", addressing.port("amqp"), _START_S)

    def _start_consumer(self, consume: Consume) -> None:
        ready = self.folder / "rabbitmq.ready"
        ready.unlink(missing_ok=True)
        listener = processes.fork(
            "the AMQP consumer",
            functools.partial(consume, self.log, ready),
            self.namespace,
            self.folder / "consumer.out",
        )
        self.children.append(listener)
        listener.wait_for(ready.exists, timeout_s=_START_S)

    def make_durable(self) -> None:
        self.children.pop().stop()
        record = functools.partial(recorder.follow, addressing.port("amqp"), _QUEUE)
        self._start_consumer(record)

    def stop(self) -> None:
        """Stop the consumer, whose log counts; the broker need not say goodbye."""
        if self.children:
            self.children.pop().finish()
        self.kill()
