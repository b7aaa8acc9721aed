"""`thinwire ask`: recommend protocol and mode for a device, as the page does, from the trials."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.commands import project, recommend, recommend_trials, scaffold
from hil.commands import recommend_text as text
from hil.commands.options import aligned
from hil.commands.recommend import RANKED, SLEEPS, Question

_POSITIVE = {
    "payload": "the size of a message in bytes, such as 40",
    "interval": "the time between messages in seconds, such as 60",
    "battery": "the battery's capacity in mAh, such as 1000",
}

EXAMPLES = """\
Examples:
  thinwire ask --payload 40 --interval 60 --load busy --sleep light
  thinwire ask --payload 40 --interval 60 --by bytes ack=2
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    parser.add_argument(
        "--payload", type=float, required=True, metavar="BYTES", help="size of a message"
    )
    parser.add_argument(
        "--interval", type=float, required=True, metavar="S", help="time between messages"
    )
    parser.add_argument(
        "--load",
        default="idle",
        help="background load of the access point: idle, busy (the highest measured"
        " load), or the name of a measured load",
    )
    parser.add_argument(
        "--sleep",
        choices=SLEEPS,
        default="awake",
        help="the radio between messages",
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
    )
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
        help="the fitted models (default: results/decide.json of the project)",
    )


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
    )


def _write_study(document: dict[str, Any], question: Question, name: str) -> int:
    path = ROOT / scaffold.study_file(name)
    path.write_text(recommend_trials.study_text(document, question, name), encoding="utf-8")
    print(f"wrote {path.relative_to(ROOT)}; to run it and update the models:")
    studies = f"studies=[matrix,sensor,{name}]"
    print(f"snakemake --cores all --config '{studies}' -- results/decide.json")
    return 0


def run(arguments: argparse.Namespace) -> int:
    arguments.model = arguments.model or project.path(project.MODEL)
    document = recommend.read(arguments.model)
    question = _question(arguments, document)
    if arguments.write_study:
        return _write_study(document, question, arguments.write_study)
    recommend.check(document, question)
    rows = recommend.rank(document, question)
    if not rows or rows[0].score is None:
        missing = recommend.outside(document, question)
        measured = f"; measured modes: {', '.join(missing)}" if missing else ""
        raise InputError(
            arguments.model,
            "",
            f"no trial answers this question{measured}",
            "repeat the question with --write-study NAME to create a study",
        )
    if arguments.record:
        arguments.record.write_text(text.record(document, question, rows), encoding="utf-8")
    if arguments.json:
        print(text.as_json(document, question, rows))
        return 0
    shown = rows if arguments.all else rows[:8]
    print(text.words(document, question))
    print("\n".join(aligned(text.table(shown))))
    print("\n".join([*text.basis(document, question, rows), text.ERRORS]))
    print("\n".join(aligned(text.errors(document, shown))))
    print(
        "\n".join(
            ["to repeat the nearest trials:", *recommend_trials.commands(document, question, rows)]
        )
    )
    return 0
