"""How the results of `thinwire try` are shown: a table, JSON, and JUnit XML."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from hil.commands import outputs
from hil.commands.try_repeat import Difference
from hil.commands.try_results import Measured, Results, Verdict
from hil.system import colours

_WORDS = {True: "pass", False: "FAIL"}
_HEAD = ("expectation", "measured", "")
_UNKNOWN = "none is known; the packet and its time show where to look"


def _measured(one: Measured) -> str:
    """Return a measured value with its unit, to four digits or as many as a count has."""
    if one.value is None:
        return f"not measured: {one.reason}"
    number = f"{one.value:.4g}" if abs(one.value) < 1e4 else f"{one.value:.0f}"
    return f"{number} {one.unit}".strip()


def _wanted(verdict: Verdict) -> str:
    return f"{verdict.expectation.name}: {verdict.expectation.text}"


def repeat(results: Results, seed: int | None = None) -> str:
    """Return the command that repeats the trials, or that of one seed."""
    words = ["thinwire", "try", str(results.tried.path.parent)]
    return shlex.join([*words, *([] if seed is None else ["--seed", str(seed)])])


def difference_lines(one: Difference) -> list[str]:
    """Return the lines about a trial that does not repeat."""
    found = [f"  differs    {one.run}, {one.where.splitlines()[0]}", *one.where.splitlines()[1:]]
    found += [f"  cause      {cause}" for cause in one.causes or (_UNKNOWN,)]
    return [*found, f"  compare    {_compare(one)}"]


def _compare(one: Difference) -> str:
    return shlex.join(["thinwire", "trial", "compare", *map(str, one.folders)])


def lines(results: Results) -> list[str]:
    """Return the table, and below it where the results are and how to repeat them."""
    several = len(results.bundles) > 1
    rows = [
        (
            _wanted(one),
            _measured(one.worst) + (f" (seed {one.worst.seed})" if several else ""),
            _WORDS[one.holds],
        )
        for one in results.verdicts
    ]
    widths = [max(len(row[column]) for row in [_HEAD, *rows]) for column in (0, 1)]
    found = [f"{_HEAD[0]:{widths[0]}}  {_HEAD[1]}"]
    found += [
        f"{name:{widths[0]}}  {value:{widths[1]}}  {colours.word(word)}"
        for name, value, word in rows
    ]
    found.append("")
    for trial, done in zip(results.tried.trials(), results.bundles, strict=True):
        said = "" if done.outcome == "ok" else f"{done.outcome}: {done.reason}"
        found.append(f"seed {trial.repetition}  {said}".rstrip())
        found.append(f"  capture    {done.folder / 'wire.pcapng.gz'}")
        found.append(f"  time line  {shlex.join(['thinwire', 'view', str(done.folder)])}")
        found.append(f"  repeat     {repeat(results, trial.repetition)}")
        for difference in results.differences:
            if difference.seed == trial.repetition:
                found += difference_lines(difference)
    if results.runs > 1 and not results.differences:
        found.append(f"{results.runs} runs of each seed have the same bytes")
    return found


def _one(measured: Measured) -> dict[str, Any]:
    return {
        "seed": measured.seed,
        "value": measured.value,
        "unit": measured.unit,
        "pass": measured.holds,
        "reason": measured.reason,
    }


def document(results: Results) -> dict[str, Any]:
    """Return the results as a document for JSON (docs/try.md)."""
    trials = zip(results.tried.trials(), results.bundles, strict=True)
    return {
        "pass": results.good,
        "repeat": repeat(results),
        "runs": results.runs,
        "differences": [
            {
                "seed": one.seed,
                "run": one.run,
                "bundles": [str(folder) for folder in one.folders],
                "first": one.where,
                "causes": list(one.causes),
            }
            for one in results.differences
        ],
        "trials": [
            {
                "seed": trial.repetition,
                "bundle": str(done.folder),
                "capture": str(done.folder / "wire.pcapng.gz"),
                "outcome": done.outcome,
                "reason": done.reason,
                "view": shlex.join(["thinwire", "view", str(done.folder)]),
                "repeat": repeat(results, trial.repetition),
            }
            for trial, done in trials
        ],
        "expectations": [
            {
                "name": one.expectation.name,
                "expected": one.expectation.text,
                "metric": one.expectation.metric,
                "pass": one.holds,
                "worst": _one(one.worst),
                "each": [_one(each) for each in one.each],
            }
            for one in results.verdicts
        ],
    }


def json_text(results: Results) -> str:
    """Return the document as JSON."""
    return json.dumps(document(results), indent=1, sort_keys=True)


def write_json(results: Results, file: Path) -> None:
    """Write the document as JSON.

    Raises:
        InputError: the file cannot be written.
    """
    outputs.write_text(f"{json_text(results)}\n", file, "--report")


def write_junit(results: Results, file: Path) -> None:
    """Write JUnit XML: a test case for each trial, which fails unless its outcome is `ok`, one for
    each expectation, and one for each run that differs from the first one of its trial.

    Raises:
        InputError: the file cannot be written.
    """
    name = results.tried.path.resolve().parent.name
    cases: list[tuple[str, str, str]] = []  # name, what is wrong, output
    for trial, done in zip(results.tried.trials(), results.bundles, strict=True):
        wrong = "" if done.outcome == "ok" else f"{done.outcome}: {done.reason}"
        cases.append((f"seed {trial.repetition}", wrong, repeat(results, trial.repetition)))
    for one in results.verdicts:
        said = f"{_measured(one.worst)} (seed {one.worst.seed})"
        output = repeat(results, one.worst.seed)
        cases.append((_wanted(one), "" if one.holds else said, f"{said}\n{output}"))
    cases += [
        (f"seed {one.seed} repeats", f"{one.run} differs", "\n".join(difference_lines(one)))
        for one in results.differences
    ]
    failures = sum(bool(wrong) for _, wrong, _ in cases)
    counts = {"tests": str(len(cases)), "failures": str(failures), "errors": "0"}
    top = ElementTree.Element("testsuites", {"name": "thinwire try", **counts})
    suite = ElementTree.SubElement(top, "testsuite", {"name": name, **counts})
    for title, wrong, output in cases:
        case = ElementTree.SubElement(suite, "testcase", {"classname": name, "name": title})
        if wrong:
            ElementTree.SubElement(case, "failure", {"message": wrong})
        ElementTree.SubElement(case, "system-out").text = output
    ElementTree.indent(top, " ")
    text = ElementTree.tostring(top, encoding="unicode", xml_declaration=False)
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    outputs.write_text(f"{head}\n{text}\n", file, "--junit")
