"""The names of the cloud: project, devices, topics, hosts, and where its test keys lie.

The form of identifiers, topics and paths is that of the public registry that AAMEC used (Cloud IoT
Core, closed in 2023).
"""

from __future__ import annotations

from pathlib import Path

HOST = "cloud.thinwire.test"
PROJECT = "thinwire-project"
REGISTRY = f"projects/{PROJECT}/locations/europe-west1/registries/thinwire-registry"
# Signing algorithms of tokens (RFC 7518, section 3.1), and the devices that have keys.
ALGORITHMS = ("RS256", "ES256")
DEVICES = ("b1", "b2")
# Test keys, in the open on purpose: they guard nothing, and with them captures repeat.
KEYS = Path(__file__).with_name("keys")


def client_id(device: str) -> str:
    """The device's MQTT client identifier."""
    return f"{REGISTRY}/devices/{device}"


def device_of(client_id: str) -> str:
    """The device of an MQTT client identifier; empty if it is none of this registry's."""
    head, _, device = client_id.rpartition("/devices/")
    return device if head == REGISTRY else ""


def keeper(device: str) -> str:
    """Whose keys a device has: `b1-7` is one of a fleet that shares those of `b1`."""
    return device.partition("-")[0]


def topic(device: str) -> str:
    """Where a device publishes, by either door."""
    return f"/devices/{device}/events"


def path(device: str) -> str:
    """Where a device POSTs to."""
    return f"/v1/{client_id(device)}:publishEvent"


def key_file(device: str, algorithm: str) -> Path:
    """The private key of a device, PEM."""
    return KEYS / f"{device}-{algorithm.lower()}.pem"
