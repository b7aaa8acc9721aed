"""The programs of other projects that the device is tried with: where they are, how they are run.

Their sources are in `foreign/`, `setup/peers/install` builds them into build/peers. A server prints
`ready` once it can be reached, then a line for each message; a sender ends when all are sent.
"""

from __future__ import annotations

import sys
from pathlib import Path

from lossy_link import SERVED_ADDRESS

HERE = Path(__file__).resolve().parent
BUILD = HERE.parents[2] / "build/peers"
READY = b"ready"


def _node(script: str, *words: str) -> list[str]:
    return ["node", str(BUILD / "node" / script), *words]


def _go(*words: str) -> list[str]:
    return [str(BUILD / "go/peers"), *words]


def _java(name: str, *words: str) -> list[str]:
    classes = f"{BUILD}/java:{BUILD}/java/jars/*"
    small = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    # A broker asks for its own name, and the namespace has no name server: an answer takes minutes.
    names = f"-Djdk.net.hosts.file={HERE}/foreign/java/hosts"
    return ["java", *small, names, "-cp", classes, name, *words]


def _tornado(*words: str) -> list[str]:
    return [sys.executable, str(HERE / "foreign/tornado_websocket.py"), *words]


BROKERS = {  # port, folder -> command
    "aedes": lambda port, _: _node("aedes.mjs", port),
    "mochi": lambda port, _: _go("mqtt", "serve", port),
    "hivemq": lambda port, folder: _java("Hive", port, folder),
    "qpid": lambda port, folder: _java("Qpid", port, folder),
}
SERVERS = {
    "californium": _java("Coap", "serve", "5683"),
    "node-coap": _node("coap.mjs", "serve", "5683"),
    "nginx": [sys.executable, str(HERE / "nginx.py"), "serve"],
    "go-http": _go("http", "serve", "8080"),
    "node-http": _node("http.mjs", "serve", "8080"),
    "ws": _node("websocket.mjs", "serve", "8081"),
    "gorilla": _go("websocket", "serve", "8081"),
    "tornado": _tornado("serve", "8081"),
}
_SENDERS = {
    "californium": lambda count: _java("Coap", "send", SERVED_ADDRESS, count),
    "node-coap": lambda count: _node("coap.mjs", "send", SERVED_ADDRESS, count),
    "nginx": lambda count: [sys.executable, str(HERE / "nginx.py"), "send", SERVED_ADDRESS, count],
    "go-http": lambda count: _go("http", "send", SERVED_ADDRESS, count),
    "node-http": lambda count: _node("http.mjs", "send", SERVED_ADDRESS, count),
    "ws": lambda count: _node("websocket.mjs", "send", "8082", count),
    "gorilla": lambda count: _go("websocket", "send", "8082", count),
    "tornado": lambda count: _tornado("send", "8082", count),
}


def sender(name: str, count: int) -> list[str] | None:
    """Return the command that sends so many messages to the device, None for another name."""
    return _SENDERS[name](str(count)) if name in _SENDERS else None


def installed() -> bool:
    """Whether `setup/peers/install` has been here."""
    return (BUILD / "java.stamp").exists()
