"""`thinwire claims [CLAIM]`: the verdicts on the five studies; what one of them rests on."""

from __future__ import annotations

import argparse
import csv
import json
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from hil.base.documents import read_yaml
from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.base.schema import nearest
from hil.system import colours

VERDICTS = (
    "reproduced",
    "reproduced in direction",
    "not reproduced",
    "contradicted",
    "decided by an assumption",
    "another condition",
    "too few runs",
    "not testable",
)
KINDS = ("repetition", "capture read again", "consistency")
TABLE = Path("results/claims.csv")
_SIMULATED = "nbiot"


class Claim(NamedTuple):
    """One row of the claims table, all as text (workflow/R/study/R/claims.R)."""

    claim: str
    seed: str
    section: str
    kind: str
    statement: str
    published: str
    ours: str
    unit: str
    n: str
    low: str
    high: str
    rule: str
    verdict: str
    reason: str
    study: str
    trials: str


def configure(parser: argparse.ArgumentParser) -> None:
    name = parser.add_argument("claim", nargs="?", help="explain this claim")
    name.completer = lambda parsed_args, **_: [  # type: ignore[attr-defined]
        claim.claim for claim in read(parsed_args.table or TABLE)
    ]
    parser.add_argument("--verdict", choices=VERDICTS, help="only those with this verdict")
    parser.add_argument("--seed", help="only those of this study, such as ufes2018")
    parser.add_argument("--kind", choices=KINDS, help="only those that rest on this")
    parser.add_argument("--counts", action="store_true", help="how many have which verdict")
    parser.add_argument("--json", action="store_true", help="for machines: all that is known")
    parser.add_argument("--table", type=Path, default=TABLE, metavar="CLAIMS.csv")


def read(path: Path) -> list[Claim]:
    """The rows of a claims table; InputError where it is none."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return [
                Claim(**{name: row[name] for name in Claim._fields}) for row in csv.DictReader(file)
            ]
    except (OSError, KeyError, UnicodeDecodeError) as error:
        raise InputError(
            path, "", f"cannot be read ({error})", "make it: snakemake --cores all -- " + str(path)
        ) from error


def count(claims: list[Claim]) -> dict[str, dict[str, int]]:
    """How many of which verdict, for each kind."""
    found = Counter((claim.kind, claim.verdict) for claim in claims)
    return {
        kind: {verdict: found[kind, verdict] for verdict in VERDICTS if found[kind, verdict]}
        for kind in KINDS
    }


def counts(claims: list[Claim]) -> str:
    """The same in words."""
    lines = []
    for kind, found in count(claims).items():
        words = ", ".join(f"{number} {verdict}" for verdict, number in found.items())
        lines.append(f"{sum(found.values())} by {kind}: {words or 'none'}")
    return "\n".join(lines)


def remake(claim: Claim) -> list[str]:
    """The commands that make what the claim rests on, and decide it anew."""
    decide = f"snakemake --cores all --forcerun claims {_configured(claim.study)}-- "
    return [*_sources(claim), decide + "results/claims.csv"]


def _configured(study: str) -> str:
    """The default build runs these studies; another one must be asked for."""
    usual = read_yaml(ROOT / "config.yaml")["studies"]
    if study in ("", "firmware", "recordings", _SIMULATED, *usual):
        return ""
    return f"--config 'studies=[{','.join([*usual, study])}]' "


def _sources(claim: Claim) -> list[str]:
    first = claim.trials.split()[:1]
    if claim.study == "recordings":
        return [f"make recordings  # gets {claim.trials}"]
    if claim.study == _SIMULATED:
        return ["snakemake --cores all -- results/nbiot/claims.csv"]
    if claim.study == "firmware":
        return ["snakemake --cores all -- results/firmware/metrics.csv"]
    return [
        f"thinwire trial run {claim.study} --trial {trial} --out /tmp/again  # and so each"
        for trial in first
    ]


def _file(claim: Claim) -> str:
    """The file that holds the claim's entry: the study's, or one of a table of it (STUDY-TABLE)."""
    folder = Path("data/published/claims")
    for path in sorted((ROOT / folder).glob(f"{claim.seed}-*.yaml")):
        if f"  - id: {claim.claim}\n" in path.read_text(encoding="utf-8"):
            return str(folder / path.name)
    return str(folder / f"{claim.seed}.yaml")


def _bundles(claim: Claim) -> list[str]:
    """Where the files lie that the claim rests on."""
    folder = {"recordings": "data/recordings", _SIMULATED: "results/nbiot", "firmware": ""}.get(
        claim.study, f"data/raw/{claim.study}"
    )
    return [f"{folder}/{trial}" if folder else trial for trial in claim.trials.split()]


def facts(claim: Claim) -> dict[str, str]:
    """What a reader wants to know of a claim, by its name; empty where there is nothing."""
    interval = f" [{claim.low}, {claim.high}]" if claim.low else ""
    rows = f"rows of results/metrics/{claim.study}.csv" if claim.study else "the study's numbers"
    return {
        "where": f"{claim.seed}, {claim.section}",
        "statement": claim.statement,
        "published": claim.published,
        "ours": f"{claim.ours} {claim.unit}".strip(),
        "interval": f"n = {claim.n}{interval}" if claim.n else "",
        "rests on": f"{claim.kind}: {rows}",
        "rule": claim.rule,
        "verdict": claim.verdict,
        "reason": claim.reason,
        "file": _file(claim),
    }


def explain(claim: Claim) -> str:
    """Everything about one claim."""
    lines = [f"{name:10} {text}" for name, text in facts(claim).items() if text]
    lines += [f"{'bundle':10} {bundle}" for bundle in _bundles(claim)]
    return "\n".join([claim.claim, *lines, *(f"{'remake':10} {line}" for line in remake(claim))])


def _as_json(claims: list[Claim]) -> str:
    """The claims with what they rest on and the commands that make it again."""
    rows = [
        {
            **{key: getattr(claim, key) for key in ("claim", "seed", "section", "kind")},
            **{key: getattr(claim, key) for key in ("verdict", "statement")},
            **facts(claim),
            "bundles": "\n".join(_bundles(claim)),
            "remake": "\n".join(remake(claim)),
        }
        for claim in claims
    ]
    return json.dumps(rows, ensure_ascii=False)


def run(arguments: argparse.Namespace) -> int:
    claims = read(arguments.table)
    if arguments.claim:
        found = [claim for claim in claims if claim.claim == arguments.claim]
        if not found:
            names = [claim.claim for claim in claims]
            raise InputError(
                arguments.table, arguments.claim, "no such claim", nearest(arguments.claim, names)
            )
        print(_as_json(found) if arguments.json else explain(found[0]))
        return 0
    seeds = sorted({claim.seed for claim in claims})
    if arguments.seed and arguments.seed not in seeds:
        raise InputError("--seed", arguments.seed, "no such study", nearest(arguments.seed, seeds))
    for name in ("verdict", "seed", "kind"):
        if wanted := getattr(arguments, name):
            claims = [claim for claim in claims if getattr(claim, name) == wanted]
    if arguments.counts:
        print(json.dumps(count(claims)) if arguments.json else counts(claims))
        return 0
    if arguments.json:
        print(_as_json(claims))
        return 0
    for claim in claims:
        print(f"{colours.word(claim.verdict, 24)} {claim.claim:40} {claim.statement}")
    return 0
