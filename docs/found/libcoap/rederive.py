"""A defect of libcoap 4.3.5 with OSCORE (../libcoap-oscore-rederive.md).

rederive.py BUILD replay    a request that was recorded before is acted on again
rederive.py BUILD restart   a client that restarts twice is refused

BUILD holds coap-server and coap-client. The requests of the clients reach the server through a
relay, so they come from a port that the relay chooses: it stands for a device with a fixed port.
"""

import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HOST = "127.0.0.1"
SETTINGS = """master_secret,hex,"0102030405060708090a0b0c0d0e0f10"
master_salt,hex,"9e7ca92223786340"
sender_id,ascii,"{sender}"
recipient_id,ascii,"{recipient}"
rfc8613_b_2,bool,true
"""


def udp() -> socket.socket:
    """A socket with a port of its own."""
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.bind((HOST, 0))
    return made


class Relay:
    """What is between one address of clients and the server. `sent`: the clients' datagrams."""

    def __init__(self, server: int) -> None:
        self.sent: list[bytes] = []
        self._near, self._far = udp(), udp()
        self._far.connect((HOST, server))
        self._client: tuple[str, int] = (HOST, 0)
        self.port = self._near.getsockname()[1]
        for carry in (self._up, self._down):
            threading.Thread(target=carry, daemon=True).start()

    def _up(self) -> None:
        while True:
            datagram, self._client = self._near.recvfrom(2048)
            self.sent.append(datagram)
            self._far.send(datagram)

    def _down(self) -> None:
        while True:
            self._near.sendto(self._far.recv(2048), self._client)

    def inject(self, datagram: bytes) -> None:
        """Send a datagram to the server from the address of the clients."""
        self._far.send(datagram)
        time.sleep(0.5)


class Peers:
    """libcoap's server and its clients. `folder`: for their settings."""

    def __init__(self, build: Path, folder: Path) -> None:
        self._client = build / "coap-client"
        self._settings = folder / "client"
        own = folder / "server"
        self._settings.write_text(SETTINGS.format(sender="client", recipient="server"))
        own.write_text(SETTINGS.format(sender="server", recipient="client"))
        with udp() as free:
            self.port = free.getsockname()[1]
        words = ["-A", HOST, "-p", str(self.port), "-d", "4", "-v", "0", "-E", str(own)]
        self.server = subprocess.Popen([build / "coap-server", *words])
        time.sleep(0.5)

    def _ask(self, *words: str) -> str:
        command = [self._client, "-B", "5", *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return (done.stdout + done.stderr).strip()

    def put(self, relay: Relay, text: str) -> None:
        """Store a text by a client that has just started, and print what it got."""
        words = ("-E", str(self._settings), "-m", "put", "-e", text)
        said = self._ask(*words, f"coap://{HOST}:{relay.port}/data")
        print(f"a client stores '{text}': {said or 'success'}; stored: {self.stored()}")

    def stored(self) -> str:
        """Return what the server holds."""
        return self._ask("-m", "get", f"coap://{HOST}:{self.port}/data")


def replay(peers: Peers) -> None:
    """Record a request at one address and send it again from another one."""
    before, now = Relay(peers.port), Relay(peers.port)
    peers.put(before, "old")
    peers.put(now, "new")
    now.inject(before.sent[0])
    print(f"the first request of 'old' again: stored: {peers.stored()}")


def restart(peers: Peers) -> None:
    """Let three clients, one after the other, use the same address."""
    relay = Relay(peers.port)
    for text in ("first", "second", "third"):
        peers.put(relay, text)


def main() -> None:
    """Show the defect that the arguments name."""
    shows = {"replay": replay, "restart": restart}
    if len(sys.argv) != 3 or sys.argv[2] not in shows:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        peers = Peers(Path(sys.argv[1]), Path(folder))
        try:
            shows[sys.argv[2]](peers)
        finally:
            peers.server.kill()


if __name__ == "__main__":
    main()
