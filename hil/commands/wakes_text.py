"""What `thinwire ask --sleep deep` prints."""

from __future__ import annotations

import json
from typing import Any

from hil.commands import wakes
from hil.commands.answer import number
from hil.commands.recommend import Question
from hil.commands.wakes import Wake, Way

_SHOWN = 8  # modes without --all


def interval(pair: tuple[float, float]) -> str:
    """Format an interval: "94 to 95"; a single number if both ends print alike."""
    ends = [number(value) for value in pair]
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def _share(pair: tuple[float, float]) -> str:
    return interval((min(pair), max(pair))) + " %"


def sentences(document: dict[str, Any], question: Question, way: Way, found: list[Wake]) -> str:
    """Return the answer: what decides, what the protocol is beside it, the best mode, and from
    which interval on waking is cheaper than staying in the cell."""
    best = found[0]
    shares = wakes.shares(best)
    most = wakes.largest(best)
    advice = wakes.remedy(best, way)
    parts = [
        f"{_share(shares[most])} of the charge of a wake-up is {most}"
        + (f": {advice}" if advice else "")
        + f"; the protocol is {_share(shares['the protocol'])}."
    ]
    life = wakes.days(document, question, best)
    parts.append(f"Best mode: {best.label}, {interval(life)} days.")
    if len(found) > 1:
        last = wakes.days(document, question, found[-1])
        parts.append(f"Last: {found[-1].label}, {interval(last)} days.")
    stays = [
        f"{label} from {interval(wakes.break_even_s(document, best, sleep))} s"
        for sleep, label in (("modem_sleep", "modem sleep"), ("light_sleep", "light sleep"))
    ]
    parts.append(f"Waking is cheaper than a radio that stays in the cell in {' and '.join(stays)}.")
    return " ".join(parts)


def words(question: Question, way: Way) -> str:
    """Return the question as a sentence."""
    kind = {"none": "no TLS", "kept": "TLS resumed", "forgotten": "TLS from anew"}[way.tls]
    return (
        f"{question.payload:g} bytes every {question.interval:g} s, {question.guarantee}, "
        f"deep sleep between messages, join {way.join}, {way.wifi_security}, "
        f"address {way.address}, "
        f"{'name and time looked up, ' if way.lookups else ''}{kind}, "
        f"battery {question.battery:g} mAh"
    )


def phase_table(wake: Wake) -> list[list[str]]:
    """Return the phases of a wake-up: header and rows."""
    whole = wake.uc
    rows = [
        [
            phase.name.replace("_", "-"),
            interval(phase.ms),
            interval(phase.uc),
            _share((100 * phase.uc[0] / whole[0], 100 * phase.uc[1] / whole[1])),
        ]
        for phase in wake.phases
    ]
    return [
        ["", "ms", "charge, µC", "share"],
        *rows,
        ["whole", interval(wake.ms), interval(whole), ""],
    ]


def mode_table(
    document: dict[str, Any], question: Question, found: list[Wake], everything: bool
) -> list[list[str]]:
    """Return the modes: header and rows."""
    shown = found if everything else found[:_SHOWN]
    rows = [
        [
            wake.label,
            interval(wakes.days(document, question, wake)),
            interval(wake.uc),
            interval(wake.ms),
            _share(wakes.shares(wake)["the protocol"]),
        ]
        for wake in shown
    ]
    return [["", "battery, days", "charge, µC", "awake, ms", "protocol's share"], *rows]


def basis(document: dict[str, Any]) -> list[str]:
    """Return the evidence for the answer."""
    known = document["wakes"]
    sizes = ", ".join(f"{size:g}" for size in known["payload"])
    build = known.get("build")
    commit = f" of commit {build['commit'][:12]} ({build['date']})" if build else ""
    least, greatest = known["chip_start_ms"]
    return [
        f"Phases: means over trials{commit} with {sizes} bytes in an idle cell, added up.",
        f"chip: stated, {least:g} to {greatest:g} ms by T. von Eicken (2018).",
        "Intervals: the least to the greatest published currents.",
        "Only the phases of this lab's device are counted: no sensor, no regulator, no retry.",
    ]


def as_json(document: dict[str, Any], question: Question, way: Way, found: list[Wake]) -> str:
    """Return the answer for programs."""
    answer = [
        {
            "mode": wake.mode,
            "label": wake.label,
            "battery_days": wakes.days(document, question, wake),
            "charge_uc": wake.uc,
            "awake_ms": wake.ms,
            "phases": [phase._asdict() for phase in wake.phases],
            "shares_pct": wakes.shares(wake),
        }
        for wake in found
    ]
    return json.dumps(
        {
            "question": vars(question) | {"sleep": "deep"} | vars(way),
            "sentence": sentences(document, question, way, found),
            "answer": answer,
        },
        indent=1,
        ensure_ascii=False,
    )
