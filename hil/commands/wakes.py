"""What a wake-up from deep sleep costs: `thinwire ask --sleep deep`.

R has measured each phase by the level that decides it (workflow/R/report/R/decide_wakes.R). This
module adds them up for one way of waking, mode by mode. Each charge is an interval, from the least
to the greatest published currents.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from hil.base.errors import InputError
from hil.commands.ranking import is_baseline
from hil.commands.recommend import Question, battery_days

# Which phases a sentence names together, in the order of a wake-up.
GROUPS = {
    "the chip's start": ("chip", "start"),
    "finding the cell": ("scan",),
    "joining it": ("join",),
    "address, name and time": ("address", "name", "time"),
    "TLS": ("tls",),
    "the protocol": ("session", "message", "answer"),
    "winding down": ("wind_down",),
}
# What makes the most expensive group cheaper, where the question leaves it open.
_REMEDIES = {
    "finding the cell": ("join", "scan", "cache the channel of the access point (--join cached)"),
    "TLS": ("tls", "forgotten", "keep the session over deep sleep (--tls kept)"),
}


@dataclass(frozen=True)
class Way:
    """How a device wakes: the levels of the study `wake`'s factors."""

    join: str = "cached"
    wifi_security: str = "wpa2-psk"
    address: str = "static"
    lookups: bool = False  # it resolves the server's name and asks for the time
    tls: str = "none"  # "kept": it resumes a session; "forgotten": a full handshake

    def levels(self) -> dict[str, str]:
        """Return the level of each phase before the protocol; no key: the phase is left out."""
        steps = {"start": "", "scan": self.join, "join": self.wifi_security}
        if self.address != "static":
            steps["address"] = self.address
        return steps | ({"name": "dns", "time": "sntp"} if self.lookups else {})


class Phase(NamedTuple):
    """A phase of a wake-up: its least and greatest time in ms, and charge in uC."""

    name: str
    ms: tuple[float, float]
    uc: tuple[float, float]


class Wake(NamedTuple):
    """The wake-up of a mode."""

    mode: str
    label: str
    phases: list[Phase]

    @property
    def uc(self) -> tuple[float, float]:
        """Its least and greatest charge, uC."""
        least, greatest = zip(*(phase.uc for phase in self.phases), strict=True)
        return sum(least), sum(greatest)

    @property
    def ms(self) -> tuple[float, float]:
        """Its least and greatest time, ms."""
        least, greatest = zip(*(phase.ms for phase in self.phases), strict=True)
        return sum(least), sum(greatest)


def _measured(row: dict[str, Any]) -> Phase:
    return Phase(row["phase"], (row["ms"], row["ms"]), (row["least_uc"], row["greatest_uc"]))


def _chip(wakes: dict[str, Any]) -> Phase:
    """Return the chip's own start, which is stated: no trial has it. Its processor runs, and at
    most its radio is awake."""
    least, greatest = wakes["chip_start_ms"]
    currents = wakes["currents_ma"]
    charge = (
        least * currents["least"]["modem_sleep"],
        greatest * currents["greatest"]["listen"],
    )
    return Phase("chip", (least, greatest), charge)


def _network(wakes: dict[str, Any], way: Way) -> list[Phase]:
    """Return the phases before the protocol.

    Raises:
        InputError: a level was not measured.
    """
    phases = [_chip(wakes)]
    for name, level in way.levels().items():
        row = next(
            (row for row in wakes["steps"] if (row["phase"], row["level"]) == (name, level)), None
        )
        if row is None:
            problem = f"no trial has the phase {name} with '{level}'"
            raise InputError("--sleep", "deep", problem, "run the study: thinwire trial run wake")
        phases.append(_measured(row))
    return phases


def wake_ups(document: dict[str, Any], question: Question, way: Way) -> list[Wake]:
    """Return the wake-up of each mode with the question's guarantee, the cheapest first.

    Raises:
        InputError: nothing was measured for this way of waking.
    """
    wakes = document["wakes"]
    before = _network(wakes, way)
    known = {mode["name"]: mode for mode in document["modes"]}
    order = document["guarantees"]
    session = "" if way.tls == "none" else way.tls
    found = [
        Wake(
            row["mode"],
            known[row["mode"]]["label"],
            before + [_measured(phase) for phase in row["phases"]],
        )
        for row in wakes["modes"]
        if row["mode"] in known
        and row["session"] == session
        and (not question.modes or row["mode"] in question.modes)
        and order.index(known[row["mode"]]["guarantee"]) >= order.index(question.guarantee)
        and not is_baseline(known[row["mode"]], question)
    ]
    if not found:
        modes = ", ".join(sorted({r["mode"] for r in wakes["modes"] if r["session"] == session}))
        problem = "no trial woke with such a mode" + (f" and TLS {way.tls}" if session else "")
        raise InputError("--sleep", "deep", problem, f"use --modes or --qos for one of {modes}")
    return sorted(found, key=lambda wake: wake.uc)


def shares(wake: Wake) -> dict[str, tuple[float, float]]:
    """Return the share of each group in the charge of a wake-up, in %, by the least and by the
    greatest currents."""
    whole = wake.uc
    found = {}
    for group, names in GROUPS.items():
        mine = [phase.uc for phase in wake.phases if phase.name in names]
        if mine:
            sums = [sum(charges) for charges in zip(*mine, strict=True)]
            found[group] = (100 * sums[0] / whole[0], 100 * sums[1] / whole[1])
    return found


def largest(wake: Wake) -> str:
    """Return the group with the largest share."""
    found = shares(wake)
    return max(found, key=lambda group: sum(found[group]))


def remedy(wake: Wake, way: Way) -> str:
    """Return what makes the largest group cheaper, or an empty text."""
    key, level, text = _REMEDIES.get(largest(wake), ("join", "", ""))
    return text if getattr(way, key) == level else ""


def days(document: dict[str, Any], question: Question, wake: Wake) -> tuple[float, float]:
    """Return the least and the greatest life of the battery, in days: asleep between messages, and
    a wake-up for each."""
    currents = document["wakes"]["currents_ma"]
    least, greatest = wake.uc
    return (
        battery_days(question, currents["greatest"]["deep_sleep"], greatest),
        battery_days(question, currents["least"]["deep_sleep"], least),
    )


def break_even_s(document: dict[str, Any], wake: Wake, sleep: str) -> tuple[float, float]:
    """Return the interval from which on waking is cheaper than a radio that stays in the cell in
    this sleep, s, by the least and by the greatest currents. The message of the device that stays
    is not counted: it is below a hundredth of a wake-up."""
    currents = document["wakes"]["currents_ma"]
    least, greatest = (
        charge / 1000 / (currents[of][sleep] - currents[of]["deep_sleep"])
        for of, charge in zip(("least", "greatest"), wake.uc, strict=True)
    )
    return min(least, greatest), max(least, greatest)
