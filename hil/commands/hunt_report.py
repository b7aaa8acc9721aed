"""How a search of `thinwire hunt` is shown: its progress, its results as a table and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hil.commands import hunt_coverage, hunt_finds
from hil.commands.hunt_coverage import Function
from hil.commands.hunt_judge import Judge
from hil.commands.hunt_state import State
from hil.commands.options import aligned
from hil.system.progress import in_words


def rate_per_h(state: State) -> float:
    """Return how many schedules were tried in an hour of wall time."""
    return 3600 * state.tried / state.ran_s if state.ran_s else 0.0


def progress(state: State, what: str = "") -> str:
    """Return the line that is shown while a search runs; `what` is done beside it."""
    return (
        f"{state.tried} schedules ({rate_per_h(state):.0f}/h), {len(state.features)} features"
        f" covered, "
        + (f"{len(state.executed)} instructions executed, " if state.executed else "")
        + f"{len(state.finds)} found"
        + (f"; {what}" if what else "")
    )


def head(judge: Judge) -> list[str]:
    """Return what is searched for, and what is left out."""
    judged = ", ".join(f"{one.name}: {one.text}" for one in judge.judged)
    found = [f"must hold: {judged}"]
    found += [
        f"not judged: {one.name}: {one.text} ({reason})"
        for one, reason in judge.left_out
        if reason != "does not apply"
    ]
    return found


def lines(state: State, judge: Judge, functions: Sequence[Function]) -> list[str]:
    """Return the results: a table, and a report for each find. `functions`: hunt_coverage.table."""
    found = []
    if state.finds:
        rows = [("find", "expectation", "measured", "faults")]
        rows += [
            (
                f"{one['number']:02d}",
                one["expected"],
                one["measured"],
                ", ".join(fault["kind"] for fault in one["faults"]),
            )
            for one in state.finds
        ]
        found += [*aligned(rows), ""]
    for one in state.finds:
        found += [f"find {one['number']:02d}", *hunt_finds.report(one)]
        if one["again"]:
            found.append(f"  again      {one['again']} further schedules")
        found.append("")
    for one in state.unsteady:
        found.append(f"no find: {one['metric']}: {one['reason']}: {one['faults']}")
    for one in state.lab_failures:
        found.append(f"the laboratory failed: {one['reason']}: {one['faults']}")
    found.append(
        f"{state.tried} schedules in {in_words(state.ran_s)} ({rate_per_h(state):.0f}/h): "
        f"{len(state.finds)} found, {len(state.unsteady)} that do not repeat, "
        f"{len(state.lab_failures)} failures of the laboratory"
    )
    found.append(
        f"{len(state.features)} features covered by {len(state.pool)} schedules; in "
        f"{state.unsettled} schedules a fault lasted too long to judge how the client recovers"
    )
    if functions:
        found.append(
            f"{len(state.executed)} instructions executed, in {_executed(functions)} of "
            f"{len(functions)} functions: {hunt_coverage.FILE}"
        )
    return found


def _executed(functions: Sequence[Function]) -> int:
    return sum(each.executed_bytes > 0 for each in functions)


def document(state: State, judge: Judge, functions: Sequence[Function]) -> dict[str, Any]:
    """Return the results as a document for JSON (docs/hunt.md)."""
    return {
        "schedules": state.tried,
        "schedules_per_h": round(rate_per_h(state), 1),
        "ran_s": round(state.ran_s, 1),
        "features": len(state.features),
        "instructions": len(state.executed),
        "functions": {"executed": _executed(functions), "known": len(functions)},
        "unsettled": state.unsettled,
        "judged": [f"{one.name}: {one.text}" for one in judge.judged],
        "left_out": [
            {"expectation": f"{one.name}: {one.text}", "reason": reason}
            for one, reason in judge.left_out
        ],
        "finds": state.finds,
        "unsteady": state.unsteady,
        "lab_failures": state.lab_failures,
    }
