"""For the tests of TLS and DTLS: the device as a process, servers, and a wire that tampers."""

from __future__ import annotations

import json
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from hil.base.paths import ROOT
from hil.peers import terminator, tls
from hil.tests.support.ports import free_port

HOST = ROOT / "build/firmware/host/thinwire-host"
DATA = ROOT / "data/tls"
PSK_IDENTITY, PSK_KEY = (DATA / "psk.txt").read_text(encoding="ascii").strip().split(":")

# Words of devices.
MQTT = ("proto=mqtt", "qos=1", "messages=3", "interval_ms=20")
TCP = ("proto=tcp", "confirmable=0", "interval_ms=20", "messages=3")
CHAIN = (*TCP, "security=chain")
COAP = ("proto=coap", "interval_ms=20", "messages=3")

# A server's certificate, below data/tls, and why it is refused.
BAD_CERTIFICATES = [
    ("ec/expired", "certificate_expired"),
    ("ec/future", "certificate_not_yet_valid"),
    ("ec/wrong_name", "certificate_wrong_name"),
    ("ec/untrusted", "certificate_untrusted"),
    ("ec/self_signed", "certificate_self_signed"),
    ("ec/server_as_client", "certificate_wrong_use"),
]

Event = dict[str, object]
# The effect of a wire on a piece of data: the pieces to pass on, or None to cut the connection.
Tamper = Callable[[bool, int, bytes], list[bytes] | None]


def flip(record: bytes) -> bytes:
    """A record with its last bit changed."""
    return record[:-1] + bytes([record[-1] ^ 1])


def at_record(wanted: int, change: Callable[[bytes], list[bytes] | None]) -> Tamper:
    """A wire that changes the server's record `wanted` alone."""
    return lambda from_server, number, record: (
        change(record) if from_server and number == wanted else [record]
    )


def cut(_record: bytes) -> None:
    """End the connection where this record would come."""


def device(
    port: int, *words: str, seconds: float = 8, until: str = "end", inside: Sequence[str] = ()
) -> list[Event]:
    """The log of a device with these words; it is ended after its first event `until`. `inside`:
    what runs a command in another network."""
    argv = [*inside, HOST, "peer=127.0.0.1", f"port={port}", "seed=7", *words]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        stop = threading.Timer(seconds, process.kill)
        stop.start()
        events = []
        assert process.stdout
        for line in process.stdout:
            events.append(json.loads(line))
            if events[-1]["ev"] == until:
                process.kill()
        stop.cancel()
    return events


def only(events: list[Event], name: str) -> list[Event]:
    return [event for event in events if event["ev"] == name]


def resumed(events: list[Event]) -> list[object]:
    """Whether each session resumed an earlier one: 1 or 0."""
    return [event["resumed"] for event in only(events, "secured")]


def refused(port: int, *words: str) -> str:
    """Return the reason for which a device refuses the server; it must never be connected."""
    events = device(port, *words, until="disconnected")
    assert not only(events, "secured"), events
    assert not only(events, "connected"), events
    assert only(events, "disconnected"), events
    return str(only(events, "disconnected")[0]["reason"])


