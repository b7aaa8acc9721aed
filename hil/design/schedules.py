"""Schedules of faults at random: the generator of `thinwire hunt` (docs/hunt.md).

A schedule is a list of faults, as the parameter `faults` has them. Kinds and keys are those of
hil/design/faultlist.py, values those of workflow/hunt.yaml. The same seed, number and pool give the
same schedule.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hil.base.documents import read_yaml
from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.base.schema import schema, validate
from hil.design import faultlist

SETTINGS = ROOT / "workflow" / "hunt.yaml"
Fault = dict[str, Any]
Schedule = list[Fault]
_TRIES = 50
_ONE_MORE = 0.45  # probability that a fresh schedule has a further fault
_CHANGED, _AT_PACKET = 0.5, 0.6  # probabilities
_SERIES = 8


def settings() -> dict[str, Any]:
    """Return workflow/hunt.yaml.

    Raises:
        InputError: it is invalid.
    """
    found = read_yaml(SETTINGS)
    validate(found, "hunt", SETTINGS)
    return dict(found)


def text(schedule: Sequence[Mapping[str, Any]]) -> str:
    """Return a schedule as one line, by which schedules are compared."""
    return json.dumps(list(schedule), sort_keys=True, separators=(",", ":"))


def digest(schedule: Sequence[Mapping[str, Any]]) -> str:
    """Return what stands for a schedule among those that were tried, 16 hexadecimal digits."""
    return hashlib.sha256(text(schedule).encode()).hexdigest()[:16]


def _of_range(rule: Mapping[str, Any]) -> list[Any]:
    """Return values of a key that hunt.yaml does not list, from its rule in the schema."""
    if "enum" in rule:
        return list(rule["enum"])
    if rule.get("type") == "boolean":
        return [None, True]
    if rule.get("type") not in ("integer", "number"):
        return [None]
    least, most = rule.get("minimum", 0), rule.get("maximum", 10**6)
    return [least, *(value for k in range(_SERIES) if least < (value := 10**k) <= most)]


def key_values() -> dict[str, list[Any]]:
    """Return the values of each key of a fault and of its packet, the simplest first."""
    rules = schema("parameters")["$defs"]["fault"]["properties"]
    known = settings()["values"]
    both = {**rules["at"]["properties"], **rules}
    return {
        key: known.get(key) or _of_range(rule)
        for key, rule in both.items()
        if key not in ("kind", "at", "at_s", "packet")
    }


@dataclass(frozen=True)
class Space:
    """What is searched.

    Attributes:
        until_s: when every fault must be over, in s after the start of the device.
        packets: packet and side that sends it -> how many the trial without faults has until then.
        valid: whether a trial can have these faults.
        kinds: of the faults; those without a valid example are left out.
        together: pairs of kinds that are tried together, each of `first` with each of `then`.
    """

    until_s: float
    packets: Mapping[tuple[str, str], int]
    valid: Callable[[Schedule], bool]
    kinds: tuple[str, ...] = tuple(faultlist.KINDS)
    most: int = field(default_factory=lambda: int(settings()["faults"]))
    values: Mapping[str, list[Any]] = field(default_factory=key_values)
    steps_s: Sequence[float] = field(default_factory=lambda: list(settings()["steps_s"]))
    together: Sequence[Mapping[str, list[str]]] = field(
        default_factory=lambda: list(settings()["together"])
    )

    def possible(self) -> Space:
        """Return the space with the kinds alone of which a valid fault is found.

        Raises:
            InputError: none is left.
        """
        chance = random.Random(0)
        kinds = tuple(kind for kind in self.kinds if self._fault(chance, kind))
        if not kinds:
            remedy = "let the device run for longer, or without interruptions"
            raise InputError("hunt", "", "no kind of fault fits into this trial", remedy)
        return replace(self, kinds=kinds)

    def _begin(self, chance: random.Random) -> dict[str, Any]:
        """Return when a fault begins: at a time, or at a packet that was seen or may yet come."""
        if not self.packets or chance.random() >= _AT_PACKET:
            step = chance.choice(self.steps_s)
            return {"at_s": round(step * chance.randint(0, int(self.until_s / step)), 3)}
        packet, side = chance.choice(sorted(self.packets))
        seen = self.packets[packet, side]
        if chance.random() < 0.5 and seen > 1:
            number = chance.randint(1, seen)
        else:
            known = [value for value in self.values["number"] if value <= seen + 1]
            number = chance.choice(known or [1])
        found = {"packet": packet, "number": number, "from": side}
        if (after := chance.choice(self.values["after_s"])) is not None:
            found["after_s"] = after
        return {"at": found}

    def _fault(self, chance: random.Random, kind: str | None = None) -> Fault | None:
        """Return a valid fault; None if none was found."""
        for _ in range(_TRIES):
            chosen = kind or chance.choice(self.kinds)
            found: Fault = {"kind": chosen, **self._begin(chance)}
            for key in faultlist.KINDS[chosen]:
                value = chance.choice(self.values[key])
                if value is not None:
                    found[key] = value
            if self._ends(found) and self.valid([found]):
                return found
        return None

    def _alone(self, kind: str) -> Fault | None:
        """Return the longest fault of a kind that begins after a quarter of the time; None if none
        is valid. Whatever waits has begun to wait by then, and there is time left to recover."""
        step = self.steps_s[0]
        begin_s = round(step * max(1, self.until_s // (4 * step)), 3)
        longest = sorted((value for value in self.values["for_s"] if value), reverse=True)
        required = {
            key: values[0]
            for key in faultlist.KINDS[kind]
            if key != "for_s" and None not in (values := self.values[key])
        }
        sides = [{}, *({"from": side} for side in self.values["from"] if side)]
        for for_s in longest if "for_s" in faultlist.KINDS[kind] else [None]:
            for side in sides if "from" in faultlist.KINDS[kind] else [{}]:
                found: Fault = {"kind": kind, "at_s": begin_s, **required, **side}
                if for_s is not None:
                    found["for_s"] = for_s
                if self._ends(found) and self.valid([found]):
                    return found
        return None

    def _first(self) -> Iterator[Sequence[str]]:
        """Yield the kinds of the first schedules: each alone, then the pairs of `together`."""
        yield from ((kind,) for kind in self.kinds)
        for both in self.together:
            for pair in itertools.product(both["first"], both["then"]):
                if set(pair) <= set(self.kinds):
                    yield pair

    def _begins_s(self, fault: Fault) -> float:
        """Return about when a fault begins, in s: that of a packet follows from its number among
        those of the trial without faults. A packet that only comes after a fault counts as 0."""
        packet = fault.get("at")
        if packet is None:
            return float(fault["at_s"])
        seen = self.packets.get((packet["packet"], packet.get("from", "")), 0)
        number = packet.get("number", 1)
        passed = self.until_s * (number - 1) / seen if number <= seen else 0.0
        return passed + float(packet.get("after_s", 0))

    def _ends(self, fault: Fault) -> bool:
        """Return whether a fault is over in time, as far as that is known beforehand. Where
        `for_s` is absent, nobody knows when its frames come."""
        return self._begins_s(fault) + float(fault.get("for_s", 0)) <= self.until_s

    def accepts(self, schedule: Schedule) -> bool:
        """Return whether a schedule belongs to the space: valid, over in time, and with one fault
        at most of those that have the server away."""
        away = sum(fault["kind"] in faultlist.AT_THE_SERVER for fault in schedule)
        return len(schedule) <= self.most and away <= 1 and self.fits(schedule)

    def fits(self, schedule: Schedule) -> bool:
        """Return whether a schedule is valid, and over in time as far as that is known."""
        return bool(schedule) and all(map(self._ends, schedule)) and self.valid(schedule)

    def _fresh(self, chance: random.Random) -> Schedule:
        count = 1
        while count < self.most and chance.random() < _ONE_MORE:
            count += 1
        faults = [self._fault(chance) for _ in range(count)]
        return [fault for fault in faults if fault]

    def _changed(self, chance: random.Random, given: Schedule, other: Schedule) -> Schedule:
        """Return a schedule with a fault more, less, exchanged or moved, or half of another's."""
        faults = [dict(fault) for fault in given]
        act = chance.choice(("add", "drop", "exchange", "move", "join"))
        at = chance.randrange(len(faults))
        if act == "drop" and len(faults) > 1:
            del faults[at]
        elif act == "exchange":
            faults[at : at + 1] = [fault for fault in [self._fault(chance)] if fault]
        elif act == "move":
            faults[at] = self._moved(chance, faults[at])
        elif act == "join":
            faults += [dict(fault) for fault in chance.sample(other, (len(other) + 1) // 2)]
        else:
            faults += [fault for fault in [self._fault(chance)] if fault]
        return faults

    def _moved(self, chance: random.Random, fault: Fault) -> Fault:
        """Return a fault that begins elsewhere, or has another value of one key."""
        kept = {key: value for key, value in fault.items() if key not in ("at", "at_s")}
        keys = [key for key in faultlist.KINDS[fault["kind"]] if len(self.values[key]) > 1]
        if not keys or chance.random() < 0.5:
            return kept | self._begin(chance)
        key = chance.choice(keys)
        found = dict(fault)
        found.pop(key, None)
        value = chance.choice(self.values[key])
        return found if value is None else found | {key: value}

    def schedule(
        self, seed: int, number: int, pool: Sequence[Schedule], known: set[str]
    ) -> Schedule | None:
        """Return schedule `number` of a search. The first ones are each kind of fault alone, then
        the pairs that act together.

        Args:
            pool: schedules that have covered something new; most schedules change one of them.
            known: digests of the schedules that were tried.

        Returns:
            None if no new schedule was found.
        """
        kinds = next(itertools.islice(self._first(), number, None), ())
        first = [fault for fault in map(self._alone, kinds) if fault]
        if len(first) == len(kinds) and self.accepts(first) and digest(first) not in known:
            return first
        chance = random.Random(f"{seed}/{number}")
        for _ in range(_TRIES):
            if pool and chance.random() < _CHANGED:
                found = self._changed(chance, chance.choice(pool), chance.choice(pool))
            else:
                found = self._fresh(chance)
            if self.accepts(found) and digest(found) not in known:
                return found
        return None
