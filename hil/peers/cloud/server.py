"""The cloud as one server of the laboratory: mosquitto, nginx, the application, the subscriber."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hil.design.facts import Facts
from hil.design.protocols import protocols
from hil.peers import base
from hil.peers.mqtt import recorder
from hil.system import preloads, processes, tools

AUTH = Path(__file__).with_name("auth.c")
_NAME = "cloud"
_BROKER = """\
per_listener_settings true
persistence false
sys_interval 0
user root
log_dest stderr
log_type error
log_type warning
connection_messages false
set_tcp_nodelay true
max_queued_messages 0
listener {own} 127.0.0.1
allow_anonymous true
listener {port} {address}
allow_anonymous false
certfile {folder}/chain.pem
keyfile {folder}/server.pem
plugin {plugin}
plugin_opt_registry {folder}/registry.sock
"""
_FRONT = """\
user root root;
daemon off;
master_process off;
worker_processes 1;
error_log stderr warn;
pid {folder}/nginx.pid;
events {{ worker_connections 4096; }}
http {{
  access_log off;
  server_tokens off;
  client_body_temp_path {folder}/nginx-body;
  proxy_temp_path {folder}/nginx-proxy;
  fastcgi_temp_path {folder}/nginx-fastcgi;
  uwsgi_temp_path {folder}/nginx-uwsgi;
  scgi_temp_path {folder}/nginx-scgi;
  keepalive_requests 1000000;
  upstream app {{ server unix:{folder}/app.sock; keepalive 64; }}
  server {{
    listen {address}:{port} ssl;
    ssl_certificate {folder}/chain.pem;
    ssl_certificate_key {folder}/server.pem;
    ssl_protocols TLSv1.2 TLSv1.3;
    {fields}
    location / {{
      proxy_pass http://app;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }}
  }}
}}
"""
# Header fields of a large front end: those of Cloud IoT Core's bridge, with the same sizes, except
# Date, which nginx writes, and the server's name.
_FIELDS = {
    "plain": (),
    "cloud": (
        ("Vary", "X-Origin"),
        ("Vary", "Referer"),
        ("Cache-Control", "private"),
        ("X-XSS-Protection", "0"),
        ("X-Frame-Options", "SAMEORIGIN"),
        ("X-Content-Type-Options", "nosniff"),
        ("Alt-Svc", 'quic=\\":443\\"; ma=2592000; v=\\"46,43,39\\"'),
    ),
}


@dataclass(frozen=True)
class Settings:
    """The configuration of a cloud.

    Attributes:
        chain_bytes: size of the certificate chain (certificates.chain_bytes).
        answer_fields: header fields of HTTP answers: plain or cloud.
        address, mqtt_port, https_port: where it listens for TLS.
        own_port: port of the broker on 127.0.0.1, for the cloud's own clients.
    """

    chain_bytes: int = 3000
    answer_fields: str = "plain"
    address: str = "0.0.0.0"
    mqtt_port: int = protocols()["mqtt"].servers[_NAME].port
    https_port: int = protocols()["http"].servers[_NAME].port
    own_port: int = protocols()["mqtt"].servers[_NAME].broker_port or 0


class Cloud(base.Server):
    """See the module. `start` applies the `settings`."""

    name = _NAME
    settings = Settings()

    def use(self, facts: Facts) -> None:
        fields = facts.answer_fields
        size = facts.chain_bytes
        wanted = dataclasses.replace(self.settings, chain_bytes=size, answer_fields=fields)
        if wanted != self.settings:
            self.stop()
            self.children.clear()
            self.settings = wanted
            self.start()

    def start(self) -> None:
        self._start_app()
        self._start_broker()
        self._start_front()
        ready = self.folder / "cloud.ready"
        ready.unlink(missing_ok=True)
        listener = processes.fork(
            "the cloud's subscriber",
            functools.partial(recorder.collect, self.name, self.settings.own_port, self.log, ready),
            self.namespace,
            self.folder / "cloud.subscriber.out",
        )
        self.children.append(listener)
        listener.wait_for(ready.exists)

    def _spawn(self, name: str, argv: Sequence[str]) -> processes.Child:
        """Start a program with deterministic random numbers."""
        preload = preloads.library(processes.RANDOMNESS)
        output = self.folder / f"cloud.{name}.out"
        child = processes.spawn(argv, self.namespace, output, preload=preload)
        self.children.append(child)
        return child

    def _start_app(self) -> None:
        ready = self.folder / "app.sock"
        # Remove an old socket: the new one appears after the certificates are written.
        ready.unlink(missing_ok=True)
        words = [str(self.folder), str(self.settings.chain_bytes), str(self.settings.own_port)]
        child = self._spawn("app", [*tools.python(), "-m", "hil.peers.cloud.main", *words])
        child.wait_for(ready.is_socket)

    def _start_broker(self) -> None:
        settings, conf = self.settings, self.folder / "cloud.mosquitto.conf"
        text = _BROKER.format(
            own=settings.own_port,
            address=settings.address,
            port=settings.mqtt_port,
            folder=self.folder,
            plugin=preloads.library(AUTH),
        )
        conf.write_text(text, encoding="utf-8")
        broker = self._spawn("mosquitto", ["mosquitto", "-c", str(conf)])
        base.wait_bound(broker, "tcp", settings.mqtt_port)

    def _start_front(self) -> None:
        settings, conf = self.settings, self.folder / "cloud.nginx.conf"
        fields = [
            f'add_header {name} "{value}";' for name, value in _FIELDS[settings.answer_fields]
        ]
        text = _FRONT.format(
            address=settings.address,
            port=settings.https_port,
            folder=self.folder,
            fields="\n    ".join(fields),
        )
        conf.write_text(text, encoding="utf-8")
        front = self._spawn("nginx", ["nginx", "-p", str(self.folder), "-c", str(conf)])
        base.wait_bound(front, "tcp", settings.https_port)
