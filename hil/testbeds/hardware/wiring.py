"""Which boards wake from deep sleep: those whose GPIO16 is wired to RST, by a tag of the place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hil.base.errors import InputError
from hil.design.facts import Facts

Tags = Mapping[str, str]

TAGS: Tags = {"wakes": "gpio16-rst"}
ANY: Tags = {}


def wanted(facts: Facts) -> Tags:
    """Return the tags that a board for a trial with these facts has."""
    return TAGS if facts.deep_sleep else ANY


def meets(tags: Tags, asked: Tags) -> bool:
    """Return whether a board with `tags` has all that is asked for."""
    return asked.items() <= tags.items()


def check(boards: Iterable[tuple[str, Tags]], asked: Tags) -> None:
    """Check that one of the boards, by name and tags, has all that is asked for.

    Raises:
        InputError: none has.
    """
    known = dict(boards)
    if asked and known and not any(meets(tags, asked) for tags in known.values()):
        words = " ".join(f"{key}={value}" for key, value in asked.items())
        name = min(known)
        raise InputError(
            f"place {name}" if len(known) == 1 else f"places {', '.join(sorted(known))}",
            "deep_sleep",
            f"has no tag {words}: without a wire from GPIO16 to RST a board sleeps for ever",
            f"wire it (docs/hardware.md, 'Deep sleep'), then labgrid-client -p {name} set-tags"
            f" {words}",
        )
