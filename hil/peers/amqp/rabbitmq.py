"""The AMQP broker RabbitMQ, and a consumer that logs the messages of the device's queue.

The broker is started as its own script does, but without a shell: the Erlang runtime with the
broker's modules on its path. The consumer uses the loopback interface, so none of its frames is on
the measured link.
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
from hil.system import preloads, processes

# Written by the image: the paths of both inside the machine.
_PATHS = Path("/etc/rabbitmq.json")
_QUEUE = "tw"  # the firmware's default (firmware/core/config.c)
_DISTRIBUTION_PORT = 25672
_START_S = 600.0
Consume = Callable[[Path, Path], None]
# The monitor would start a second Erlang runtime once a minute to check that epmd runs.
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
    """Return the text of rabbitmq.conf, with listeners for plain TCP and TLS.

    Erlang looks for intermediate certificates among the trusted authorities. Its default handshake
    timeout, 5 s, is too short for a device emulated in the machine `qemu`, which needs 6 s.
    """
    certificate, key = tls.certificate("ec"), tls.key("ec")
    return CONF.format(port=port, secure_port=secure_port, certificate=certificate, key=key)


def _installation() -> erlang.Installation:
    if not _PATHS.exists():
        return erlang.find()
    paths = json.loads(_PATHS.read_text(encoding="utf-8"))
    return erlang.Installation(Path(paths["root"]), Path(paths["home"]))


def environment(installed: erlang.Installation, folder: Path) -> dict[str, str]:
    """Return the environment that gives runtime and broker their paths; `folder`: the broker's own,
    with the links of `erlang.link_code`."""
    return {
        **os.environ,
        "ROOTDIR": str(installed.root),
        "BINDIR": str(installed.binaries),
        "EMU": "beam",
        "PROGNAME": "erl",
        "HOME": str(folder),
        "ERL_LIBS": str(installed.home / "plugins"),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
        "RABBITMQ_HOME": str(installed.home),
        "RABBITMQ_BASE": str(folder),
        "RABBITMQ_MNESIA_BASE": str(folder / "mnesia"),
        "RABBITMQ_LOG_BASE": str(folder / "log"),
        "RABBITMQ_LOGS": "-",
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "enabled_plugins"),
        "RABBITMQ_PLUGINS_DIR": str(folder / erlang.PLUGINS),
        "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq"),
        "RABBITMQ_CONF_ENV_FILE": str(folder / "none.conf"),
        "RABBITMQ_PID_FILE": str(folder / "pid"),
        "RABBITMQ_NODENAME": "thinwire@localhost",
        "RABBITMQ_DIST_PORT": str(_DISTRIBUTION_PORT),
        "LD_PRELOAD": str(preloads.library(erlang.AUX_THREAD)),
    }


def command(installed: erlang.Installation, folder: Path) -> list[str]:
    """Return the command of the broker, with one scheduler that does not busy-wait; `folder`: as
    for `environment`."""
    return [
        str(installed.binaries / "erlexec"), "-pa", str(folder / erlang.MODULES),
        "-noshell", "-noinput",
        "-s", "rabbit", "boot",
        "-eval", _NO_EPMD_MONITOR, "-boot", "start_sasl",
        "+W", "w", "+S", "1:1", "+SDio", "1", "+A", "1",
        "+sbwt", "none", "+sbwtdcpu", "none", "+sbwtdio", "none", "+c", "false",
        # No check of the disk once a minute: the machine has no df.
        "-os_mon", "start_disksup", "false",
        "-syslog", "logger", "[]", "-syslog", "syslog_error_logger", "false",
        "-kernel", "prevent_overlapping_partitions", "false",
    ]  # fmt: skip


def _broker(installed: erlang.Installation, folder: Path) -> None:
    os.chdir(folder)
    words = command(installed, folder)
    os.execve(words[0], words, environment(installed, folder))


class RabbitMq(base.Server):
    """See the module."""

    name, front = "rabbitmq", 1

    def start(self) -> None:
        installed, port = _installation(), addressing.port("amqp")
        secure_port = protocols()["amqp"].servers[DEFAULT_PEER].secure_port
        assert secure_port
        folder = self.folder / "rabbitmq"
        folder.mkdir()
        erlang.link_code(installed, folder)
        text = configuration(port, secure_port)
        (folder / "rabbitmq.conf").write_text(text, encoding="utf-8")
        (folder / "enabled_plugins").write_text("[].\n", encoding="utf-8")
        epmd = processes.spawn(
            [str(installed.binaries / "epmd"), "-address", "127.0.0.1"],
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
        """Stop the consumer, which writes the log, and kill the broker."""
        if self.children:
            self.children.pop().finish()
        self.kill()