@contextmanager
def server(argv: list[object], port: int, udp: bool = False) -> Iterator[subprocess.Popen[bytes]]:
    """A server as a process; it can be reached when this begins."""
    with subprocess.Popen(
        [str(word) for word in argv],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            end = time.monotonic() + 10
            while not _bound(process.pid, port, udp):
                assert process.poll() is None, f"{argv[0]} ended with status {process.returncode}"
                assert time.monotonic() < end, f"{argv[0]} does not listen on port {port}"
                time.sleep(0.02)
            yield process
        finally:
            process.kill()


def _bound(pid: int, port: int, udp: bool) -> bool:
    """Does anybody in the network of this process listen there?"""
    table = Path(f"/proc/{pid}/net/{'udp' if udp else 'tcp'}").read_text(encoding="ascii")
    ends = (line.split()[1:4:2] for line in table.splitlines()[1:])
    return any(
        int(local.split(":")[1], 16) == port and (udp or state == "0A") for local, state in ends
    )


@contextmanager
def openssl(
    *options: object, leaf: str = "ec/server", port: int = 0, udp: bool = False
) -> Iterator[int]:
    """OpenSSL's own server, with this certificate (none for an empty name); its port."""
    port = port or free_port()
    argv = ["openssl", "s_server", "-accept", f"127.0.0.1:{port}", "-quiet", *options]
    if leaf:
        pem = DATA / f"{leaf}.pem"
        argv += ["-cert", pem, "-cert_chain", pem, "-key", pem.with_suffix(".key")]
    else:
        argv += ["-nocert"]
    with server(argv, port, udp):
        yield port


@contextmanager
def openssl_dtls(*options: object, leaf: str = "ec/server") -> Iterator[int]:
    """OpenSSL's own server of DTLS, see `openssl`; its port."""
    suites = "ECDHE-ECDSA-AES128-CCM8:PSK-AES128-CCM8:@SECLEVEL=0"
    port = free_port(socket.SOCK_DGRAM)
    words = ("-dtls1_2", "-timeout", "-cipher", suites, *options)
    with openssl(*words, leaf=leaf, port=port, udp=True):
        yield port


@contextmanager
def libcoap(library: str, security: str) -> Iterator[int]:
    """libcoap's server, built with this library; its DTLS port."""
    port = free_port(socket.SOCK_DGRAM)
    argv = [f"coap-server-{library}", "-A", "127.0.0.1", "-p", port - 1, "-d", "4"]
    if security == "psk":
        argv += ["-h", "lab", "-k", bytes.fromhex(PSK_KEY).decode()]
    else:
        argv += ["-c", DATA / "ec/direct.pem", "-j", DATA / "ec/server.key", "-n"]
    with server(argv, port, udp=True):
        yield port


@contextmanager
def terminated(security: str, cid_bytes: int = 4) -> Iterator[int]:
    """libcoap's server without DTLS, and the laboratory's terminator before it; its port."""
    inside, outside = free_port(socket.SOCK_DGRAM), free_port(socket.SOCK_DGRAM)
    known = ["certificate", tls.certificate("ec", "direct"), tls.key("ec")]
    if security == "psk":
        known = ["psk", PSK_IDENTITY, PSK_KEY]
    before = [terminator.program(), "127.0.0.1", outside, inside, cid_bytes, *known]
    behind = ["coap-server-notls", "-A", "127.0.0.1", "-p", inside, "-d", "4"]
    with server(behind, inside, udp=True), server(before, outside, udp=True):
        yield outside


def acked(events) -> int:
    return len(only(events, "acked"))


def mosquitto(
    folder: Path, port: int, security: str, *lines: str, key: str = PSK_KEY
) -> list[object]:
    """The command of a broker with the shared key, for `psk`, or else with a certificate."""
    config, keys, pem = folder / "mosquitto.conf", folder / "keys", DATA / "ec"
    keys.write_text(f"{PSK_IDENTITY}:{key}\n", encoding="ascii")
    shared = [f"psk_file {keys}", "psk_hint lab"]
    chain = [f"cafile {pem}/root.pem", f"certfile {pem}/server.pem", f"keyfile {pem}/server.key"]
    listens = ["user root", f"listener {port} 127.0.0.1", "allow_anonymous true"]
    text = "\n".join([*listens, *(shared if security == "psk" else chain), *lines]) + "\n"
    config.write_text(text, encoding="utf-8")
    return ["mosquitto", "-c", config]


@contextmanager
def broker(
    folder: Path, security: str = "chain", *lines: str, port: int = 0, key: str = PSK_KEY
) -> Iterator[int]:
    """A broker as `mosquitto` names it; its port."""
    port = port or free_port()
    with server(mosquitto(folder, port, security, *lines, key=key), port):
        yield port


def _records(source: socket.socket) -> Iterator[bytes]:
    """TLS records as they come (RFC 5246, section 6.2.1)."""
    kept = b""
    while True:
        while len(kept) >= 5 and len(kept) >= (size := 5 + int.from_bytes(kept[3:5], "big")):
            yield kept[:size]
            kept = kept[size:]
        try:
            more = source.recv(65536)
        except OSError:
            return
        if not more:
            return
        kept += more


@contextmanager
def wire(port: int, tamper: Tamper) -> Iterator[int]:
    """A TCP wire to the port that tampers with records; tamper(from_server, number, record)."""
    listener = socket.create_server(("127.0.0.1", 0))

    def pump(source: socket.socket, target: socket.socket, from_server: bool) -> None:
        try:
            for number, record in enumerate(_records(source)):
                pieces = tamper(from_server, number, record)
                if pieces is None:
                    break
                for piece in pieces:
                    target.sendall(piece)
        except OSError:  # the other one has closed
            pass
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def serve() -> None:
        while True:
            try:
                near, _ = listener.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", port))
            for ends in ((near, far, False), (far, near, True)):
                threading.Thread(target=pump, args=ends, daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield int(listener.getsockname()[1])
    finally:
        listener.close()


@contextmanager
def air(port: int, tamper: Tamper, moves: int = -1) -> Iterator[int]:
    """A UDP wire to the port that tampers with datagrams. The device's, from number `moves` on,
    come from another port, and what is sent to the first one is lost: as by an address translation
    that has forgotten it."""
    near = socket.socket(type=socket.SOCK_DGRAM)
    near.bind(("127.0.0.1", 0))
    client: list[tuple[str, int]] = []
    ends: list[socket.socket] = []  # the last one is in use

    def open_end() -> None:
        ends.append(socket.socket(type=socket.SOCK_DGRAM))
        ends[-1].connect(("127.0.0.1", port))
        threading.Thread(target=pump_back, args=(ends[-1],), daemon=True).start()

    def pump_back(end: socket.socket) -> None:
        with suppress(OSError):
            for number in count():
                datagram = end.recv(65536)
                if end is not ends[-1]:
                    return
                for piece in tamper(True, number, datagram) or []:
                    near.sendto(piece, client[0])

    def pump() -> None:
        with suppress(OSError):
            for number in count():
                datagram, sender = near.recvfrom(65536)
                client[:] = [sender]
                if number == moves:
                    open_end()
                for piece in tamper(False, number, datagram) or []:
                    ends[-1].send(piece)

    open_end()
    threading.Thread(target=pump, daemon=True).start()
    try:
        yield int(near.getsockname()[1])
    finally:
        for end in (near, *ends):
            end.close()
