"""TLS on the device before nginx, a server of OpenSSL's with settings of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hil.tests.support.tls import DATA, Event, acked, device, free_port, only, refused, server

CONF = """\
daemon off; master_process off; worker_processes 1;
pid "{folder}/pid"; error_log "{folder}/error.log";
events {{}}
http {{
  access_log off;
  client_body_temp_path "{folder}"; proxy_temp_path "{folder}"; fastcgi_temp_path "{folder}";
  uwsgi_temp_path "{folder}"; scgi_temp_path "{folder}";
  server {{
    listen 127.0.0.1:{port} ssl;
    ssl_certificate "{leaf}.pem"; ssl_certificate_key "{leaf}.key";
    ssl_protocols TLSv1.2 TLSv1.3; ssl_session_cache shared:all:1m;
    location / {{ return 204; }}
  }}
}}
"""
VERSIONS = {"12": "TLS1.2", "13": "TLS1.3"}
EACH = ("proto=http", "messages=2", "interval_ms=20", "keep_alive=0", "resume=1")


@contextmanager
def nginx(folder: Path, leaf: str = "ec/server") -> Iterator[int]:
    """nginx with this certificate, which answers each request by 204; its port."""
    port = free_port()
    conf = folder / "nginx.conf"
    conf.write_text(CONF.format(folder=folder, port=port, leaf=DATA / leaf), encoding="utf-8")
    with server(["nginx", "-e", folder / "error.log", "-c", conf], port):
        yield port


def resumed(events: list[Event]) -> list[object]:
    return [event["resumed"] for event in only(events, "secured")]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", ["ec", "rsa"])
def test_a_chain_is_verified_and_a_session_resumed(tmp_path, kind, version):
    with nginx(tmp_path, f"{kind}/server") as port:
        events = device(port, *EACH, "security=chain", f"tls_version={version}")
    assert {event["version"] for event in only(events, "secured")} == {VERSIONS[version]}
    assert (resumed(events), acked(events)) == ([0, 1], 2)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_wrong_name_is_refused(tmp_path, version):
    with nginx(tmp_path, "ec/wrong_name") as port:
        words = ("proto=http", "security=chain", f"tls_version={version}")
        assert refused(port, *words) == "certificate_wrong_name"
