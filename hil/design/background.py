"""The traffic of others in the cell: which stations there are, and what each group of them does.

A trial names one profile or a mixture. The stations are dealt to the profiles in their order, and
each offers the same share of the load, so that a sweep of the load leaves the mixture as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hil.errors import InputError

NOBODY = "none"
# Profiles with no pace of their own: their load says how much they ask for.
_NEED_LOAD = ("web", "video")


@dataclass(frozen=True)
class Group:
    """Stations of one profile; `load_mbps` is what all of them offer, 0: what the profile makes."""

    profile: str
    stations: int
    load_mbps: float


@dataclass(frozen=True)
class Source:
    """One station: `direction` of its data is up or down; both for voice."""

    profile: str
    direction: str
    load_mbps: float


def _profiles(parameters: dict[str, Any]) -> list[str]:
    named = parameters["background_profile"]
    return [named] if isinstance(named, str) else list(named)


def groups(parameters: dict[str, Any]) -> list[Group]:
    """The groups of a trial's background, in the order of their profiles; none without stations."""
    if "background_profile" not in parameters:
        return []
    profiles, stations = _profiles(parameters), parameters["background_stations"]
    if profiles == [NOBODY] or not stations:
        return []
    load = parameters["background_load_mbps"]
    found = []
    for place, profile in enumerate(profiles):
        count = len(range(place, stations, len(profiles)))
        found.append(Group(profile, count, load * count / stations))
    return found


def sources(parameters: dict[str, Any]) -> list[Source]:
    """The stations one by one: those of a group take turns, down first, where both are asked."""
    asked, found = parameters.get("background_direction", "both"), []
    for group in groups(parameters):
        for place in range(group.stations):
            turn = "up" if place % 2 else "down"
            direction = turn if asked == "both" else asked
            if group.profile == "voice":
                direction = "both"
            found.append(Source(group.profile, direction, group.load_mbps / group.stations))
    return found


def check(parameters: dict[str, Any], source: str | Path) -> None:
    """Raise InputError where the background of a trial makes no sense.

    Raises:
        InputError: a profile of the mixture would have no station, or lacks the load that it needs.
    """
    found = groups(parameters)
    if any(not group.stations for group in found):
        raise InputError(
            source,
            "background_stations",
            f"{parameters['background_stations']} are fewer than the profiles of the mixture",
            f"give at least {len(found)}",
        )
    for group in found:
        if group.profile in _NEED_LOAD and not group.load_mbps:
            raise InputError(
                source,
                "background_load_mbps",
                f"is missing or 0, but {group.profile} has no pace of its own",
                f"give a load above 0, or the profile '{NOBODY}' for a cell without others",
            )
