"""The names of the cloud: project, devices, topics, hosts, and its test keys.

Identifiers, topics and paths have the form of the public registry that AAMEC used (Cloud IoT Core,
closed in 2023).
"""

from __future__ import annotations

from pathlib import Path

HOST = "cloud.thinwire.test"
PROJECT = "thinwire-project"
REGISTRY = f"projects/{PROJECT}/locations/europe-west1/registries/thinwire-registry"
# Signing algorithms of tokens (RFC 7518, section 3.1), and the devices that have keys.
ALGORITHMS = ("RS256", "ES256")
DEVICES = ("b1", "b2")
# Test keys, public on purpose: they protect nothing, and make captures repeatable.
KEYS = Path(__file__).with_name("keys")


def client_id(device: str) -> str:
    """Return the device's MQTT client identifier."""
    return f"{REGISTRY}/devices/{device}"


def device_of(client_id: str) -> str:
    """Return the device of an MQTT client identifier; empty if it is not of this registry."""
    head, _, device = client_id.rpartition("/devices/")
    return device if head == REGISTRY else ""


def key_owner(device: str) -> str:
    """Return the device whose keys this one has: `b1-7` of a fleet shares those of `b1`."""
    return device.partition("-")[0]


def topic(device: str) -> str:
    """Return the topic that a device publishes to, over MQTT or HTTP."""
    return f"/devices/{device}/events"


def path(device: str) -> str:
    """Return the path that a device POSTs to."""
    return f"/v1/{client_id(device)}:publishEvent"


def key_file(device: str, algorithm: str) -> Path:
    """Return the file of a device's private key, PEM."""
    return KEYS / f"{device}-{algorithm.lower()}.pem"
