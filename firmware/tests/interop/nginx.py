"""nginx before and behind the device: nginx.py serve, or nginx.py send ADDRESS COUNT

serve: takes POSTs at port 8080 and prints their bodies. To have the body for its log nginx must
pass the request on: a second server of its own answers. send: posts to an nginx that passes each
request on to the device, over kept connections.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import aiohttp
from counting import payload

_PARALLEL = 4
_COMMON = """\
daemon off;
master_process off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{}}
http {{
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  keepalive_requests 100000;
  {servers}
}}
"""
_SERVE = """\
  log_format body escape=none $request_body;
  server {
    listen 8080;
    client_body_in_single_buffer on;
    location / { access_log /dev/stdout body; proxy_pass http://127.0.0.1:8079; }
  }
  server { listen 127.0.0.1:8079; access_log off; location / { return 204; } }
"""
_SEND = """\
  access_log off;
  upstream device { server ADDRESS:80; keepalive 4; }
  server {
    listen 127.0.0.1:8079;
    location / {
      proxy_pass http://device;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_next_upstream off;
      proxy_read_timeout 120s;
    }
  }
"""


def _run(servers: str, work: Callable[[subprocess.Popen[bytes]], None]) -> int:
    """Run nginx with these servers while `work` lasts."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "nginx.conf"
        file.write_text(_COMMON.format(folder=folder, servers=servers))
        log = Path(folder) / "error.log"
        with subprocess.Popen(["nginx", "-c", str(file), "-e", str(log)]) as nginx:
            while not (Path(folder) / "pid").exists():
                if nginx.poll() is not None:
                    print(log.read_text(), file=sys.stderr)
                    return 1
                time.sleep(0.05)
            try:
                work(nginx)
            finally:
                nginx.terminate()
    return 0


def _serve(nginx: subprocess.Popen[bytes]) -> None:
    print("ready", flush=True)
    nginx.wait()


async def _post_all(count: int) -> None:
    numbers = iter(range(count))
    async with aiohttp.ClientSession() as session:

        async def work() -> None:
            for seq in numbers:
                async with session.post("http://127.0.0.1:8079/a", data=payload(seq)) as answer:
                    answer.raise_for_status()

        await asyncio.gather(*(work() for _ in range(_PARALLEL)))


def main() -> int:
    """Serve or send."""
    if sys.argv[1] == "serve":
        return _run(_SERVE, _serve)
    address, count = sys.argv[2], int(sys.argv[3])
    return _run(_SEND.replace("ADDRESS", address), lambda _: asyncio.run(_post_all(count)))


if __name__ == "__main__":
    sys.exit(main())
