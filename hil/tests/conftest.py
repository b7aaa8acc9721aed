"""A network namespace for tests of peers, an image for tests of the machine `uml`, and a table of
their digests: `pytest --digests hil/tests/lab/test_uml*.py`.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
from collections.abc import Callable, Iterator

import pytest
from hypothesis import settings

from hil.design import addressing
from hil.machine import flavours, image, machines
from hil.machine.uml import kernel
from hil.system import netns, tools
from hil.tests.support.uml import Noted

# The suite tries the same inputs each time, since a test must not fail without a change. `pytest
# --hypothesis-profile explore hil/tests/*/test_hostile*.py` tries others.
settings.register_profile("explore", deadline=None)
settings.register_profile("suite", deadline=None, derandomize=True)
settings.load_profile("suite")

# Background processes of a shell ignore interrupts, and so would all processes that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# What `make check` leaves out: tests with this fixture, which runs R, and files whose tests take
# long or need more than the host's firmware.
_ANALYSIS = "analyze"
_SLOW = {
    "test_amqp_confirm_of_all",
    "test_analyze",
    "test_chip_clock",
    "test_cli",
    "test_closed_loop",
    "test_cloud",
    "test_coap_blocks_with_others",
    "test_compare",
    "test_connection_id",
    "test_crate",
    "test_crate_hostile",
    "test_dissector",
    "test_hardware",
    "test_hostile",
    "test_hostile_bytes",
    "test_hostile_settings",
    "test_links",
    "test_live",
    "test_load",
    "test_load_http",
    "test_lockstep",
    "test_lx106_library_floods",
    "test_machines",
    "test_mqttsn_device",
    "test_rabbitmq",
    "test_restarts",
    "test_secure",
    "test_serial_config",
    "test_sleeping_boards",
    "test_studies",
    "test_terminator",
    "test_tls13",
    "test_view",
    "test_wheel_tree",
}

tools.widen_path()  # as the command line does: an ordinary user's PATH has no servers


@pytest.fixture
def namespace() -> Iterator[str]:
    """A network namespace in which this host has the server's address."""
    spaces = netns.Namespaces(f"peers{os.getpid()}")
    spaces.create()
    netns.batch("ip", spaces.wired, [f"address add {addressing.SERVER_IP}/32 dev lo"])
    yield spaces.wired
    spaces.close()


@pytest.fixture(scope="session")
def uml_image() -> image.Image:
    """The common image, where the machine `uml` runs."""
    if why := kernel.why_not():
        pytest.fail(why)
    return machines.Uml().prepare(flavours.COMMON)


@pytest.fixture
def noted(record_property: Callable[[str, object], None]) -> Noted:
    """Record the digest of a trial's results, given by their checksums; return the checksums."""

    def note(sums: dict[str, str]) -> dict[str, str]:
        text = json.dumps(sums, sort_keys=True)
        record_property("digest", hashlib.sha256(text.encode()).hexdigest()[:16])
        return sums

    return note


@pytest.hookimpl(tryfirst=True)  # before `-m` selects
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.stem in _SLOW or _ANALYSIS in getattr(item, "fixturenames", ()):
            item.add_marker("slow")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--digests", action="store_true", help="print what tests noted, condition by digest"
    )


def _condition(test: str) -> str:
    """The condition of a test: its parameter's name, or its own name."""
    name, _, parameter = test.rpartition("::")[2].removesuffix("]").partition("[")
    return parameter or name.removeprefix("test_").removesuffix("_changes_no_byte").replace(
        "_", " "
    )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not terminalreporter.config.getoption("--digests"):
        return
    terminalreporter.write_line("| condition | digest |\n|---|---|")
    for status in ("passed", "failed"):
        for report in terminalreporter.getreports(status):
            for key, value in report.user_properties:
                if key == "digest" and report.when == "call":
                    terminalreporter.write_line(f"| {_condition(report.nodeid)} | `{value}` |")
