"""`thinwire ask`: recommend protocol and mode for a device, as the page does, from the trials."""

from __future__ import annotations

import argparse
import math
import re
from pathlib import Path
from typing import Any

from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.commands import (
    answer,
    ask_deep,
    complete,
    outputs,
    project,
    ranking,
    recommend,
    recommend_trials,
    scaffold,
)
from hil.commands import recommend_text as text
from hil.commands.options import aligned
from hil.commands.recommend import RANKED, SLEEPS, Question
from hil.design.protocols import choose_modes
from hil.machine.shipped import IN_WHEEL

SHIPPED = ROOT / "data" / "shipped" / "decide.json"
_POSITIVE = {
    "payload": "the size of a message in bytes, such as 40",
    "interval": "the time between messages in seconds, such as 60",
    "battery": "the battery's capacity in mAh, such as 1000",
}

EXAMPLES = """\
Examples:
  thinwire ask --payload 40 --interval 60 --load busy --sleep light
  thinwire ask --payload 40 --interval 60 --modes mqtt coap --by bytes ack=2
  thinwire ask --payload 40 --interval 10min --sleep deep --join scan
"""


_UNITS_S = {"s": 1, "min": 60, "h": 3600, "d": 86400}


def _seconds(word: str) -> float:
    """Return the seconds of a time on the command line: 60, 90s, 10min, 1h."""
    found = re.fullmatch(r"([-+0-9.eE]+)\s*([a-z]*)", word)
    if not found or (found[2] or "s") not in _UNITS_S:
        raise argparse.ArgumentTypeError(f"'{word}' is no time; write 60, 10min or 1h")
    try:
        return float(found[1]) * _UNITS_S[found[2] or "s"]
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"'{word}' is no time; write 60, 10min or 1h") from error


