"""Background traffic of the cell: which stations there are, and what each group of them does.

A trial names one profile or a mixture. The stations are dealt to the profiles in their order, and
each offers the same share of the load, so that a sweep of the load does not change the mixture.
"""

from __future__ import annotations

from dataclasses import dataclass

from hil.design.facts import Facts

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


def groups(facts: Facts) -> list[Group]:
    """The groups of a trial's background, in the order of their profiles; none without stations."""
    named = facts.background_profile
    profiles = [named] if isinstance(named, str) else list(named)
    stations, load = facts.background_stations, facts.background_load_mbps
    if profiles == [NOBODY] or not stations:
        return []
    found = []
    for place, profile in enumerate(profiles):
        count = len(range(place, stations, len(profiles)))
        found.append(Group(profile, count, load * count / stations))
    return found


def sources(facts: Facts) -> list[Source]:
    """The stations one by one. Where a group has both directions they alternate, down first."""
    asked, found = facts.background_direction, []
    for group in groups(facts):
        for place in range(group.stations):
            turn = "up" if place % 2 else "down"
            direction = turn if asked == "both" else asked
            if group.profile == "voice":
                direction = "both"
            found.append(Source(group.profile, direction, group.load_mbps / group.stations))
    return found


def without_load(facts: Facts) -> str:
    """The first profile that lacks the load that it needs; an empty text if none does."""
    for group in groups(facts):
        if group.profile in _NEED_LOAD and not group.load_mbps:
            return group.profile
    return ""
