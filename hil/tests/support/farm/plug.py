"""Plugs of the farm: python -m hil.tests.support.farm.plug PORT FOLDER

Speaks what labgrid's model `rest` of a NetworkPowerPort speaks: PUT of 0 or 1 at
/relay/INDEX/value, which FOLDER/boardINDEX/power switches the board. Its fault may be its plug's.
"""

from __future__ import annotations

import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Plug(BaseHTTPRequestHandler):
    folder: Path

    def do_PUT(self) -> None:
        value = self.rfile.read(int(self.headers["Content-Length"]))
        index = self.path.removeprefix("/relay/").removesuffix("/value")
        board = self.folder / f"board{index}"
        fault = (board / "fault").read_text() if (board / "fault").exists() else ""
        if fault.endswith("plug mute"):
            time.sleep(3600)
        if fault.endswith("plug broken"):
            self.send_error(503)
            return
        (board / "power").write_bytes(value)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()


if __name__ == "__main__":
    Plug.folder = Path(sys.argv[2])
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Plug).serve_forever()