def _loads(parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """Complete --load: return the loads that were measured."""
    try:
        document = recommend.read(_model(parsed_args.model)[0])
    except InputError:
        return ["idle", "busy"]
    return ["busy", *(load["name"] for load in document["loads"])]


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    parser.add_argument(
        "--payload", type=float, required=True, metavar="BYTES", help="size of a message"
    )
    parser.add_argument(
        "--interval",
        type=_seconds,
        required=True,
        metavar="TIME",
        help="time between messages, in seconds or as 10min, 1h",
    )
    parser.add_argument(
        "--modes",
        nargs="+",
        default=[],
        metavar="MODE",
        help="compare only these protocols or modes, such as: mqtt coap-con",
    ).completer = complete.modes  # type: ignore[attr-defined]
    parser.add_argument(
        "--load",
        default="idle",
        metavar="LOAD",
        help="background load of the access point: idle, busy (the highest measured"
        " load), or a measured load, such as web-10",
    ).completer = _loads  # type: ignore[attr-defined]
    parser.add_argument(
        "--sleep",
        choices=(*SLEEPS, ask_deep.SLEEP),
        default="awake",
        help="the radio between messages; deep: the device is off, and joins its cell anew",
    )
    parser.add_argument(
        "--qos",
        choices=("at-most-once", "at-least-once", "exactly-once"),
        default="at-most-once",
        help="the weakest acceptable delivery guarantee",
    )
    parser.add_argument(
        "--battery", type=float, default=1000.0, metavar="MAH", help="capacity of the battery"
    )
    parser.add_argument(
        "--by",
        nargs="+",
        default=["battery"],
        metavar="NAME[=WEIGHT]",
        help=f"quantities to rank by: {', '.join(RANKED)}; several are"
        " combined as a weighted geometric mean of ratios to the best mode",
    ).completer = lambda **_: RANKED  # type: ignore[attr-defined]
    parser.add_argument(
        "--all", action="store_true", help="print all modes instead of the best eight"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--record", type=Path, metavar="FILE.md", help="write a decision record")
    parser.add_argument(
        "--write-study",
        metavar="NAME",
        help="write workflow/studies/NAME.yaml, a study of this question",
    )
    parser.add_argument(
        "--model",
        type=Path,
        metavar="DECIDE.json",
        help=f"the fitted models (default: {project.MODEL} of the project, else those that the"
        " project ships)",
    )
    ask_deep.configure(parser)


def _weights(words: list[str]) -> dict[str, float]:
    weights = {}
    for word in words:
        name, _, weight = word.partition("=")
        try:
            value = float(weight or 1)
        except ValueError:
            value = math.nan
        if name not in RANKED or not 0 < value < math.inf:
            raise InputError(
                "--by",
                word,
                "is not a quantity, or has no positive weight",
                f"use {', '.join(RANKED)}, or NAME=2",
            )
        weights[name] = value
    return weights


def _question(arguments: argparse.Namespace, document: dict[str, Any]) -> Question:
    for name, meant in _POSITIVE.items():
        if not 0 < getattr(arguments, name) < math.inf:
            raise InputError(
                f"--{name}",
                f"{getattr(arguments, name):g}",
                "is not above 0",
                f"give {meant}",
            )
    busiest = max(document["loads"], key=lambda load: load["mbps"])["name"]
    return Question(
        payload=arguments.payload,
        interval=arguments.interval,
        load=busiest if arguments.load == "busy" else arguments.load,
        sleep=arguments.sleep,
        guarantee=arguments.qos,
        battery=arguments.battery,
        weights=_weights(arguments.by),
        modes=tuple(choose_modes(arguments.modes, "--modes", "")) if arguments.modes else (),
    )


def _write_study(document: dict[str, Any], question: Question, name: str) -> int:
    file = scaffold.study_file(name)
    content = recommend_trials.study_text(document, question, name)
    studies = f"studies=[matrix,sensor,{name}]"
    update = f"snakemake --cores all --config '{studies}' -- results/decide.json"
    if IN_WHEEL:
        scaffold.Change(made={Path(file).name: content}).write(Path.cwd())
        print(f"wrote {name}.yaml; to run it: thinwire trial run {name}.yaml")
        print(f"to update the models, in a clone with that file as {file}:")
    else:
        scaffold.Change(made={file: content}).write()
        print(f"wrote {file}; to run it and update the models:")
    print(update)
    return 0


def _model(given: Path | None) -> tuple[Path, bool]:
    """Return the file of the models: the given one, else that of the project's own build, else the
    shipped one; and whether it is shipped."""
    own = given or project.path(project.MODEL)
    return (own, False) if given or own.is_file() or not SHIPPED.is_file() else (SHIPPED, True)


def run(arguments: argparse.Namespace) -> int:
    path, shipped = _model(arguments.model)
    document = recommend.read(path)
    way = ask_deep.way_of(arguments)
    question = _question(arguments, document)
    if way:
        return ask_deep.answer(arguments, document, question, way)
    if arguments.write_study:
        return _write_study(document, question, arguments.write_study)
    recommend.check(document, question)
    rows = ranking.rank(document, question)
    if not any(row.score is not None for row in rows):
        missing = recommend.outside(document, question)
        measured = f"; measured modes: {', '.join(missing)}" if missing else ""
        raise InputError(
            path,
            "",
            f"no trial answers this question{measured}",
            "repeat the question with --write-study NAME to create a study",
        )
    if arguments.record:
        record = text.record(document, question, rows)
        outputs.write_text(record, arguments.record, "--record")
    if arguments.json:
        print(text.as_json(document, question, rows))
        return 0
    print(answer.sentences(question, rows))
    print(text.words(document, question))
    shown = text.shown(rows, arguments.all)
    print("\n".join(["", *aligned(text.table(shown))]))
    for line in (*text.hidden(rows, shown), *text.marks(document, rows)):
        print(line)
    print("\n".join(["", *text.basis(document, question, rows)]))
    if shipped:
        print(text.shipped(document))
    print("\n".join(["", text.ERRORS, *aligned(text.errors(document, shown))]))
    print("\n".join(["", text.NEAREST, *recommend_trials.commands(document, question, rows)]))
    return 0
