"""Background traffic of the cell: its stations, and the traffic of each group of them.

A trial names one profile or a mixture. Stations are assigned to the profiles in turn, and each
offers the same share of the load. So a sweep of the load does not change the mixture.
"""

from __future__ import annotations

from dataclasses import dataclass

from hil.design.facts import Facts

NOBODY = "none"
# Profiles without a rate of their own: their load must be given.
_NEED_LOAD = ("web", "video")


@dataclass(frozen=True)
class Group:
    """Stations of one profile; `load_mbps` is their total load, 0 for the profile's own rate."""

    profile: str
    stations: int
    load_mbps: float


@dataclass(frozen=True)
class Source:
    """One station; the `direction` of its data is `up` or `down`, for voice `both`."""

    profile: str
    direction: str
    load_mbps: float


def groups(facts: Facts) -> list[Group]:
    """Return the groups of a trial's background, in the order of their profiles."""
    named = facts.background_profile
    profiles = [named] if isinstance(named, str) else list(named)
    stations, load = facts.background_stations, facts.background_load_mbps
    if profiles == [NOBODY] or not stations:
        return []
    found = []
    for first, profile in enumerate(profiles):
        count = len(range(first, stations, len(profiles)))
        found.append(Group(profile, count, load * count / stations))
    return found


def sources(facts: Facts) -> list[Source]:
    """Return the stations. In a group with both directions these alternate, beginning with down."""
    wanted, found = facts.background_direction, []
    for group in groups(facts):
        for number in range(group.stations):
            alternate = "up" if number % 2 else "down"
            direction = alternate if wanted == "both" else wanted
            if group.profile == "voice":
                direction = "both"
            found.append(Source(group.profile, direction, group.load_mbps / group.stations))
    return found


def without_load(facts: Facts) -> str:
    """Return the first profile that lacks the load it needs; an empty text if none does."""
    for group in groups(facts):
        if group.profile in _NEED_LOAD and not group.load_mbps:
            return group.profile
    return ""
