"""Several devices of one trial: which trials can have them, their groups and seeds, when they are
switched on."""

from __future__ import annotations

import hashlib
import random

from hil.design import addressing
from hil.design.facts import Facts

# Whose emulator starts at a stated time of the clock.
BOARD = "lx106"


def problem(facts: Facts) -> str:
    """Return what the trial states that is made for a single device, or an empty text."""
    if facts.devices == 1 and not facts.groups:
        return ""
    stated = {
        "foreign": facts.foreign,
        "clients": facts.clients,
        "pace answer": facts.asks,
        "faults": facts.faults,
        "nat_timeout_s": facts.nat_timeout_s,
    }
    return next((name for name, value in stated.items() if value), "")


def too_many_for_oscore(facts: Facts) -> bool:
    """Return whether a device has no security context in the analysis."""
    protocols = {own.protocol for own in facts.by_group}
    return "oscore" in protocols and facts.devices > addressing.OSCORE_DEVICES_MAX


def apart(facts: Facts) -> str:
    """Return the servers of a trial and its groups, if not all run in one machine, or an empty
    text."""
    servers = [own.row.servers.get(own.peer) for own in (facts, *facts.by_group)]
    machines = {server.name: server.machine.get("name", "") for server in servers if server}
    return " and ".join(sorted(machines)) if len(set(machines.values())) > 1 else ""


def of_one_server(facts: Facts) -> str:
    """Return what the trial states of its only server, if the groups have several, or an empty
    text."""
    if len({own.protocol for own in facts.by_group}) == 1:
        return ""
    names = ("server_restart_s", "restart_spans_s", "server_time_us", "footprint_s")
    return next((name for name in names if getattr(facts, name)), "")


def group_numbers(facts: Facts) -> list[int]:
    """Return for each device the index of its group, from 0; they are dealt out in order. Without
    groups all are of one."""
    if not facts.groups:
        return [0] * facts.devices
    sizes = [group["devices"] for group in facts.groups]
    return [index for index, size in enumerate(sizes) for _ in range(size)]


def each_device(facts: Facts) -> list[Facts]:
    """Return the facts of each device, in the order of the devices."""
    by_group = facts.by_group
    return [by_group[index] for index in group_numbers(facts)]


def seed(trial: int, number: int) -> int:
    """Return the seed of the device of this number, 32 bits, from the seed of its trial. That of
    the first device is the trial's own."""
    if number == 1:
        return max(1, trial)
    digest = hashlib.sha256(f"{trial}/device/{number}".encode()).digest()
    return max(1, int.from_bytes(digest[:4], "big"))


def starts_ns(facts: Facts, trial: int) -> list[int]:
    """Return when each device is switched on, in ns after the trial's start: at random, uniformly
    over its group's spread from the group's start on; all of a group in one moment where that is 0.

    Args:
        trial: the trial's seed.
    """
    source = random.Random(f"devices/{trial}")
    begins = [group.get("start_s", 0) for group in facts.groups] or [0]
    spreads = [own.spread_s for own in facts.by_group]
    return [
        round(begins[index] * 1e9) + source.randint(0, round(spreads[index] * 1e9))
        for index in group_numbers(facts)
    ]
