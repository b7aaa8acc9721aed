"""A network of one host for tests of peers; an image for those of the machine `uml`."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from hil.design import plan
from hil.machine import flavours, image, machines
from hil.machine.uml import kernel
from hil.system import netns, tools

tools.widen_path()  # as the command line does: an ordinary user's PATH has no servers


@pytest.fixture
def namespace() -> Iterator[str]:
    """A network namespace in which this host has the server's address."""
    spaces = netns.Namespaces(f"peers{os.getpid()}")
    spaces.create()
    netns.batch("ip", spaces.wired, [f"address add {plan.SERVER_IP}/32 dev lo"])
    yield spaces.wired
    spaces.close()


@pytest.fixture(scope="session")
def uml_image() -> image.Image:
    """The common image, where the machine `uml` runs."""
    if why := kernel.why_not():
        pytest.fail(why)
    return machines.Uml().prepare(flavours.COMMON)
