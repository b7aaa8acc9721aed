"""The server for background stations (HTTP/1.1): GET /N returns N bytes, POST discards its body."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_CHUNK = bytes(65536)


class Site(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_words: object) -> None:
        pass

    def do_GET(self) -> None:
        size = int(self.path[1:])
        self.send_response(200)
        self.send_header("Content-Length", str(size))
        self.end_headers()
        for at in range(0, size, len(_CHUNK)):
            self.wfile.write(_CHUNK[: size - at])

    def do_POST(self) -> None:
        left = int(self.headers["Content-Length"])
        while left and (part := self.rfile.read1(min(left, len(_CHUNK)))):  # type: ignore[attr-defined]
            left -= len(part)
        self.send_response(204)
        self.end_headers()


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_words: object) -> None:
        """Ignore stations that close a connection during a transfer."""


def serve(address: str, port: int) -> None:
    """Serve until the process ends."""
    Server((address, port), Site).serve_forever()
